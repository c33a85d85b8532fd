"""The clauses of a variant and their keys. docs/reference/variant.md shows the strings below the fields.

A word or number of a clause may be the name of an option; it then has that option's value.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from maumau.game.ruleset.option import Value


class Clause(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A part of a variant that holds only where the options named in `if` have the values given there."""

    when: dict[str, Value] = msgspec.field(default_factory=dict, name="if")
    """The clause holds only if each option named here has the value given, or one of a list of values."""
    says: str = ""
    """The words of the source, shown with the rule; without effect."""


class Pack(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Ranks and cards that the pack does not have."""

    without: list[str] = []
    """The ranks and cards that are taken out of the pack."""


class Card(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """The effects of some cards. A later clause adds to and overrides an earlier one for the same card."""

    on: list[str]
    """The ranks and cards that the clause is about."""
    plain: bool = False
    """True: what earlier clauses say of these cards is forgotten first."""
    owe: int | str | None = None
    """The number of cards that the next player must take."""
    doubles: bool | None = None
    """With `owe`: laid as an answer, the card doubles the cards owed instead of adding to them."""
    answer: list[str] | None = None
    """The cards that the next player may lay instead of taking what `owe` asks for, or of missing a turn."""
    after: str | None = None
    """Options left to a player who has taken the cards owed (by default `turn_ends`)."""
    skip: str | None = None
    """The next player misses a turn; the word says what an answer to it does."""
    reverse: bool | None = None
    """The direction of play is reversed; the option `reverse_two` says what that means for two players."""
    wild: bool | None = None
    """The card may be laid on any card, and its player names the suit that must follow."""
    anytime: bool | None = None
    """The card may be laid in any turn, whether it fits or not; no suit is named."""
    names: str | None = None
    """The suit or card that must follow: named by its player (`suit`, as with `wild`), or something else."""
    not_on: list[str] | None = None
    """The cards on which a wild card must fit like any other, and on which a mirror may not be laid."""
    cover: str | None = None
    """One more card must be laid on this one in the same turn; the word says what happens to a player who
    has none that fits."""
    again: str | None = None
    """Its player may lay one more card that fits; the word says what happens to a player who does not."""
    last: str | None = None
    """The effect of laying it as the last card (by default `allowed`)."""
    fine: int | None = None
    """The cards that its player takes for laying it last, and so is not out."""
    others: int | None = None
    """The number of cards that all other players take."""
    target: int | None = None
    """The number of cards that a player chosen by the card's player takes."""
    optional: bool | str | None = None
    """True: with `target`, the card's player may also choose nobody."""
    turn: bool | None = None
    """Its player has another turn."""
    mirror: bool | None = None
    """The card may be laid on any card, and counts as the one below it."""
    each: bool | None = None
    """With `owe` or `skip`: each of several of these cards laid together counts."""
    anywhere: bool | None = None
    """The card's effect applies even if others are laid on it in the same move."""
    cancel: bool | None = None
    """Cards owed and turns to be missed are cancelled."""
    joined: bool | None = None
    """When the card is laid, any player may at once throw in another one of the cards that have this key,
    even out of turn."""
    late: bool | None = None
    """The direction of play is reversed, but only when its player's turn is over."""
    twisted: bool | None = None
    """The suit that must follow is the other one of the same colour as the suit named."""
    round: bool | None = None
    """A player who has another one may begin a round with it, in which everybody lays one or draws a card,
    until that player announces with one that it ends."""
    twin: bool | None = None
    """When the card is laid, any player who holds the identical card may throw it in at once, even out of
    turn. It needs more than one pack."""
    swap: list[str] | None = None
    """Laid on one of these cards, its player swaps hands with another player and chooses which one."""
    chain: int | None = None
    """With `last = "chain"`: how many cards each card of the chain adds to those that a player who laid a
    last card must take when the chain comes round to them."""
    touch: bool | None = None
    """Everybody touches the edge of the table, and the slowest gets a penalty card."""


class Together(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Cards that may be laid together in one move. All clauses hold, each adds to the others."""

    ranks: str = ""
    """Cards of one rank may be laid together; the word says of which ranks."""
    sets: list[str] = []
    """Of these cards, those of one rank may be laid together."""
    base: list[str] = []
    """On one of these cards any number of cards of its suit may be laid in the same move."""


class Call(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """A word that must be said, and what it costs to forget it. The last clause that holds counts."""

    double: list[str] = []
    """The cards for which the special word (`!!`) must be said instead of the plain one (`!`)."""
    others: bool = True
    """True: the plain word must be said for all other cards."""
    until: str = "play"
    """The deadline for saying the word."""
    penalty: int | str = 1
    """The cards that a player takes for not saying it, or a word for another penalty."""


class Calls(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """The words that must be said. A file that has one of the two lists replaces the list of its base."""

    left: list[Call] = []
    """Calls with one card left, such as Mau."""
    out: list[Call] = []
    """Calls with the last card, such as Mau-Mau."""


class Breach(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Violations of the rules that players can be accused of. All clauses hold, each adds to the others.

    Where a variant has any, penalty cards lie in front of a player until they have had a turn.
    """

    kinds: list[str] = []
    """Violations, each of which costs a penalty card."""
    fact: bool = False
    """True: everybody has seen these violations, so there is no vote on them."""


class Comeback(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """A player without cards has won only when their turn comes round again, and may be brought back."""

    cards: list[str] = []
    """The cards with which the player before them makes them take cards and play on."""
    skip_extends: bool | str = False
    """True: a turn that they must miss makes them wait another round."""


class Rescue(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """A player who must take cards may be saved by what they draw."""

    cards: list[str] = []
    """The cards that may be laid at once if they are among the first three drawn; no more are then drawn."""


class Lives(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Each lost deal costs a life, and a card of all later hands; a player without lives is out."""

    count: int | str = 0
    """The lives of each player; those of several clauses are added."""


class Blind(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Cards are laid face down, each with a claim that the next player may doubt. The last clause counts."""

    claim_legal: bool | str = True
    """True: only a card that could be laid now may be claimed; false: any card of the pack."""
    wrong_draw: int | str = 1
    """The cards drawn for doubting a true claim."""
    wrong_miss: bool | str = True
    """True: a player who doubts a true claim also misses a turn."""
    caught_return: bool | str = True
    """True: a player caught lying takes the card back; false: it stays under the pile's top card."""
    caught_draw: int | str = 1
    """The cards drawn by a caught liar, beside those that are owed."""
    caught_over: bool | str = True
    """True: the turn of a player who is caught lying is over; false: they decide once more."""


class Score(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """The scoring of a deal and a game. A later clause overrides an earlier one key by key."""

    scored: bool | None = None
    """True: the cards left in hand count as points of a game, and the fewest points win."""
    wins: bool | str | None = None
    """True: a game counts the deals won, not points."""
    table: str | None = None
    """The value of each card left in hand."""
    target: int | str | None = None
    """The points of one player at which a game ends."""
    double: list[str] | None = None
    """The last cards that double the points of all other players."""
    values: dict[str, int | str] | None = None
    """Exceptions from the table: what a rank or card counts."""
    out: dict[str, int | str] | None = None
    """The winner's points after going out with this rank or card."""
    reset: dict[str, int | str] | None = None
    """The new total of a player with exactly this many points."""
    above: int | None = None
    """A game ends when a total is above this number; the lowest total wins."""
    win: int | None = None
    """The points of the winner of a deal; all others have none, and hands are not counted."""
    called: int | None = None
    """With `win`: how many points a winner has who ends with the special word."""
    place: list[int] | None = None
    """How many points each place is worth, the first place first, where the option `places` is true; the most
    points win, and hands are not counted. Players who share a place have its points each."""


class Growth(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Players who have won enough points may add a rule. The last clause counts."""

    quota: list[int] | str = []
    """The points needed for each rule, by the number of players, from the fewest on."""


class Addition(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A rule that a player may add: what it takes, and what it then changes."""

    name: str
    """The name of the rule, in small letters and `_`; it is added as `name` or `name(7)`."""
    takes: list[Literal["rank", "card", "rank or card", "number"]] = []
    """Choices that a player makes with the rule: the first is `$1`, the second `$2`."""
    numbers: list[int] = []
    """The numbers from which a player may choose."""
    card: dict[str, Any] = {}
    """A `[[card]]` clause that then holds, in which `$1` and `$2` stand for what was chosen."""
    together: dict[str, Any] = {}
    """A `[[together]]` clause that then holds, with the same places."""
    set: dict[str, Value] = {}
    """The options that the rule sets."""
    builds: str = ""
    """The `[[card]]` key that the cards must already have for the rule to be added."""
    says: str = ""
    """The words of the source; without effect."""
