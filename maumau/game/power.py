"""Powers: what each card does, read from the clauses of a variant."""

from __future__ import annotations

from typing import Final

from maumau.errors import BadVariant
from maumau.game import cards
from maumau.game.clause import Card

ENDS: Final = 0  # after the owed cards the turn ends
MAY: Final = 1  # one card may be laid, or not
FULL: Final = 2  # a normal turn follows
AFTER: Final = {"turn_ends": ENDS, "play_or_pass": MAY, "full_turn": FULL}
SKIPS: Final = ("none", "pass_on", "accumulate", "faraon")
COVERS: Final = ("draw1_may_play", "draw1_end")
LASTS: Final = (*COVERS, "illegal", "illegal_draw", "allowed", "chain")
AGAIN: Final = ("end", "draw1")
NAMES: Final = ("suit", "player_chooses", "free", "no_change")


# what an entry says of a card, by the names that a power has for it
EFFECTS: Final = tuple(name for name in Card.__struct_fields__ if name not in ("when", "says", "on", "plain"))


class Power:
    """What a card does.

    `names` says what a wild card leaves to the next player: a suit named with it (`suit`), any card (`free`)
    or what lay below (`no_change`). `last` says what holds if it is its player's last card, and `fine` how
    many cards he takes who lays it as such.
    """

    __slots__ = (
        "after", "again", "answer", "anytime", "anywhere", "cancel", "cover", "each", "fine", "joined",
        "last", "late", "mirror", "names", "not_on", "optional", "others", "owe", "reverse", "round",
        "skip", "stops", "target", "touch", "turn", "twisted", "wild",
    )  # fmt: skip

    def __init__(self) -> None:
        self.owe = 0
        self.answer = 0
        self.after = ENDS
        self.skip = ""
        self.reverse = False
        self.wild = False
        self.anytime = False
        self.names = ""
        self.not_on = 0
        self.cover = ""
        self.again = ""
        self.last = ""
        self.others = 0
        self.target = 0
        self.optional = False
        self.turn = False
        self.mirror = False
        self.each = False
        self.anywhere = False
        self.cancel = False
        self.fine = 0
        self.joined = False  # anybody may at once lay another such card on it
        self.round = False  # who has two of them may start a round of them
        self.touch = False  # all must touch the table's edge
        self.late = False  # it turns the direction when its player's turn is over
        self.twisted = False  # the wish means the other suit of the same colour
        self.stops = False  # a window may open when the card has been laid

    @property
    def counts(self) -> bool:
        """Whether the card does anything (a significant card)."""
        return bool(self.wild or self.names or self.mirror or self.acts)

    @property
    def acts(self) -> bool:
        """Whether the turn may go on otherwise than to the next seat."""
        moves = self.owe or self.skip or self.reverse or self.cover or self.again or self.turn or self.late
        return bool(moves or self.others or self.target or self.cancel or self.round or self.stops)

    @property
    def harms(self) -> bool:
        """Whether the card does something to another player."""
        return bool(self.owe or self.skip or self.others or self.target)

    @property
    def wishes(self) -> bool:
        """Whether a suit is named with the card."""
        return self.names in ("suit", "player_chooses")

    def bare(self, *, final: bool) -> bool:
        """Whether nothing is named with the card where it ends the deal (and has, `final`, its effect)."""
        return not self.stays and (self.wishes or self.mirror or (self.target > 0 and not final))

    @property
    def barred(self) -> bool:
        """Whether the card may not be the last one."""
        return self.last.startswith("illegal")

    @property
    def stays(self) -> bool:
        """Whether who lays it as his last card is not out yet."""
        return self.fine > 0 or self.last in COVERS


def compile_powers(entries: list[Card], copies: int) -> list[Power]:
    """What each card does, by code: later entries add to and override earlier ones.

    A joker of which a variant says nothing lies on anything and names a suit: a jack "is the equivalent of a
    Joker and can be played on any card".
    """
    found = [Power() for _ in cards.NAMES]
    _apply_numbers(found[cards.JOKER], Card(on=["XX"], wild=not any("XX" in entry.on for entry in entries)))
    for entry in entries:
        for code in cards.list_codes(select_cards(entry.on)):
            if entry.plain:
                found[code] = Power()
            _apply_numbers(found[code], entry)
            _apply_words(found[code], entry, copies)
    mirrors = cards.spread_copies(sum(1 << code for code, power in enumerate(found) if power.mirror), copies)
    for code, power in enumerate(found):
        if power.answer >> code & 1:  # it answers itself, and so does what counts as it
            power.answer |= mirrors
    return found


def overlay_clause(power: Power, entry: Card) -> Power:
    """What a card does that does this, when an entry is added to it; one pack."""
    twin = Power()
    for name in EFFECTS:
        setattr(twin, name, getattr(Power() if entry.plain else power, name))
    _apply_numbers(twin, entry)
    _apply_words(twin, entry, 1)
    return twin


def _apply_numbers(power: Power, entry: Card) -> None:
    power.owe = power.owe if entry.owe is None else require_number("owe", entry.owe)
    power.others = power.others if entry.others is None else entry.others
    power.target = power.target if entry.target is None else entry.target
    power.fine = power.fine if entry.fine is None else entry.fine
    power.each = power.each if entry.each is None else entry.each
    power.anywhere = power.anywhere if entry.anywhere is None else entry.anywhere
    power.cancel = power.cancel if entry.cancel is None else entry.cancel
    power.joined = power.joined if entry.joined is None else entry.joined
    power.late = power.late if entry.late is None else entry.late
    power.twisted = power.twisted if entry.twisted is None else entry.twisted
    power.round = power.round if entry.round is None else entry.round
    power.touch = power.touch if entry.touch is None else entry.touch
    power.mirror = power.mirror if entry.mirror is None else entry.mirror
    power.turn = power.turn if entry.turn is None else entry.turn
    power.reverse = power.reverse if entry.reverse is None else entry.reverse
    power.anytime = power.anytime if entry.anytime is None else entry.anytime
    power.optional = power.optional if entry.optional is None else entry.optional is True
    if entry.wild is not None:
        power.wild = entry.wild
        power.names = "suit" if entry.wild else ""


def _apply_words(power: Power, entry: Card, copies: int) -> None:
    if entry.answer is not None:
        power.answer = cards.spread_copies(select_cards(entry.answer), copies)
    if entry.not_on is not None:
        power.not_on = select_cards(entry.not_on)
    if entry.after is not None:
        power.after = AFTER[require_known_word("after", entry.after, tuple(AFTER))]
    power.skip = power.skip if entry.skip is None else require_known_word("skip", entry.skip, SKIPS)
    power.cover = power.cover if entry.cover is None else require_known_word("cover", entry.cover, COVERS)
    power.again = power.again if entry.again is None else require_known_word("again", entry.again, AGAIN)
    power.last = power.last if entry.last is None else require_known_word("last", entry.last, LASTS)
    power.names = power.names if entry.names is None else require_known_word("names", entry.names, NAMES)


def select_cards(selectors: list[str]) -> int:
    """The cards that a list of ranks and cards means, one copy."""
    kinds = 0
    for selector in selectors:
        kinds |= cards.mask_of(selector)
    return kinds


def require_number(name: str, value: int | str) -> int:
    """A number of a variant's file, read through its option; BadVariant if it is none."""
    if type(value) is int:
        return value
    raise BadVariant(f"{name} = {value!r} is neither a number nor an option that is one")


def require_truth(name: str, value: object) -> bool:
    """True or false in a variant's file, read through its option; BadVariant if it is neither."""
    if isinstance(value, bool):
        return value
    raise BadVariant(f"{name} = {value!r} is neither true nor false nor an option that is")


def require_known_word(name: str, value: str, words: tuple[str, ...]) -> str:
    """A word of a variant's file, read through its option; BadVariant says which are known."""
    if value in words:
        return value
    raise BadVariant(f"{name} = {value!r} is not known; known are {', '.join(words)}, or an option's name")
