"""An export of a ladder binds names, programs and jobs by the links that its watchers were told.

Each forger writes a whole export with every sum, hash, score and link recomputed.
"""

import msgspec
import pytest

from maumau import game
from maumau.contest.export import write as export
from maumau.contest.export.chain import Booking, Chain, ChainJob, End, Retaking, link_events, list_askings
from maumau.contest.export.line import PartLine, encode_line, records_digest
from maumau.contest.export.verify import verify
from maumau.contest.export.write import JobPlayed
from maumau.contest.score import DealScore, score_set
from maumau.contest.seed import deal_seed
from maumau.contest.terms import build_terms
from tests.contest.conftest import SECRET, entrants, play

TERMS = build_terms({"purpose": "ladder", "author": "admin", "rules": "mau_mau"})
JOBS = (ChainJob("1", (1, 2), 2), ChainJob("2", (3, 1), 2), ChainJob("3", (2, 3), 1))


class Ladder:
    """An epoch that was played; what a forger changes is recomputed with all that follows."""

    def __init__(self, players, jobs=JOBS, version=4, exchanged=()):
        self.players, self.jobs, self.version = list(players), jobs, version
        self.root = TERMS.hash_root(version)
        self.played = {job.label: self._play(job, exchanged) for job in jobs}

    def _play(self, job, exchanged):
        """The sets of a job: (score, record). exchanged: labels whose two seatings change places."""
        sets = []
        for number in range(job.sets):
            seed = deal_seed(SECRET, self.root, job.label, number)
            deals = [play(TERMS.load_rules(), seed, order) for order in (job.entrants, job.entrants[::-1])]
            if job.label in exchanged:
                deals.reverse()
            score = score_set("win", number, [DealScore(deal.places, deal.points) for deal in deals])
            sets.append((score, "".join(game.record(deal) for deal in deals)))
        return sets

    def digest(self, job):
        given = (SECRET, self.root, job.label, job.entrants, self.played[job.label])
        return records_digest(map(encode_line, export.block_records(*given)))

    def compared(self):
        framed = [(job, [PartLine(job.label, 0, 0, job.sets, self.digest(job))]) for job in self.jobs]
        return export.compare_jobs(TERMS, SECRET, self.players, framed, self.version)

    def events(self):
        bookings = [Booking(job.label, 1, 0, self.digest(job)) for job in self.jobs]
        if self.version == 3:
            return bookings
        return [*list_askings(self.players, self.jobs), *bookings, End(self.compared())]

    def write(self, path, events=None):
        jobs = [JobPlayed(*job, [(0, self.played[job.label])]) for job in self.jobs]
        chain = Chain(self.events() if events is None else events, self.version)
        return export.write_jobs(path, TERMS, SECRET, self.players, jobs, chain)

    def told(self):
        """The links, then `compared`: all that a watcher may have."""
        return [*(link for _, link in link_events(self.root, self.events())), self.compared()]


@pytest.fixture(scope="module")
def honest():
    return Ladder(entrants(3))


def exchange_names(honest):
    """The best and the worst change their names."""
    first, second, third = honest.players
    names = [
        msgspec.structs.replace(first, name=third.name), second,
        msgspec.structs.replace(third, name=first.name),
    ]  # fmt: skip
    return Ladder(names)


def put_another_program(honest):
    return Ladder([msgspec.structs.replace(honest.players[0], sha256="ab" * 32), *honest.players[1:]])


def leave_out_a_job(honest):
    return Ladder(honest.players, JOBS[:-1])


def exchange_entrants(honest):
    """The first job was played by two others: they play it anew."""
    return Ladder(honest.players, (ChainJob("1", (2, 1), 2), *JOBS[1:]))


def exchange_seatings(honest):
    return Ladder(honest.players, exchanged=("3",))


FORGERS = (
    exchange_names, put_another_program, leave_out_a_job, exchange_entrants, exchange_seatings,
)  # fmt: skip


def test_an_epoch_agrees_with_all_that_was_told(honest, tmp_path):
    assert honest.write(tmp_path / "ladder.jsonl") == honest.compared()
    report = verify(tmp_path / "ladder.jsonl", seen=honest.told())
    assert report.differences == ()
    assert report.ok
    assert (report.matches, report.sets, report.links) == (3, 5, 3 + 3 + 3 + 1)
    assert report.vouched == report.links


@pytest.mark.sample(3)
@pytest.mark.parametrize("forge", FORGERS)
def test_what_was_changed_goes_with_no_link_from_there_on(honest, tmp_path, forge):
    forger = forge(honest)
    path = tmp_path / "forged.jsonl"
    forger.write(path)
    told = honest.told()
    for hash_ in (told[-3], told[-2], told[-1]):  # of the last result, of the end, compared
        assert verify(path, seen=[hash_]).missed == (hash_,)


@pytest.mark.parametrize("forge", FORGERS)
def test_what_was_changed_does_not_go_with_the_true_chain(honest, tmp_path, forge):
    path = tmp_path / "forged.jsonl"
    forge(honest).write(path, honest.events())
    assert not verify(path, seen=honest.told()).ok


@pytest.mark.parametrize("forge", [exchange_names, put_another_program])
def test_with_version_3_names_and_programs_are_bound_by_nothing(tmp_path, forge):
    """Epochs that began with it end with it."""
    old = Ladder(entrants(3), version=3)
    old.write(tmp_path / "old.jsonl")
    assert verify(tmp_path / "old.jsonl", seen=old.told()).ok
    forger = forge(old)
    renamed = Ladder(forger.players, version=3)
    renamed.write(tmp_path / "forged.jsonl")
    assert verify(tmp_path / "forged.jsonl", seen=old.told()[:-1]).ok
    assert not verify(tmp_path / "forged.jsonl", seen=old.told()).ok


def without(key):
    return lambda events: [event for event in events if event.key != key]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (without("entrant 2 entered"), "link"),
        (without("job 2 asked"), "link"),
        (without("end"), "end"),
        (lambda events: [*events[:-1], *list_askings(entrants(4)[3:], []), events[-1]], "job"),
        (lambda events: [*events[:-1], *list_askings([], [ChainJob("4", (1, 2), 5)]), events[-1]], "job"),
        (lambda events: [*events[:-1], Retaking("1", 1), events[-1]], "values.event"),
        (lambda events: [*events[:-1], End("0" * 64)], "end"),
    ],
)
def test_events_that_cannot_be_are_found_in_the_file_alone(honest, tmp_path, change, field):
    honest.write(tmp_path / "forged.jsonl", change(honest.events()))
    assert field in {one.field for one in verify(tmp_path / "forged.jsonl").differences}


def test_a_block_that_is_booked_a_second_time_is_no_retake(honest, tmp_path):
    """The true booking stays in the chain, so that every link before the end is the one that was told."""
    forged = Ladder(honest.players, exchanged=("1",))
    booked = Booking("1", 2, 0, forged.digest(forged.jobs[0]))
    events = [*honest.events()[:-1], booked, End(forged.compared())]
    path = tmp_path / "forged.jsonl"
    forged.write(path, events)
    report = verify(path, seen=honest.told()[:-2])
    assert [(one.field, one.said) for one in report.differences] == [("take", '"1 2 0"')]
