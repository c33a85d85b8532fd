"""What the clauses of a variant other than those of cards say: one phrase for each of their fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from maumau.game.cards import RANKS
from maumau.game.score import TABLES
from maumau.game.variant import (
    Blind,
    Breach,
    Call,
    Clause,
    Comeback,
    Growth,
    Lives,
    Pack,
    Rescue,
    Score,
    Together,
)
from maumau.rulebook.name import ANY, RANK, count, elsewhere, listed, plural, several

Phrases = dict[str, Callable[[Any], str]]
SCORED: Final = {
    True: "Who has won has no points, the others have those of their hands; the fewest win.",
    False: "Deals won count; hands are counted, but decide nothing.",
}


def _pack(clause: Pack) -> str:
    return f"The pack has no {listed([plural(word) for word in clause.without], 'and no')}."


def _ranks(clause: Together) -> str:
    if not clause.ranks:
        return ""
    which = "Cards of one rank that do something" if clause.ranks == "power_only" else "Cards of one rank"
    return f"{which} may be laid together: the bottom one must fit, the top one counts."


def _base(clause: Together) -> str:
    if not clause.base:
        return ""
    return (
        f"On {several(clause.base)} any number of cards of its suit may be laid with it: "
        "it must fit, the top one counts."
    )


def _sets(clause: Together) -> str:
    if not clause.sets:
        return ""
    cards = plural(clause.sets[0]) if len(clause.sets) == 1 else several(clause.sets)
    return f"Several {cards} may be laid together: the bottom one must fit, the top one counts."


def _quota(clause: Growth) -> str:
    points = listed([str(need) for need in clause.quota])
    return (
        f"Whenever a player has won {points} points more, by the number of players from the fewest to the "
        "most, he may add a rule before the next deal, unless the game is over; it holds from then on."
    )


def _until(clause: Call) -> str:
    return {
        "play": "with the card, before anybody else acts",
        "next_action": "before the next player acts",
        "own_turn": "before the next turn of one's own",
        "own_zug": "before one's own turn is over",
        "next_zug": "before the next player's turn is over",
    }[clause.until]


def _price(clause: Call) -> str:
    if isinstance(clause.penalty, int):
        return f"who does not takes {count(clause.penalty)}"
    return {
        "deal_add": "who does not takes as many cards as were dealt to him",
        "replace": "who does not gives up his hand and takes as many cards as were dealt to him",
        "cannot_lay_last": "who has not may not lay the last card",
    }[clause.penalty]


def _special(clause: Call) -> str:
    if not clause.double:
        return ""
    return f"the special word (!!) if it is {several(clause.double)}"


VIOLATIONS: Final = {
    "mau": "a word not said",
    "mau_mau": "the special word not said",
    "false_mau": "a word said without need",
    "false_mau_mau": "the special word said without need",
    "queen_end": "the end of a queen round not announced",
    "sorry": "a gesture of apology left out",
    "willi": "a pretended draw left out",
    "card": "a card laid that does not fit, and cards drawn too many",
}


def _kinds(clause: Breach) -> str:
    named = listed([VIOLATIONS[kind] for kind in clause.kinds])
    return f"A fault that costs a penalty card, laid face down before the player: {named}." if named else ""


def _comeback(clause: Comeback) -> str:
    return (
        "Who has no cards left has won only when his turn comes round again: until then "
        f"{several(clause.cards)} laid by the player before him makes him take cards, and play on."
    )


def _rescue(clause: Rescue) -> str:
    return (
        f"Who must take cards and draws {several(clause.cards)} among the first three may lay it at once: "
        "he keeps what he has drawn, draws no more, and his turn is over."
    )


def _lives(clause: Lives) -> str:
    return (
        f"Everybody has {count(int(clause.count), 'life', 'lives')}: each lost deal costs one, and a card of "
        "the hands to come. Who has none left is out of the game, the last one left wins it."
    )


def _wrong(clause: Blind) -> str:
    price = f"draws {count(int(clause.wrong_draw))}"
    missed = ", takes at once what the card asks of him, and misses his turn" if clause.wrong_miss else ""
    return f"Who doubts the truth {price}{missed}; the card stays and counts."


def _caught(clause: Blind) -> str:
    back = "takes the card back" if clause.caught_return else "leaves the card under the pile's top card"
    over = "his turn is over" if clause.caught_over else "decides once more"
    draws = f"draws {count(int(clause.caught_draw))} and what he owed"
    return f"Who is caught {back}, {draws}, and {over}; what lay there before counts again."


def _legal(clause: Blind) -> str:
    legal = "that could be laid now" if clause.claim_legal else "of the pack"
    return (
        "Cards are laid face down, each with the rank and suit that its player says it has (a wild card with "
        f"the suit he names): any card in hand, claimed to be any card {legal}. If the next player believes "
        "it, it is the card claimed for good; if he doubts it, it is shown. Who claims with his last card is "
        "out when he is believed or has told the truth."
    )


def _values(clause: Score) -> str:
    told = [f"{several([word])} counts {value}" for word, value in (clause.values or {}).items()]
    return f"Of these {listed(told)}." if told else ""


def _out(clause: Score) -> str:
    told = [f"with {several([word])} counts {value}" for word, value in (clause.out or {}).items()]
    return f"Going out {listed(told)}." if told else ""


def _table(clause: Score) -> str:
    values = TABLES[clause.table or "T3"]
    told = [f"{RANK[rank]} {points}" for rank, points in zip(RANKS, values, strict=False)]
    return f"Cards left in hand count: {listed([*told, f'joker {values[-1]}'])}."


def _reset(clause: Score) -> str:
    told = [f"a total of exactly {total} becomes {value}" for total, value in (clause.reset or {}).items()]
    return f"In a game {listed(told)}." if told else ""


def _double(clause: Score) -> str:
    if not clause.double:
        return ""
    return f"If the last card is {several(clause.double)} the points of all others count double."


def _target(clause: Score) -> str:
    adds = (clause.scored or clause.win) and clause.wins is not True and not clause.above
    return f"A game ends when somebody has {clause.target} points." if adds else ""


# by clause: every field, in the order in which it is told
PACK: Final[Phrases] = {"without": _pack}
TOGETHER: Final[Phrases] = {"ranks": _ranks, "base": _base, "sets": _sets}
CALL: Final[Phrases] = {
    "until": _until,
    "double": _special,
    "others": lambda clause: "" if clause.others else "only then",
    "penalty": _price,
}
BREACH: Final[Phrases] = {
    "kinds": _kinds,
    "fact": lambda clause: "The others do not vote on it: everybody has seen it." if clause.fact else "",
}
COMEBACK: Final[Phrases] = {
    "cards": _comeback,
    "skip_extends": lambda clause: (
        "A turn that he must miss makes him wait another round." if clause.skip_extends else ""
    ),
}
RESCUE: Final[Phrases] = {"cards": _rescue}
BLIND: Final[Phrases] = {
    "claim_legal": _legal,
    "wrong_draw": _wrong,
    "wrong_miss": elsewhere,  # told with wrong_draw
    "caught_return": _caught,
    "caught_draw": elsewhere,  # told with caught_return
    "caught_over": elsewhere,  # ditto
}
GROWTH: Final[Phrases] = {"quota": _quota}
LIVES: Final[Phrases] = {"count": _lives}
SCORE: Final[Phrases] = {
    "scored": lambda clause: "" if clause.win else SCORED[clause.scored is True],
    "wins": lambda clause: "A game counts deals won, not points." if clause.wins is True else "",
    "table": lambda clause: "" if clause.win else _table(clause),
    "values": _values,
    "out": _out,
    "double": _double,
    "target": _target,
    "reset": _reset,
    "above": lambda clause: (
        f"A game ends when a total is above {clause.above}; the lowest total wins." if clause.above else ""
    ),
    "win": lambda clause: (
        f"The winner has {count(clause.win, 'point')}, all others none." if clause.win else ""
    ),
    "called": lambda clause: (
        f"Who wins with the special word (!!) has {count(clause.called, 'point')}." if clause.called else ""
    ),
}


def words(clause: Clause, phrases: Phrases) -> list[str]:
    """The sentences of a clause."""
    return [text for phrase in phrases.values() if (text := phrase(clause))]


def merged(clauses: list[Score], first: Score) -> Score:
    """The clauses of scoring as one: later ones override the first."""
    values = msgspec.structs.asdict(first)
    for clause in clauses:
        for name, value in msgspec.structs.asdict(clause).items():
            if isinstance(value, dict) and name != "when":
                values[name] = (values[name] or {}) | value
            elif value is not None:
                values[name] = value
    return Score(**values)


def call(clause: Call, when: str) -> str:
    """What must be said when, until when, and what it costs to forget it."""
    special, only = CALL["double"](clause), CALL["others"](clause)
    word = "the special word (!!)" if clause.double == [ANY] else "the word (!)"
    said = f"{when} one says {word}"
    if only:
        said = f"{when} one says {special}"
    elif special and clause.double != [ANY]:
        said += f", {special}"
    return f"{said}, {_until(clause)}; {_price(clause)}."
