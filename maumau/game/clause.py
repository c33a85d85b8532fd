"""The clauses of a variant: what each may say. docs/variant.md shows the strings below the fields.

A word or number of a clause may be the name of an option; it then has that option's value.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from maumau.game.option import Value


class Clause(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A part of a variant that holds only where the options named in `if` have the values given there."""

    when: dict[str, Value] = msgspec.field(default_factory=dict, name="if")
    """The clause holds only if each option named here has the value given, or one of a list of values."""
    says: str = ""
    """What the source says, word for word; it is shown with the rule and changes nothing."""


class Pack(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Ranks and cards that the pack does not have."""

    without: list[str] = []
    """The ranks and cards that are taken out of the pack."""


class Card(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """What some cards do. A later clause adds to and overrides an earlier one for the same card."""

    on: list[str]
    """The ranks and cards that the clause is about."""
    plain: bool = False
    """True: what earlier clauses say of these cards is forgotten first."""
    owe: int | str | None = None
    """How many cards the next player must take."""
    answer: list[str] | None = None
    """The cards that the next player may lay instead of taking what `owe` asks for, or of missing a turn."""
    after: str | None = None
    """What a player may still do after taking the cards owed (`turn_ends` if no clause says)."""
    skip: str | None = None
    """The next player misses a turn; the word says what an answer to it does."""
    reverse: bool | None = None
    """The direction of play is reversed; the option `reverse_two` says what that means for two players."""
    wild: bool | None = None
    """The card may be laid on any card, and its player names the suit that must follow."""
    anytime: bool | None = None
    """The card may be laid in any turn, whether it fits or not; no suit is named."""
    names: str | None = None
    """What must follow the card: a suit that its player names (`suit`, as with `wild`), or something else."""
    not_on: list[str] | None = None
    """The cards on which a wild card must fit like any other, and on which a mirror may not be laid."""
    cover: str | None = None
    """One more card must be laid on this one in the same turn; the word says what happens to a player who
    has none that fits."""
    again: str | None = None
    """Its player may lay one more card that fits; the word says what happens to a player who does not."""
    last: str | None = None
    """Whether the card may be its player's last one, and what follows (`allowed` if no clause says)."""
    fine: int | None = None
    """How many cards a player takes who lays it as the last card, and so is not out."""
    others: int | None = None
    """How many cards all the other players take."""
    target: int | None = None
    """How many cards a player takes whom the card's player chooses."""
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
    touch: bool | None = None
    """Everybody touches the edge of the table, and the slowest gets a penalty card."""


class Together(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Which cards may be laid together in one move. All clauses hold, each adds to the others."""

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
    """Whether the plain word must be said for all other cards."""
    until: str = "play"
    """By when the word must be said."""
    penalty: int | str = 1
    """How many cards a player takes who has not said it, or a word for another penalty."""


class Calls(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """The words that must be said. A file that has one of the two lists replaces the list of its base."""

    left: list[Call] = []
    """What must be said with one card left, such as Mau."""
    out: list[Call] = []
    """What must be said with the last card, such as Mau-Mau."""


class Breach(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Violations of the rules that players can be accused of. All clauses hold, each adds to the others.

    Where a variant has any, penalty cards lie in front of a player until they have had a turn.
    """

    kinds: list[str] = []
    """What counts as a violation and costs a penalty card."""
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
    """How many lives each player has; those of several clauses are added."""


class Blind(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Cards are laid face down, each with a claim that the next player may doubt. The last clause counts."""

    claim_legal: bool | str = True
    """True: only a card that could be laid now may be claimed; false: any card of the pack."""
    wrong_draw: int | str = 1
    """How many cards a player draws who doubts a true claim."""
    wrong_miss: bool | str = True
    """True: a player who doubts a true claim also misses a turn."""
    caught_return: bool | str = True
    """True: a player caught lying takes the card back; false: it stays under the pile's top card."""
    caught_draw: int | str = 1
    """How many cards a player draws who is caught lying, beside those that are owed."""
    caught_over: bool | str = True
    """True: the turn of a player who is caught lying is over; false: they decide once more."""


class Score(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """How a deal and a game are scored. A later clause overrides an earlier one key by key."""

    scored: bool | None = None
    """True: the cards left in hand count as points of a game, and the fewest points win."""
    wins: bool | str | None = None
    """True: a game counts the deals won, not points."""
    table: str | None = None
    """What each card left in hand counts."""
    target: int | str | None = None
    """With how many points of one player a game ends."""
    double: list[str] | None = None
    """The last cards that double the points of all other players."""
    values: dict[str, int | str] | None = None
    """Exceptions from the table: what a rank or card counts."""
    out: dict[str, int | str] | None = None
    """What the winner's points become by going out with this rank or card."""
    reset: dict[str, int | str] | None = None
    """What a total of exactly this many points becomes."""
    above: int | None = None
    """A game ends when a total is above this number; the lowest total wins."""
    win: int | None = None
    """How many points the winner of a deal has; all others have none, and hands are not counted."""
    called: int | None = None
    """With `win`: how many points a winner has who ends with the special word."""


class Growth(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Players who have won enough points may add a rule. The last clause counts."""

    quota: list[int] | str = []
    """How many points are needed for each rule, by the number of players, from the fewest on."""


class Addition(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A rule that a player may add: what it takes, and what it then changes."""

    name: str
    """What the rule is called, in small letters and `_`; it is added as `name` or `name(7)`."""
    takes: list[Literal["rank", "card", "rank or card", "number"]] = []
    """What a player chooses with the rule: the first is `$1`, the second `$2`."""
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
    """What the source says of the rule; it changes nothing."""
