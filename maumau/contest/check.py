"""Plays the records of an export again: pure, so that a caller may spread it over processes."""

from __future__ import annotations

import re
from functools import cache
from itertools import zip_longest
from typing import Any

import msgspec

from maumau import game
from maumau.contest.difference import Difference, differences, shown
from maumau.contest.line import RecordLine
from maumau.contest.mend import Raw
from maumau.contest.score import DealScore, SetScore, score_set
from maumau.contest.seed import deal_seed
from maumau.contest.sheet import Misread, decode
from maumau.errors import MaumauError

DEAL = re.compile(r"(?m)^(?=\[maumau )")
SEED = re.compile(r"(?m)^\[seed (.*)\]$")


class Terms(msgspec.Struct, frozen=True):
    """What all records of an export have in common. score: the mode of the spec.

    rules, variant_toml: the variant's name, and its text if it is somebody's own. seed_takes: by label,
    of the matches that were retaken with fresh seeds.
    """

    rules_hash: str
    seats: int
    score: str
    secret: str
    root: str
    rules: str = ""
    variant_toml: str = ""
    seed_takes: dict[str, int] = {}


class Job(msgspec.Struct, frozen=True):
    """Some record lines, as they stand in the file: (number, bytes) each."""

    terms: Terms
    lines: tuple[tuple[int, bytes], ...]


class Checked(msgspec.Struct, frozen=True):
    """A record played again. match, set: as its line says.

    score: as found; as said where the deals cannot be played again; None if the line cannot be read.
    seats: as said. played: whether the deals can be played again.
    """

    line: int
    match: str
    set: int
    score: SetScore | None
    differences: tuple[Difference, ...]
    seats: tuple[tuple[int, ...], ...] = ()
    played: bool = False


def check_records(job: Job) -> list[Checked]:
    """Play the records of a job again and compare their seeds, scores and points with what they say."""
    return [_check(job.terms, Raw(number, data)) for number, data in job.lines]


def _check(terms: Terms, raw: Raw) -> Checked:
    try:
        line: RecordLine = decode(raw, RecordLine)
    except Misread as misread:
        return Checked(raw.number, "", 0, None, (misread.difference,))
    if len(line.points) != terms.seats:
        truth = f"{terms.seats} numbers, one for each entrant"
        return Checked(
            raw.number, "", 0, None, (Difference(raw.number, "points", shown(line.points), truth),)
        )
    take = terms.seed_takes.get(line.match, 0)
    seed = deal_seed(terms.secret, terms.root, line.match, line.set, take)
    score = SetScore(line.set, line.score, line.points, 0, line.scores)  # unless the record can be played
    found = list(differences(raw.number, line.seed, seed, "seed"))
    try:
        score = score_set(terms.score, line.set, _played(terms, line.seed, line.record), terms.seats)
        played = True
    except _Unplayable as unplayable:
        played = False
        words = unplayable.field, unplayable.said, unplayable.found
        found.append(Difference(raw.number, *words, unplayable.seating))
    found += differences(raw.number, line.score, score.half_points, "score")
    found += differences(raw.number, line.points, score.points, "points")
    found += differences(raw.number, line.scores, score.scores, "scores")
    return Checked(raw.number, line.match, line.set, score, tuple(found), line.seats, played)


class _Unplayable(Exception):
    """seating: of the deal, once it is known."""

    def __init__(self, field: str, said: str, found: str) -> None:
        super().__init__(field)
        self.field, self.said, self.found = field, said, found
        self.seating: int | None = None


def _played(terms: Terms, seed: str, record: str) -> list[DealScore]:
    """The deals of a set, one in each seating, played again from their records."""
    texts = [text for text in DEAL.split(record) if text]
    if len(texts) != terms.seats:
        raise _Unplayable("record", f"{len(texts)} deals", f"{terms.seats}, one in each seating")
    return [_replay_seating(terms, seed, seating, text) for seating, text in enumerate(texts)]


def _replay_seating(terms: Terms, seed: str, seating: int, text: str) -> DealScore:
    try:
        return _replay_deal(terms, seed, f"record, deal {seating + 1}", text)
    except _Unplayable as unplayable:
        unplayable.seating = seating
        raise


def _replay_deal(terms: Terms, seed: str, field: str, text: str) -> DealScore:
    try:
        deal = game.replay(text, own=_own_rules(terms.rules, terms.variant_toml))
    except MaumauError as error:
        raise _Unplayable(field, shown(text), f"a record that can be played: {error}") from None
    _same(field, text, game.record(deal))
    _same(f"{field}, rules", deal.rules.hash, terms.rules_hash)
    _same(f"{field}, seats", deal.seats, terms.seats)
    _same(f"{field}, seed", (SEED.findall(text) or [None])[0], seed)
    _same(f"{field}, first", deal.first, 0)
    _same(f"{field}, hands", deal.sizes, [])
    if not deal.over:
        raise _Unplayable(field, shown(text[-40:]), "a deal that is over")
    return DealScore(deal.places, deal.points)


@cache
def _own_rules(name: str, variant_toml: str) -> game.Rules | None:
    """The variant of somebody's own that the records may name, read once in a process."""
    return game.load_text(name, variant_toml) if variant_toml else None


def _same(field: str, said: Any, found: Any) -> None:
    """Compare; of texts show the first line that differs."""
    if said == found:
        return
    if isinstance(said, str) and isinstance(found, str):
        pairs = zip_longest(said.splitlines(), found.splitlines(), fillvalue="")
        said, found = next((pair for pair in pairs if pair[0] != pair[1]), (said, found))
    raise _Unplayable(field, shown(said), shown(found))
