"""Powers: the effects of each card, read from the clauses of a variant."""

from __future__ import annotations

from typing import Final

from maumau.errors import BadVariant
from maumau.game.notation import cards
from maumau.game.ruleset.clause import Card

ENDS: Final = 0  # after the owed cards the turn ends
MAY: Final = 1  # one card may be laid, or not
FULL: Final = 2  # a normal turn follows
AFTER: Final = {"turn_ends": ENDS, "play_or_pass": MAY, "full_turn": FULL}
SKIPS: Final = ("none", "pass_on", "accumulate", "faraon")
COVERS: Final = ("draw1_may_play", "draw1_end", "draw_until")
LASTS: Final = (*COVERS, "illegal", "illegal_draw", "allowed", "chain")
AGAIN: Final = ("end", "draw1")
NAMES: Final = ("suit", "player_chooses", "free", "no_change")


ORDER: Final = ("reverse", "cancel", "owe", "skip", "others", "target", "round", "late", "chain")
RESTRICT: Final = "restrict_wish"  # after a card of a variant in which a wish must change the suit

# keys of an entry, by the attributes of a power
EFFECTS: Final = tuple(name for name in Card.__struct_fields__ if name not in ("when", "says", "on", "plain"))


class Power:
    """The effects of a card.

    `names` is the restriction that a wild card leaves to the next player: a suit named with it (`suit`), none
    (`free`) or that of the card below (`no_change`). `last` is the rule for it as the last card, and `fine`
    the number of cards taken by a player who lays it as such.
    """

    __slots__ = (
        "after",
        "again",
        "answer",
        "anytime",
        "anywhere",
        "cancel",
        "chain",
        "cover",
        "doubles",
        "each",
        "fine",
        "joined",
        "last",
        "late",
        "mirror",
        "names",
        "not_on",
        "optional",
        "others",
        "owe",
        "reverse",
        "round",
        "skip",
        "stops",
        "swap",
        "target",
        "touch",
        "turn",
        "twin",
        "twisted",
        "wild",
    )

    def __init__(self) -> None:
        self.owe = 0
        self.doubles = False
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
        self.round = False  # a player who has two of them may start a round of them
        self.twin = False  # anybody may at once lay the identical card on it
        self.swap = 0  # the kinds of card on which its player swaps hands
        self.chain = 0  # what it costs a finisher whom a chain of last cards reaches
        self.touch = False  # all must touch the table's edge
        self.late = False  # it turns the direction when its player's turn is over
        self.twisted = False  # a wish puts the other suit of the same colour in force
        self.stops = False  # a window may open when the card has been laid

    @property
    def counts(self) -> bool:
        """True if the card has any effect (a significant card)."""
        return bool(self.wild or self.names or self.mirror or self.acts)

    @property
    def acts(self) -> bool:
        """True if the next turn may not go to the next seat, or others are affected."""
        moves = self.owe or self.skip or self.reverse or self.cover or self.again or self.turn or self.late
        others = self.others or self.target or self.swap
        return bool(moves or others or self.cancel or self.round or self.stops)

    @property
    def goes_on(self) -> bool:
        """True if its player may play on."""
        return bool(self.cover or self.again or self.turn or self.reverse)

    @property
    def harms(self) -> bool:
        """True if the card does something to another player."""
        return bool(self.owe or self.skip or self.others or self.target or self.swap)

    @property
    def wishes(self) -> bool:
        """True if a suit is named with the card."""
        return self.names in ("suit", "player_chooses")

    def bare(self, *, final: bool) -> bool:
        """Return True if nothing is named with a card that ends the deal (`final`: it has effect)."""
        aimed = (self.target > 0 or self.swap > 0) and not final
        return not (self.stays or self.chain) and (self.wishes or self.mirror or aimed)

    @property
    def barred(self) -> bool:
        """True if the card may not be the last one."""
        return self.last.startswith("illegal")

    @property
    def stays(self) -> bool:
        """True if a player who lays it as the last card is not out yet."""
        return self.fine > 0 or self.last in COVERS


def list_effects(power: Power) -> tuple[str, ...]:
    """Return the names of a card's effects in the order in which they are applied."""
    return tuple(name for name in ORDER if getattr(power, name))


def compile_powers(entries: list[Card], copies: int) -> list[Power]:
    """Return each card's effects, by code: later entries add to and override earlier ones.

    A joker that a variant does not mention lies on anything and names a suit: a jack "is the equivalent of a
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
        if power.answer >> code & 1:  # it answers itself, as does a card that counts as it
            power.answer |= mirrors
    return found


def overlay_clause(power: Power, entry: Card) -> Power:
    """Return the card's effects after adding an entry to this power; one pack."""
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
    power.chain = power.chain if entry.chain is None else entry.chain
    power.doubles = power.doubles if entry.doubles is None else entry.doubles
    power.each = power.each if entry.each is None else entry.each
    power.anywhere = power.anywhere if entry.anywhere is None else entry.anywhere
    power.cancel = power.cancel if entry.cancel is None else entry.cancel
    power.joined = power.joined if entry.joined is None else entry.joined
    power.late = power.late if entry.late is None else entry.late
    power.twisted = power.twisted if entry.twisted is None else entry.twisted
    power.round = power.round if entry.round is None else entry.round
    power.touch = power.touch if entry.touch is None else entry.touch
    power.twin = power.twin if entry.twin is None else entry.twin
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
    if entry.swap is not None:
        power.swap = select_cards(entry.swap)
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
    """Return the cards that a list of ranks and cards means, one copy."""
    kinds = 0
    for selector in selectors:
        kinds |= cards.mask_of(selector)
    return kinds


def require_number(name: str, value: int | str) -> int:
    """Return a number of a variant's file, read through its option; raise BadVariant if it is not one."""
    if type(value) is int:
        return value
    raise BadVariant(f"{name} = {value!r} is neither a number nor an option that is one")


def require_truth(name: str, value: object) -> bool:
    """Return a truth value from a variant's file, read through its option; raise BadVariant for others."""
    if isinstance(value, bool):
        return value
    raise BadVariant(f"{name} = {value!r} is neither true nor false nor an option that is")


def require_known_word(name: str, value: str, words: tuple[str, ...]) -> str:
    """Return a word of a variant's file, read through its option; raise BadVariant with the known ones."""
    if value in words:
        return value
    raise BadVariant(f"{name} = {value!r} is not known; known: {', '.join(words)}, or an option's name")
