"""Actions and their notation: one parser and one printer, and `parse(str(action)) == action`."""

from __future__ import annotations

import re
from typing import Final

from maumau.errors import UnreadableAction
from maumau.game.notation.cards import CARD_PATTERN, CODES, SUITS

SEATS: Final = "ABCDEFGHIJ"
NOBODY: Final = -1
VIOLATIONS: Final = ("mau", "mau_mau", "false_mau", "false_mau_mau", "queen_end", "sorry", "willi", "card")

_PLAY: Final = re.compile(
    rf"(?P<cards>{CARD_PATTERN}(?:\+{CARD_PATTERN})*)(?:~(?P<claim>{CARD_PATTERN}))?(?:>(?P<wish>[CSHD]))?"
    r"(?:@(?P<target>[A-J]|-))?(?:/(?P<said>start|end|sorry))?(?P<call>!!?)?"
)
_WORD: Final = re.compile(
    r"(?P<word>draw|take|skip|pass|hold|accept|doubt|decline|on|appeal|guilty|innocent|count|(?=!))"
    r"(?:(?<=draw)/(?P<said>willi)|(?<=take)/(?P<also>willi))?(?P<call>!!?)?"
)
_FULL: Final = re.compile(
    rf"(?:(?P<keep>keep):(?P<kept>-|{CARD_PATTERN}(?:\+{CARD_PATTERN})*)|(?P<rescue>rescue):(?P<card>{CARD_PATTERN})"
    rf"|(?P<accuse>accuse)@(?P<seat>[A-J]):(?P<kind>{'|'.join(VIOLATIONS)})"
    r"|(?P<react>react):(?P<time>0|[1-9][0-9]{0,2})|(?P<wish>wish):(?P<suit>[CSHD])"
    r"|(?P<rule>rule):(?P<added>-|[a-z_]+(?:\([0-9TJQKACSHDX]{1,2}(?:,[0-9TJQKACSHDX]{1,2})*\))?))(?P<call>!!?)?"
)
KNOWN: Final = 20_000  # actions kept, so that most texts are read once; a program can send endlessly many


class Action:
    """One action of the notation. Make one with `parse`; `str` prints it.

    `word` is "" for cards laid, else the word; `bare` is the text without its call. `cards` are codes, the
    bottom one first (or the cards kept or rescued); `wish` is a suit 0 to 3, `claim` a code, each -1 if there
    is none; `target` a seat, -1 for `@-`, None if there is none; `said` the declaration; `detail` other text
    after a colon; `call` the number of `!`.
    """

    __slots__ = (
        "_double",
        "_single",
        "bare",
        "call",
        "cards",
        "claim",
        "detail",
        "plain",
        "said",
        "spoken",
        "target",
        "text",
        "wish",
        "word",
    )

    def __init__(self, text: str, word: str, cards: tuple[int, ...], call: int) -> None:
        self.text = text
        self.bare = text
        self.word = word
        self.cards = cards
        self.call = call
        self.claim = -1
        self.wish = -1
        self.target: int | None = None
        self.said = ""
        self.detail = ""
        self.spoken: tuple[str, ...] = ()
        self._single: Action | None = None
        self._double: Action | None = None
        self.plain: Action = self

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"parse({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Action) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return parse, (self.text,)

    def __add__(self, call: str) -> Action:
        """Return this action with a call: "" (the same object), "!" or "!!"."""
        if not call:
            return self
        if call == "!":
            if self._single is None:
                self._single = parse(self.text + call)
            return self._single
        if self._double is None:
            self._double = parse(self.text + call)
        return self._double

    def events(self) -> tuple[str, ...]:
        """Return the event of this action, by the seat that acts."""
        if not self.spoken:
            self.spoken = tuple(f"{seat} {self.text}" for seat in SEATS)
        return self.spoken


_known: Final[dict[str, Action]] = {}


def parse(text: str) -> Action:
    """Read one action; UnreadableAction if it is not notation."""
    known = _known.get(text)
    if known is not None:
        return known
    if len(text) > 400:
        raise UnreadableAction(f"no action is {len(text)} characters long")
    action = _parse_cards(text) or _parse_word(text) or _parse_detail(text)
    if action is None:
        raise UnreadableAction(f"{text[:80]!r} is not an action")
    if action.call:
        action.plain = parse(text.rstrip("!")) if text.strip("!") else action
        action.bare = action.plain.text
    if len(_known) >= KNOWN:
        _known.clear()
    _known[text] = action
    return action


def _parse_cards(text: str) -> Action | None:
    found = _PLAY.fullmatch(text)
    if found is None:
        return None
    cards, claim, wish, target, said, call = found.groups()
    action = Action(text, "", tuple(CODES[card] for card in cards.split("+")), len(call or ""))
    action.claim = CODES[claim] if claim else -1
    action.wish = SUITS.index(wish) if wish else -1
    action.target = None if target is None else SEATS.find(target)
    action.said = said or ""
    return action


def _parse_word(text: str) -> Action | None:
    found = _WORD.fullmatch(text)
    if found is None:
        return None
    action = Action(text, found["word"] or "!", (), len(found["call"] or ""))
    action.said = found["said"] or found["also"] or ""
    return action


def _parse_detail(text: str) -> Action | None:
    found = _FULL.fullmatch(text)
    if found is None:
        return None
    word = text.partition(":")[0].partition("@")[0]
    cards = found["kept"] or found["card"] or "-"
    codes = () if cards == "-" else tuple(CODES[card] for card in cards.split("+"))
    action = Action(text, word, codes, len(found["call"] or ""))
    action.detail = found["kind"] or found["time"] or found["added"] or ""
    action.wish = SUITS.index(found["suit"]) if found["suit"] else -1
    action.target = SEATS.index(found["seat"]) if found["seat"] else None
    return action
