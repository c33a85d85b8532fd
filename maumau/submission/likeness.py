"""The share of code that two programs have in common, by winnowed fingerprints of their tokens.

Comments and blanks are left out; names that an author chooses, numbers and strings count as one token each,
so that renaming changes nothing. Hashes of `GRAM` tokens in a row are taken, and of each `WINDOW` of them in
a row the least one is kept (Schleimer, Wilkerson and Aiken 2003, "Winnowing"): what both have of
GRAM + WINDOW - 1 tokens or more is found wherever it stands. Templates and house bots are for everybody to
take, so what is in them does not count; nor does what a third of the programs and at least `COMMON` have.

The share is of the shorter program, so that it does not help to add more.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import combinations
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from maumau.submission.source import Member

GRAM: Final = 12
WINDOW: Final = 6
FEWEST: Final = 15
"""Fingerprints of its own that a program must have to be compared."""

ALIKE: Final = 0.5
"""The share from which a pair is named."""

SHOWN: Final = 0.1
"""The share from which a pair is listed."""

COMMON: Final = 4
MOST_BYTES: Final = 256 << 10
"""Of a program's sources that are read, the first by their paths."""

HASH_COMMENTS: Final = {".py", ".sh", ".bash", ".rb", ".pl", ".r", ".jl"}
SLASH_COMMENTS: Final = {".js", ".mjs", ".cjs", ".ts", ".java", ".kt", ".go", ".rs", ".c", ".h", ".cc"} | {
    ".cpp", ".hpp", ".cs", ".php", ".scala", ".swift", ".zig",
}  # fmt: skip
OTHERS: Final = {".lua", ".hs", ".ml", ".lisp", ".clj", ".ex", ".erl", ".pas", ".nim"}

KEYWORDS: Final = """
and as async await bool break case catch char class const continue def default del do double elif else enum
except extends false final finally float fn for from func function if impl import in instanceof int is lambda
let long loop match mod mut new nil none not null or package pass private protected pub public raise range
return self static string struct super switch then this throw trait true try type use var void while with
yield
"""
WORDS: Final = frozenset(KEYWORDS.split())
TOKEN: Final = re.compile(
    r'(?P<string>"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
    r"|`(?:[^`\\]|\\.)*`)|(?P<number>\d[\w.]*)|(?P<word>[^\W\d]\w*)|(?P<other>[^\w\s])",
    re.DOTALL,
)
BASE, PRIME = 1_000_003, (1 << 61) - 1


class SourceLikeness(NamedTuple):
    """Two programs. fingerprints: their own; common: in both; share: of these in the shorter one."""

    first: str
    second: str
    first_fingerprints: int
    second_fingerprints: int
    common: int
    share: float
    named: bool


def compare_sources(programs: Mapping[str, frozenset[int]]) -> list[SourceLikeness]:
    """Return the pairs with much in common, the most alike first. programs: fingerprints, by any name."""
    counts = Counter(one for prints in programs.values() for one in prints)
    usual = {one for one, times in counts.items() if times >= max(COMMON, len(programs) / 3)}
    own = {name: prints - usual - read_public() for name, prints in programs.items()}
    known = sorted(name for name, prints in own.items() if len(prints) >= FEWEST)
    found = [_compare_two(one, other, own[one], own[other]) for one, other in combinations(known, 2)]
    return sorted((one for one in found if one.share >= SHOWN), key=lambda one: (-one.share, one[:2]))


def list_unreadable(programs: Mapping[str, frozenset[int]]) -> list[str]:
    """Return the names of programs of which too little can be read to compare them."""
    return sorted(name for name, prints in programs.items() if len(prints - read_public()) < FEWEST)


def _compare_two(one: str, other: str, mine: frozenset[int], its: frozenset[int]) -> SourceLikeness:
    common = len(mine & its)
    share = common / min(len(mine), len(its))
    return SourceLikeness(one, other, len(mine), len(its), common, share, named=share >= ALIKE)


def find_fingerprints(members: Iterable[Member]) -> frozenset[int]:
    """Return the fingerprints of a submission's sources."""
    found: set[int] = set()
    left = MOST_BYTES
    for member in sorted(members, key=lambda one: one.path):
        suffix = PurePosixPath(member.path).suffix.lower()
        if suffix in HASH_COMMENTS | SLASH_COMMENTS | OTHERS or member.content.startswith(b"#!"):
            text = member.content[:left].decode(errors="replace")
            left -= len(member.content[:left])
            found |= select_hashes(list_tokens(text, suffix))
    return frozenset(found)


def list_tokens(text: str, suffix: str) -> list[str]:
    """Return the tokens of a program. suffix: of its file, which tells how comments begin."""
    if suffix in SLASH_COMMENTS:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    elif suffix not in OTHERS:
        text = re.sub(r"(?m)(^|\s)#[^\n]*", " ", text)
    return [_simplify_token(found) for found in TOKEN.finditer(text)]


def _simplify_token(found: re.Match[str]) -> str:
    if found.lastgroup == "word":
        word = found[0].lower()
        return word if word in WORDS else "v"
    return {"string": "s", "number": "0"}.get(found.lastgroup or "", found[0])


def select_hashes(tokens: Sequence[str]) -> set[int]:
    """Return the least hash of each window of hashes of some tokens in a row."""
    hashes = _hash_grams([zlib.crc32(token.encode()) for token in tokens])
    kept: set[int] = set()
    window: deque[int] = deque()
    for place, value in enumerate(hashes):
        while window and hashes[window[-1]] >= value:
            window.pop()
        window.append(place)
        if window[0] <= place - WINDOW:
            window.popleft()
        if place >= WINDOW - 1:
            kept.add(hashes[window[0]])
    return kept


def _hash_grams(codes: Sequence[int]) -> list[int]:
    """Return a rolling hash of each GRAM codes in a row."""
    first, value = pow(BASE, GRAM - 1, PRIME), 0
    found: list[int] = []
    for place, code in enumerate(codes):
        if place >= GRAM:
            value = (value - codes[place - GRAM] * first) % PRIME
        value = (value * BASE + code) % PRIME
        if place >= GRAM - 1:
            found.append((value ^ (value >> 29)) * BASE % PRIME)  # so that no token is always the least
    return found


@cache
def read_public() -> frozenset[int]:
    """Return the fingerprints of what everybody may take: the templates and the house bots."""
    folders = (files("maumau.templates"), files("maumau.bots"))
    return find_fingerprints(member for folder in folders for member in _list_members(folder, ""))


def _list_members(folder: Traversable, path: str) -> Iterable[Member]:
    for entry in folder.iterdir():
        name = f"{path}{entry.name}"
        if entry.is_dir():
            yield from _list_members(entry, f"{name}/")
        else:
            yield Member(name, executable=False, content=entry.read_bytes())
