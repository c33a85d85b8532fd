"""Forgeries: those that verify finds by itself, and those that only a hash seen before reveals.

Each forger writes a whole export with every sum, hash, score, verdict, table and link recomputed.
"""

import msgspec
import pytest

from maumau import game
from maumau.contest.export.chain import link_events
from maumau.contest.export.verify import verify
from maumau.contest.score import DealScore, score_set
from tests.contest.conftest import SECRET, SMALL, Arena, entrants
from tests.contest.test_verify import fields


class Forger(Arena):
    """Plays as the arena did, and changes the records of one match."""

    def __init__(self, honest, label, change):
        super().__init__(honest.spec, SECRET, entrants(len(honest.entrants)), version=honest.version)
        self.label, self.change = label, change

    def _set(self, plan, number):
        score, record = super()._set(plan, number)
        if plan.label != self.label:
            return score, record
        texts = ["[maumau 1]\n" + text for text in record.split("[maumau 1]\n")[1:]]
        record = "".join(self.change(texts))
        deals = [game.replay("[maumau 1]\n" + text) for text in record.split("[maumau 1]\n")[1:]]
        scores = [DealScore(deal.places, deal.points) for deal in deals]
        return score_set(self.spec.score, number, scores), record


@pytest.fixture(scope="module")
def honest(hold):
    return hold(SMALL, 3)


@pytest.fixture
def forge(honest, tmp_path):
    """Writes the tournament anew with the records of one match changed: the path."""

    def forge(change, label="2.2.1"):
        arena = Forger(honest.arena, label, change)
        results = arena.run()
        path = tmp_path / "forged.export.jsonl"
        arena.write(path, results)
        return path

    return forge


def anew(text, **changes):
    """Return a deal of the same seed with other hands or another first seat, played to its end."""
    deal = game.replay(text)
    other = game.deal(deal.rules, 2, deal.seed.text, **changes)
    while not other.over:
        other.apply(other.to_act[0], game.first_action(other, other.to_act[0]))
    return game.record(other)


def fault(text):
    """Return the deal with a fault of B before the first action."""
    lines = text.splitlines(keepends=True)
    at = next(place for place, line in enumerate(lines) if line.startswith(("A ", "B ")))
    deal = game.replay("".join([*lines[:at], "forfeit B illegal\n", *lines[at:-1]]))
    return game.record(deal)


def test_one_card_for_one_and_five_for_the_other_is_found(forge):
    report = verify(forge(lambda texts: [anew(texts[0], sizes=[1, 5]), texts[1]]))
    assert {field for _, field in fields(report)} == {"record, deal 1, hands"}
    assert report.differences[0].said == "[1,5]"


def test_who_leads_both_seatings_is_found(forge):
    report = verify(forge(lambda texts: [texts[0], anew(texts[1], first=1)]))
    assert {field for _, field in fields(report)} == {"record, deal 2, first"}
    assert {one.seating for one in report.differences} == {1}


@pytest.mark.sample
@pytest.mark.parametrize("change", [lambda texts: texts[::-1], lambda texts: [fault(texts[0]), texts[1]]])
def test_a_history_that_is_right_in_itself_is_told_by_who_has_seen_a_hash(forge, honest, change):
    """Swapped seatings, invented faults: verify starts no bot, so that the file alone does not show them."""
    told = verify(honest.path)
    path = forge(change)
    alone = verify(path)
    assert alone.ok
    assert alone.compared != told.compared
    assert verify(honest.path, seen=[told.compared]).missed == ()
    report = verify(path, seen=[told.compared])
    assert not report.ok
    assert report.missed == (told.compared,)


def test_who_has_seen_one_link_can_tell_what_was_written_anew_before_it(forge, honest):
    """The first booking here is of the final: every link after it has changed with it."""
    arena = honest.arena
    chain = [link for _, link in link_events(arena.root, arena.chain(honest.results).events)]
    assert verify(honest.path, seen=[chain[0], chain[-1]]).ok
    report = verify(forge(lambda texts: texts[::-1]), seen=[chain[0], chain[-1]])
    assert report.missed == (chain[0], chain[-1])


def renamed(honest, path, spec=None, names=("rollout", "greedy", "counter")):
    """Write the same records under other names, or by another spec; recompute the root; verify."""
    others = [
        msgspec.structs.replace(one, name=name) for one, name in zip(honest.entrants, names, strict=True)
    ]
    forger = Arena(spec or honest.spec, SECRET, others, version=honest.arena.version)
    forger.plans, forger.sets, forger.digest = honest.arena.plans, honest.arena.sets, honest.arena.digest
    forger.write(path, honest.results)
    return verify(path)


def test_exchanged_names_are_found_in_every_record(honest, tmp_path):
    report = renamed(honest, tmp_path / "forged.export.jsonl")
    assert "record, deal 1, seed" in {field for _, field in fields(report)}


@pytest.mark.parametrize(("table", "change"), [("bot", {"deal_ms": 1}), ("match", {"alpha": 0.04})])
def test_another_limit_or_alpha_in_the_spec_is_found_in_every_record(honest, tmp_path, table, change):
    changed = msgspec.structs.replace(getattr(honest.spec, table), **change)
    spec = msgspec.structs.replace(honest.spec, **{table: changed})
    names = [one.name for one in honest.entrants]
    report = renamed(honest, tmp_path / "forged.export.jsonl", spec, names)
    assert "record, deal 1, seed" in {field for _, field in fields(report)}


def test_another_name_of_the_tournament_is_told_by_what_was_compared(honest, tmp_path):
    """It is in no seed, so that the same tournament can be played again beside the first."""
    told = verify(honest.path).compared
    spec = msgspec.structs.replace(honest.spec, name="another-cup")
    path = tmp_path / "forged.export.jsonl"
    assert renamed(honest, path, spec, [one.name for one in honest.entrants]).ok
    assert verify(path, seen=[told]).missed == (told,)


def without_a_booking(bookings):
    return bookings[1:]


def of_other_records(bookings):
    return [msgspec.structs.replace(bookings[0], digest="0" * 64), *bookings[1:]]


def as_an_older_take(bookings):
    """Return bookings of a match taken back: the last booking counts."""
    newer = msgspec.structs.replace(bookings[0], take=2, digest="0" * 64)
    return [*bookings, newer]


def as_a_newer_take_of_a_neighbour(bookings):
    """Return bookings of a match taken back, which is replayed from its first block, without older blocks."""
    newer = msgspec.structs.replace(bookings[0], take=2, block=99)
    return [*bookings, newer]


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "change",
    [
        without_a_booking,
        of_other_records,
        as_an_older_take,
        as_a_newer_take_of_a_neighbour,
        lambda _: [],
    ],
)
def test_every_block_that_counts_is_booked_in_the_chain(honest, tmp_path, change):
    path = tmp_path / "forged.export.jsonl"
    bookings = change(honest.arena.bookings())
    honest.arena.write(path, honest.results, bookings)
    report = verify(path)
    lines = [text.split(b'"')[3].decode() for text in path.read_bytes().splitlines()]
    assert "booking" in {field for _, field in fields(report)}
    assert {lines[one.line - 1] for one in report.differences} == {"block"}


def test_a_block_is_booked_once(honest, tmp_path):
    """Else the chain would vouch for two histories of it."""
    path = tmp_path / "forged.export.jsonl"
    bookings = honest.arena.bookings()
    again = [*bookings, msgspec.structs.replace(bookings[0], digest="0" * 64)]
    honest.arena.write(path, honest.results, again)
    report = verify(path)
    assert {(one.field, one.found) for one in report.differences} == {
        ("values", "a block that is booked once")
    }


def test_a_match_booked_anew_behind_the_links_that_were_seen_is_named(honest, tmp_path):
    """All links that were told are in the chain, and yet they say nothing of what counts in the end."""
    before = honest.arena.bookings()
    forged = Forger(honest.arena, "2.2.1", lambda texts: texts[::-1])
    results = forged.run()
    anew = [msgspec.structs.replace(one, take=2) for one in forged.bookings() if one.match == "2.2.1"]
    path = tmp_path / "forged.export.jsonl"
    forged.write(path, results, [*before, *anew])
    told = [link for _, link in link_events(honest.arena.root, before)]
    report = verify(path, seen=told)
    assert report.ok
    assert report.retaken == {"2.2.1": len(before) + 2}  # after the link that says so
    assert verify(honest.path).retaken == {}


def test_what_was_compared_is_known_from_the_digests_alone(honest):
    """So the arena tells it in the moment in which the tournament ends, without reading the records."""
    assert honest.arena.compared(honest.results) == verify(honest.path).compared


def test_blocks_played_ahead_change_the_chain_and_nothing_that_is_compared(honest, tmp_path):
    bookings = honest.arena.bookings()
    paths = [tmp_path / name for name in ("many.jsonl", "few.jsonl")]
    counted = {one.label: one.counted for one in honest.results}
    few = [one for one in bookings if one.block < counted[one.match] // honest.spec.match.block]
    assert len(few) < len(bookings)
    hashes = {
        honest.arena.write(path, honest.results, some)
        for path, some in zip(paths, (bookings, few[::-1]), strict=True)
    }
    assert len(hashes) == 1
    before = [path.read_bytes().split(b'{"kind":"measured"')[0] for path in paths]
    assert before[0] == before[1]
    assert all(verify(path).ok for path in paths)


@pytest.fixture(scope="module")
def fresh(honest):
    """Return the arena and the results of the tournament with its final retaken with fresh seeds."""
    arena = Arena(honest.spec, SECRET, honest.entrants, {"2.2.1": 2})
    return arena, arena.run()


def write(path, arena, results, bookings, seed_takes):
    said = [msgspec.structs.replace(one, seed_take=seed_takes.get(one.label, 0)) for one in results]
    arena.write(path, said, bookings)
    return verify(path)


def test_a_match_with_fresh_seeds_says_so_in_its_blocks_alone(fresh, honest, tmp_path):
    arena, results = fresh
    path = tmp_path / "fresh.export.jsonl"
    report = write(path, arena, results, arena.bookings(), arena.seed_takes)
    assert report.ok
    assert report.fresh_seeds == {"2.2.1": 2}
    assert report.retaken == {"2.2.1": 2}  # booked first here, after the link that says so
    said = [line for line in path.read_bytes().splitlines() if b'"seed_take":2' in line]
    assert said
    assert all(line.startswith(b'{"kind":"block","match":"2.2.1"') for line in said)
    assert b"seed_take" not in honest.path.read_bytes()


def test_a_take_that_is_said_to_have_fresh_seeds_is_found_by_its_deals(honest, tmp_path):
    """Booked as a second take, too."""
    arena = honest.arena
    bookings = [
        msgspec.structs.replace(one, take=2) if one.match == "2.2.1" else one for one in arena.bookings()
    ]
    report = write(tmp_path / "forged.jsonl", arena, honest.results, bookings, {"2.2.1": 2})
    assert "record, deal 1, seed" in {field for _, field in fields(report)}


def test_fresh_seeds_that_are_concealed_are_found_by_the_deals(fresh, tmp_path):
    arena, results = fresh
    report = write(tmp_path / "forged.jsonl", arena, results, arena.bookings(), {})
    assert "record, deal 1, seed" in {field for _, field in fields(report)}


@pytest.mark.sample
@pytest.mark.parametrize("take", [1, 2])
def test_fresh_seeds_without_a_take_for_them_are_found(honest, tmp_path, take):
    """Else whoever knows the secret could choose a match's deals: everything is played and booked anew."""
    forger = Arena(honest.spec, SECRET, honest.entrants, {"2.2.1": take})
    results = forger.run()
    bookings = [msgspec.structs.replace(one, take=1) for one in forger.bookings()]
    report = write(tmp_path / "forged.jsonl", forger, results, bookings, forger.seed_takes)
    assert [(one.field, one.said) for one in report.differences] == [("seed_take", str(take))]


def test_the_blocks_of_a_match_have_the_seeds_of_one_take(fresh, tmp_path):
    arena, results = fresh
    path = tmp_path / "forged.jsonl"
    write(path, arena, results, arena.bookings(), arena.seed_takes)
    lines = path.read_bytes().splitlines(keepends=True)
    places = [at for at, line in enumerate(lines) if line.startswith(b'{"kind":"block","match":"2.2.1"')]
    lines[places[1]] = lines[places[1]].replace(b',"seed_take":2', b"")
    path.write_bytes(b"".join(lines))
    assert (places[1] + 1, "seed_take") in fields(verify(path))
