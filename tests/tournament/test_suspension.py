"""Faults in three matches in a row: suspended, its author told, and active again once validated."""

import uuid

import pytest

from maumau import wire
from maumau.errors import ArenaUnreachable, NotActive
from services.shared.store.connect import Database
from services.tournament.organising.suspension import report_suspensions
from services.tournament.store.outcomes.form import Forms
from tests.support.arenas.play import play_order, play_set
from tests.support.kinds import one_of
from tests.support.waiting import until


@pytest.fixture(scope="module")
def quick(start):
    """Yield an arena whose services look often."""
    with start() as arena:
        yield arena


def cup(arena, *bots, sound=False, top=""):
    """Return a round robin of these bots, played to its end; its name. sound: nobody makes a fault."""
    name = arena.create(block=5, cap=5, top=top)
    arena.admin.open(name)
    for bot in bots:
        arena.enter(name, bot)
    arena.admin.start(name)
    while isinstance(blocks := arena.queued(name), list):
        for block in blocks:
            order = arena.worker.claim(block.id)
            if order:
                arena.worker.report(order, soundly(order) if sound else play_order(order))
    return name


def soundly(order):
    """Return the sets of an order as two programs without fault play them."""
    numbers = enumerate(order.seeds, order.first_set)
    options = order.rules.options_json
    return [
        wire.set_message(play_set("mau_mau", ("first", "first"), n, seed, options)) for n, seed in numbers
    ]


def new(arena, policy, **more):
    return arena.bot(policy, name=f"{policy}-{uuid.uuid4().hex[:8]}", **more)


def suspended(arena, bot):
    return until(lambda: (version := arena.version(bot)).state == "suspended" and version)


@pytest.mark.long
def test_faults_in_three_matches_in_a_row_suspend_a_bot_and_its_author_is_told(quick):
    author, _ = quick.author()
    crash = new(quick, "crash", client=author)
    others = [new(quick, "first") for _ in range(3)]
    name = cup(quick, crash, *others)
    reason = suspended(quick, crash).reason
    assert reason.startswith("faults in 3 matches in a row, last in 1.")
    assert reason.endswith(f"of {name}: crash")
    mine = next(bot for bot in author.bots(mine=True) if bot.name == crash)
    assert (mine.versions[0].state, mine.versions[0].reason) == ("suspended", reason)
    assert quick.admin.tournament(name).state == "finished"  # whose results hang on its entries alone
    assert {quick.version(other).state for other in others} == {"active"}


@pytest.mark.long
@pytest.mark.parametrize(
    "top", ['visibility = "unlisted"', 'visibility = "group"\ngroup = "class-of-faults"']
)
def test_a_reason_that_everybody_reads_names_no_contest_that_no_list_names(quick, top):
    crash = new(quick, "crash")
    others = [new(quick, "first") for _ in range(3)]
    quick.admin.set_member("class-of-faults", quick.author()[1])
    cup(quick, crash, *others, top=top)
    assert suspended(quick, crash).reason == "faults in 3 matches in a row"


@pytest.mark.long
@pytest.mark.parametrize("level", one_of(2, ["end", "participants"]))
def test_a_reason_that_everybody_reads_names_no_match_whose_results_are_hidden(quick, level):
    """Later followers of the contest find the match among its events."""
    crash = new(quick, "crash")
    others = [new(quick, "first") for _ in range(3)]
    name = cup(quick, crash, *others, top=f'release = "{level}"')
    assert suspended(quick, crash).reason == "faults in 3 matches in a row"
    told = [part for part in quick.admin.watch(name) if getattr(part, "kind", "") == "fault"]
    assert any(f"of {name}: crash" in event.words for event in told)


@pytest.mark.long
def test_a_suspended_bot_enters_nothing_until_it_has_been_validated_again(quick):
    crash = new(quick, "crash")
    cup(quick, crash, *(new(quick, "first") for _ in range(3)))
    suspended(quick, crash)
    name = quick.create()
    quick.admin.open(name)
    with pytest.raises(NotActive, match="is suspended"):
        quick.admin.enter(name, crash)
    quick.pass_validation(quick.version(crash).id, ["mau_mau"])
    assert quick.version(crash).state == "active"
    quick.admin.enter(name, crash)


@pytest.mark.long
def test_a_match_without_a_fault_begins_the_count_anew(quick):
    crash = new(quick, "crash")
    for sound in (False, False, True, False, False):
        cup(quick, crash, new(quick, "first"), sound=sound)
        assert quick.version(crash).state == "active"
    cup(quick, crash, new(quick, "first"))
    suspended(quick, crash)


@pytest.mark.long
def test_a_registry_that_does_not_answer_is_told_later(start):
    with start(sweep=60.0) as arena:  # its own loop looks too late
        crash = new(arena, "crash")
        for _ in range(3):
            cup(arena, crash, new(arena, "first"))
        database = Database(arena.settings.database("tournament"), "tournament")
        forms, calls = Forms(database), []

        async def tell(*words):
            calls.append(words)
            if len(calls) == 1:
                raise ArenaUnreachable

        for _ in range(3):
            arena.loop.run(report_suspensions(forms, tell))
        database.close()
    version, words = calls[0]
    assert calls == [(version, words)] * 2  # refused, told, and then there was nothing to tell
