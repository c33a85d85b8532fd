"""The clauses of a variant other than those of cards, in words: one phrase for each of their fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from maumau.game.model.scoring import TABLES
from maumau.game.notation.cards import RANKS
from maumau.game.ruleset.clause import (
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
from maumau.rulebook.name import (
    ANY,
    NUMBER,
    ORDINAL,
    RANK,
    count_things,
    list_words,
    name_any_card,
    name_cards,
    say_nothing,
)

Phrases = dict[str, Callable[[Any], str]]
RANKS_TOGETHER: Final = {
    "any": "Cards of one rank",
    "power_only": "Cards of one rank that have an effect",
}
UNTIL: Final = {
    "play": "with the card, before anybody else acts",
    "next_action": "before the next player acts",
    "own_turn": "before their own next turn",
    "own_zug": "before their own turn is over",
    "next_zug": "before the next player's turn is over",
}
PENALTIES: Final = {
    "deal_add": "a player who does not takes as many cards as were dealt to them",
    "replace": "a player who does not gives up their hand and takes as many cards as were dealt to them",
    "cannot_lay_last": "a player who has not said it may not lay the last card",
}
SCORED: Final = {
    True: "The winner has no points, the others have those of their hands; the fewest points win.",
    False: "The number of deals won counts; hands are counted, but decide nothing.",
}


def _tell_pack(clause: Pack) -> str:
    missing = [name_cards(word).removeprefix("the ") for word in clause.without]
    return f"The pack has no {list_words(missing, 'or')}."


def _tell_ranks(clause: Together) -> str:
    if not clause.ranks:
        return ""
    which = RANKS_TOGETHER[clause.ranks]
    return f"{which} may be laid together: the bottom one must fit, and the top one counts."


def _tell_base(clause: Together) -> str:
    if not clause.base:
        return ""
    return (
        f"Together with {name_any_card(clause.base)}, any number of cards of its suit may be laid on it: "
        "it must fit, and the top card counts."
    )


def _tell_sets(clause: Together) -> str:
    if not clause.sets:
        return ""
    cards = name_cards(clause.sets[0]) if len(clause.sets) == 1 else name_any_card(clause.sets)
    return f"Several {cards} may be laid together: the bottom one must fit, and the top one counts."


def _tell_quota(clause: Growth) -> str:
    points = list_words([str(need) for need in clause.quota])
    return (
        f"Whenever a player has won another {points} points (from the smallest number of players to the "
        "largest), that player may add a rule before the next deal, unless the game is over; it "
        "holds from then on."
    )


def _tell_deadline(clause: Call) -> str:
    return UNTIL[clause.until]


def _tell_price(clause: Call) -> str:
    if isinstance(clause.penalty, int):
        return f"a player who does not takes {count_things(clause.penalty)}"
    return PENALTIES[clause.penalty]


def _tell_special(clause: Call) -> str:
    if not clause.double:
        return ""
    return f"the special word (!!) if it is {name_any_card(clause.double)}"


VIOLATIONS: Final = {
    "mau": "the word not said",
    "mau_mau": "the special word not said",
    "false_mau": "the word said without need",
    "false_mau_mau": "the special word said without need",
    "queen_end": "the end of a queen round not announced",
    "sorry": "a gesture of apology left out",
    "willi": "a pretended draw left out",
    "card": "a card laid that does not fit, and cards drawn in excess",
}


def _tell_kinds(clause: Breach) -> str:
    named = list_words([VIOLATIONS[kind] for kind in clause.kinds])
    return (
        f"Violations that cost a penalty card, laid face down in front of the player: {named}."
        if named
        else ""
    )


def _tell_comeback(clause: Comeback) -> str:
    return (
        "A player without cards has won only when their turn comes round again: until then "
        f"{name_any_card(clause.cards)} laid by the player before them makes them take cards and play on."
    )


def _tell_rescue(clause: Rescue) -> str:
    return (
        f"A player who must take cards and draws {name_any_card(clause.cards)} among the first three may "
        f"lay it at once: "
        "they keep what they have drawn, draw no more, and their turn is over."
    )


def _tell_lives(clause: Lives) -> str:
    return (
        f"Each player has {count_things(int(clause.count), 'life', 'lives')}: each lost deal costs one, "
        f"and one card of "
        "all later hands. A player without lives is out of the game; the last one left wins it."
    )


def _tell_wrong_call(clause: Blind) -> str:
    price = f"draws {count_things(int(clause.wrong_draw))}"
    missed = ", takes at once what the card demands, and misses a turn" if clause.wrong_miss else ""
    return f"A player who doubts a true claim {price}{missed}; the card stays and counts."


def _tell_caught(clause: Blind) -> str:
    back = "takes the card back" if clause.caught_return else "leaves the card under the pile's top card"
    over = "has ended their turn" if clause.caught_over else "decides once more"
    draws = f"draws {count_things(int(clause.caught_draw))} and the cards owed"
    return f"A player caught lying {back}, {draws}, and {over}; the card below counts again."


def _tell_legality(clause: Blind) -> str:
    legal = "that could be laid now" if clause.claim_legal else "of the pack"
    return (
        "Cards are laid face down, each with the rank and suit that its player claims (a wild card with "
        f"the suit named): any card in hand, claimed to be any card {legal}. If the next player believes "
        "the claim, it holds for good; if they doubt it, the card is shown. A player who claims "
        "with their last "
        "card is out when they are believed or have told the truth."
    )


def _tell_values(clause: Score) -> str:
    told = [f"{name_any_card([word])} counts {value}" for word, value in (clause.values or {}).items()]
    return f"Exceptions: {list_words(told)}." if told else ""


def _tell_going_out(clause: Score) -> str:
    told = [f"with {name_any_card([word])} counts {value}" for word, value in (clause.out or {}).items()]
    return f"Going out {list_words(told)}." if told else ""


def _tell_table(clause: Score) -> str:
    values = TABLES[clause.table or "T3"]
    told = [f"{RANK[rank]} {points}" for rank, points in zip(RANKS, values, strict=False)]
    return f"Cards left in hand count: {list_words([*told, f'joker {values[-1]}'])}."


def _tell_place(clause: Score) -> str:
    if not clause.place:
        return ""
    worth = [NUMBER[points] if points < len(NUMBER) else str(points) for points in clause.place]
    told = [f"{points} for the {place}" for points, place in zip(worth, ORDINAL, strict=False)]
    return f"Points by place: {list_words(told)}; the most points win."


def _tell_reset(clause: Score) -> str:
    told = [f"a total of exactly {total} becomes {value}" for total, value in (clause.reset or {}).items()]
    return f"In a game, {list_words(told)}." if told else ""


def _tell_double(clause: Score) -> str:
    if not clause.double:
        return ""
    return f"If the last card is {name_any_card(clause.double)}, the points of all others count double."


def _tell_target(clause: Score) -> str:
    adds = (clause.scored or clause.win or clause.place) and clause.wins is not True and not clause.above
    return f"A game ends when a player has {clause.target} points." if adds and clause.target else ""


# by clause: every field, in the order of the description
PACK: Final[Phrases] = {"without": _tell_pack}
TOGETHER: Final[Phrases] = {"ranks": _tell_ranks, "base": _tell_base, "sets": _tell_sets}
CALL: Final[Phrases] = {
    "until": _tell_deadline,
    "double": _tell_special,
    "others": lambda clause: "" if clause.others else "only then",
    "penalty": _tell_price,
}
BREACH: Final[Phrases] = {
    "kinds": _tell_kinds,
    "fact": lambda clause: "There is no vote on it: everybody has seen it." if clause.fact else "",
}
COMEBACK: Final[Phrases] = {
    "cards": _tell_comeback,
    "skip_extends": lambda clause: (
        "A turn that they must miss makes them wait another round." if clause.skip_extends else ""
    ),
}
RESCUE: Final[Phrases] = {"cards": _tell_rescue}
BLIND: Final[Phrases] = {
    "claim_legal": _tell_legality,
    "wrong_draw": _tell_wrong_call,
    "wrong_miss": say_nothing,  # described with wrong_draw
    "caught_return": _tell_caught,
    "caught_draw": say_nothing,  # described with caught_return
    "caught_over": say_nothing,  # ditto
}
GROWTH: Final[Phrases] = {"quota": _tell_quota}
LIVES: Final[Phrases] = {"count": _tell_lives}
SCORE: Final[Phrases] = {
    "scored": lambda clause: "" if clause.win or clause.place else SCORED[clause.scored is True],
    "wins": lambda clause: "A game counts the deals won, not points." if clause.wins is True else "",
    "table": lambda clause: "" if clause.win or clause.place else _tell_table(clause),
    "values": lambda clause: "" if clause.win or clause.place else _tell_values(clause),
    "out": lambda clause: "" if clause.win or clause.place else _tell_going_out(clause),
    "double": lambda clause: "" if clause.win or clause.place else _tell_double(clause),
    "target": _tell_target,
    "reset": _tell_reset,
    "above": lambda clause: (
        f"A game ends when a total is above {clause.above}; the lowest total wins." if clause.above else ""
    ),
    "win": lambda clause: (
        f"The winner has {count_things(clause.win, 'point')}, all others have none." if clause.win else ""
    ),
    "called": lambda clause: (
        f"A player who wins with the special word (!!) has {count_things(clause.called, 'point')}."
        if clause.called
        else ""
    ),
    "place": _tell_place,
}


def clause_sentences(clause: Clause, phrases: Phrases) -> list[str]:
    """Return the sentences of a clause."""
    return [text for phrase in phrases.values() if (text := phrase(clause))]


def merge_scores(clauses: list[Score], first: Score) -> Score:
    """Return the clauses of scoring as one: later ones override the first."""
    values = msgspec.structs.asdict(first)
    for clause in clauses:
        for name, value in msgspec.structs.asdict(clause).items():
            if isinstance(value, dict) and name != "when":
                values[name] = (values[name] or {}) | value
            elif value is not None:
                values[name] = value
    return Score(**values)


def call_sentence(clause: Call, when: str) -> str:
    """Return the sentence about a call: when it is due, until when, and the price of forgetting it."""
    special, only = CALL["double"](clause), CALL["others"](clause)
    word = "the special word (!!)" if clause.double == [ANY] else "the word (!)"
    said = f"{when} a player says {word}"
    if only:
        said = f"{when} a player says {special}"
    elif special and clause.double != [ANY]:
        said += f", {special}"
    return f"{said}, {_tell_deadline(clause)}; {_tell_price(clause)}."
