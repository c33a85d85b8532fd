"""Replay of an export's records: pure, so that callers can spread it over processes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import zip_longest
from typing import Any

import msgspec

from maumau import game
from maumau.contest.export.difference import Difference, find_differences, shorten_value
from maumau.contest.export.line import RecordLine
from maumau.contest.export.mend import Raw
from maumau.contest.export.sheet import Misread, decode_line
from maumau.contest.score import MOST_SEATS, SEATINGS, DealScore, SetScore, choose_mode, score_set
from maumau.contest.seed import deal_seed
from maumau.errors import MaumauError

DEAL = re.compile(r"(?m)^(?=\[maumau )")
GAMES = re.compile(r"(?m)^(?=\[maumau game )")
SEED = re.compile(r"(?m)^\[seed (.*)\]$")


class Terms(msgspec.Struct, frozen=True):
    """Common terms of an export's records. score: the mode of the spec.

    seats: 0 where tables differ: each record says its own. rules, variant_toml: the variant's name, and its
    text if it is a custom one. seed_takes: by label, of the matches that were retaken with fresh seeds.
    games: of the stages with whole games, by number, the hash of their rules.
    """

    rules_hash: str
    seats: int
    score: str
    secret: str
    root: str
    rules: str = ""
    variant_toml: str = ""
    seed_takes: dict[str, int] = {}
    games: dict[str, str] = {}


class Job(msgspec.Struct, frozen=True):
    """Some record lines, as in the file: (number, bytes) each."""

    terms: Terms
    lines: tuple[tuple[int, bytes], ...]


class Checked(msgspec.Struct, frozen=True):
    """A replayed record. match, set: as its line says.

    score: as found; as said where the deals cannot be played again; None if the line cannot be read.
    seats: as said. played: whether the deals can be played again. early: deals with forfeits from before
    version 2 of these.
    """

    line: int
    match: str
    set: int
    score: SetScore | None
    differences: tuple[Difference, ...]
    seats: tuple[tuple[int, ...], ...] = ()
    played: bool = False
    early: int = 0


def check_records(job: Job) -> list[Checked]:
    """Play the records of a job again and compare their seeds, scores and points with what they say."""
    return [_check_record(job.terms, Raw(number, data)) for number, data in job.lines]


def _check_record(terms: Terms, raw: Raw) -> Checked:
    try:
        line: RecordLine = decode_line(raw, RecordLine)
    except Misread as misread:
        return Checked(raw.number, "", 0, None, (misread.difference,))
    seats = terms.seats or len(line.seats)
    if damage := _find_damage(raw.number, line, seats):
        return Checked(raw.number, "", 0, None, (damage,))
    mode = choose_mode(terms.score, seats)
    take = terms.seed_takes.get(line.match, 0)
    seed = deal_seed(terms.secret, terms.root, line.match, line.set, take)
    score = SetScore(line.set, line.score, line.points, 0, line.scores)  # unless the record can be played
    found = list(find_differences(raw.number, line.seed, seed, "seed"))
    try:
        score = score_set(mode, line.set, _replay_deals(terms, seats, line), seats)
        played = True
    except _Unplayable as unplayable:
        played = False
        words = unplayable.field, unplayable.said, unplayable.found
        found.append(Difference(raw.number, *words, unplayable.seating))
    found += find_differences(raw.number, line.score, score.half_points, "score")
    found += find_differences(raw.number, line.points, score.points, "points")
    found += find_differences(raw.number, line.scores, score.scores, "scores")
    early = game.count_early_forfeits(line.record)
    return Checked(raw.number, line.match, line.set, score, tuple(found), line.seats, played, early)


def _find_damage(number: int, line: RecordLine, seats: int) -> Difference | None:
    """Return a difference if the numbers of a record are not those of a table of this size."""
    if not SEATINGS <= seats <= MOST_SEATS:
        truth = f"{SEATINGS} to {MOST_SEATS} seatings"
        return Difference(number, "seats", shorten_value(line.seats), truth)
    for field, said, count in (
        ("points", line.points, seats),
        ("scores", line.scores, seats if seats > SEATINGS else 0),
    ):
        if len(said) != count:
            return Difference(number, field, shorten_value(said), f"{count} numbers, one for each entrant")
    return None


class _Unplayable(Exception):
    """seating: of the deal, once it is known."""

    def __init__(self, field: str, said: str, found: str) -> None:
        super().__init__(field)
        self.field, self.said, self.found = field, said, found
        self.seating: int | None = None


def _replay_deals(terms: Terms, seats: int, line: RecordLine) -> list[DealScore]:
    """Return the deals of a set, or its games, one for each seating, replayed from their records."""
    game_hash = terms.games.get(line.match.partition(".")[0])
    texts = [text for text in (GAMES if game_hash else DEAL).split(line.record) if text]
    if len(texts) != seats:
        word = "games" if game_hash else "deals"
        raise _Unplayable("record", f"{len(texts)} {word}", f"{seats}, one in each seating")
    terms = msgspec.structs.replace(terms, seats=seats, rules_hash=game_hash or terms.rules_hash)
    play = _replay_game if game_hash else _replay_deal
    return [_replay_seating(play, terms, line.seed, seating, text) for seating, text in enumerate(texts)]


Play = Callable[[Terms, str, str, str], DealScore]


def _replay_seating(play: Play, terms: Terms, seed: str, seating: int, text: str) -> DealScore:
    try:
        return play(terms, seed, f"record, {'game' if play is _replay_game else 'deal'} {seating + 1}", text)
    except _Unplayable as unplayable:
        unplayable.seating = seating
        raise


def _replay_deal(terms: Terms, seed: str, field: str, text: str) -> DealScore:
    try:
        deal = game.replay(text, own=_own_rules(terms.rules, terms.variant_toml))
    except MaumauError as error:
        raise _Unplayable(field, shorten_value(text), f"a record that can be played: {error}") from None
    _require_equal(field, text, game.record(deal))
    _require_equal(f"{field}, rules", deal.rules.hash, terms.rules_hash)
    _require_equal(f"{field}, seats", deal.seats, terms.seats)
    _require_equal(f"{field}, seed", (SEED.findall(text) or [None])[0], seed)
    _require_equal(f"{field}, first", deal.made.first, 0)
    _require_equal(f"{field}, hands", deal.made.sizes, [])
    if not deal.over:
        raise _Unplayable(field, shorten_value(text[-40:]), "a deal that is over")
    return DealScore(deal.places, deal.points, game.list_lost_seats(text))


def _replay_game(terms: Terms, seed: str, field: str, text: str) -> DealScore:
    """Play a game again: the seed of each deal follows from the set's, its leader from the rules."""
    try:
        played = game.resume(text, own=_own_rules(terms.rules, terms.variant_toml))
    except MaumauError as error:
        raise _Unplayable(field, shorten_value(text), f"a record that can be played: {error}") from None
    first = played.past[0] if played.past else played.deal
    _require_equal(field, text, game.record_game(played))
    _require_equal(f"{field}, rules", first.rules.hash, terms.rules_hash)
    _require_equal(f"{field}, seats", played.seats, terms.seats)
    _require_equal(f"{field}, seed", (SEED.findall(text) or [None])[0], seed)
    _require_equal(f"{field}, first", first.made.first, 0)
    if not all(map(_is_dealt_by_rules, (*played.past, played.deal))) or played.away:
        raise _Unplayable(field, shorten_value(text[:80]), "a game whose deals come from its seed")
    if added := [one for one in played.said.values() if one != "rule:-"]:
        raise _Unplayable(field, shorten_value(added[0]), "no rule added: nobody is asked for one")
    if not played.over:
        raise _Unplayable(field, shorten_value(text[-40:]), "a game that is over")
    return DealScore(played.places, played.total, game.list_lost_seats(text, is_game=True))


def _is_dealt_by_rules(deal: game.Deal) -> bool:
    """Return True if a deal comes from its game's seed, to all who are in the game by the rules."""
    return not deal.made.by_hand and (bool(deal.compiled.lives) or not deal.made.sizes)


@cache
def _own_rules(name: str, variant_toml: str) -> game.Rules | None:
    """Return the custom variant that the records may name, read once in a process."""
    return game.load_text(name, variant_toml) if variant_toml else None


def _require_equal(field: str, said: Any, found: Any) -> None:
    """Raise _Unplayable unless the values are equal; for texts, show the first line that differs."""
    if said == found:
        return
    if isinstance(said, str) and isinstance(found, str):
        pairs = zip_longest(said.splitlines(), found.splitlines(), fillvalue="")
        said, found = next((pair for pair in pairs if pair[0] != pair[1]), (said, found))
    raise _Unplayable(field, shorten_value(said), shorten_value(found))
