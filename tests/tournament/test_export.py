"""The export follows from the secret and the programs alone: not from who played what, when or how often."""

import random

import pytest
from sqlalchemy import create_engine, text

from maumau.contest.export.verify import verify
from maumau.errors import WrongState
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import CUP, FINAL, SEMI, play_until
from tests.tournament.test_watch import Watch

DATABASES = ["sqlite"]  # nothing here depends on the kind


def compared(export):
    """Return the bytes that two runs with one secret share, except the line of the spec."""
    _, *lines = export.splitlines(keepends=True)
    end = next(i for i, line in enumerate(lines) if b"measured" in line[:20])
    assert b"record" in b"".join(line[:20] for line in lines[:end])
    return b"".join(lines[:end])


FIELD = ("first", "random", "crash", "first")


@pytest.fixture(scope="module")
def undisturbed(arena):
    """Return the compared bytes of a cup whose blocks were all played in order."""
    arena.finish(name := arena.begin(*FIELD, **CUP))
    return compared(arena.export(name))


@pytest.mark.long
def test_results_in_any_order_give_the_same_export(arena, undisturbed):
    name, shuffle = arena.begin(*FIELD, **CUP), random.Random(1)
    arena.finish(name, lambda blocks: shuffle.sample(blocks, len(blocks)))
    assert compared(arena.export(name)) == undisturbed


@pytest.mark.long
@pytest.mark.parametrize("ahead", [1, 7])
def test_how_far_is_played_ahead_changes_no_result(start, undisturbed, ahead):
    with start(look_ahead=ahead) as other:
        other.finish(name := other.begin(*FIELD, **CUP))
        assert compared(other.export(name)) == undisturbed


@pytest.mark.long
def test_what_was_told_while_it_was_played_is_in_the_export(arena, undisturbed, tmp_path):
    """Every block has its link when it is booked, the end its hash; both are what verify takes.

    A retake changes nothing of what is compared.
    """
    name = arena.begin(*FIELD, **CUP)
    watch = Watch(arena, name)
    play_until(arena, name, FINAL)
    arena.admin.retake(name, SEMI, "a test")
    halfway = arena.admin.tournament(name).chain
    arena.finish(name)
    assert watch.saw_the_end()
    told = [event.chain for event in watch.events if event.chain]
    assert [int(link.split(" ")[0]) for link in told] == list(range(1, len(told) + 1))
    assert halfway in told
    kinds = {event.kind for event in watch.events if event.chain}
    assert kinds == {"block_done", "match_decided", "alert", "state"}
    over = arena.admin.tournament(name)
    assert over.chain == told[-1]
    [end] = [event for event in watch.events if event.compared]
    assert (over.compared, over.chain) == (end.compared, end.chain)
    path = tmp_path / "cup.export.jsonl"
    path.write_bytes(whole := arena.export(name))
    assert compared(whole) == undisturbed
    seen = [link.split(" ")[1] for link in told]
    report = verify(path, seen=[*seen, end.compared])
    assert report.differences == ()
    assert report.missed == ()
    assert (report.links, report.vouched) == (len(told), len(told))
    assert list(report.retaken) == [SEMI, FINAL] or SEMI in report.retaken
    assert whole.count(b'"event":"%s 1 retaken"' % SEMI.encode()) == 1


@pytest.mark.long
def test_a_tournament_that_an_earlier_version_began_ends_and_its_export_is_refused_in_words(start):
    """Its root binds no names: nothing that is written now could be verified."""
    with start() as arena:
        name = arena.begin("first", "crash")
        store = create_engine(arena.settings.database("tournament"))
        with store.begin() as rows:
            rows.execute(text("UPDATE tournament SET root = :root"), {"root": "0" * 64})
        store.dispose()
        arena.finish(name)
        assert arena.admin.tournament(name).compared == ""
        with refused(WrongState, "was started by an earlier version of the arena"):
            arena.export(name)


@pytest.mark.long
def test_what_was_built_of_an_entrant_is_named_in_the_measured_section(arena, tmp_path):
    """A compiler's output does not follow from the secret and the submission."""
    name, (bot, sha256) = arena.create(block=2, cap=2), arena.built("first")
    arena.admin.open(name)
    assert arena.admin.enter(name, bot).built_sha256 == sha256
    arena.enter(name, *arena.field("random"))
    arena.admin.start(name)
    [block] = arena.queued(name)
    order = arena.worker.claim(block.id)
    told = [(each.built_sha256, each.built_platform) for each in order.entrants]
    assert told == [(sha256, "pdp-11"), ("", "")]
    arena.worker.report(order)
    assert arena.queued(name) is True
    whole = arena.export(name)
    line = (
        f'{{"kind":"measured","of":"entry 1","values":{{"built_sha256":"{sha256}","built_platform":"pdp-11"}}'
    )
    assert whole.count(line.encode()) == 1
    assert b'"of":"entry 2"' not in whole
    (tmp_path / "cup.jsonl").write_bytes(whole)
    assert verify(tmp_path / "cup.jsonl").differing == 0
