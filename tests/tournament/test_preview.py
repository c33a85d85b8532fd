"""A preview says what a change would come to, exactly, and changes nothing."""

import pytest
from sqlalchemy import select

from maumau.errors import AlreadyEntered, BadSpec, MissingReason, NotYours, TooFewEntrants, WrongState
from maumau.v1 import tournament_pb2 as pb
from services.tournament.models import TournamentTable
from services.tournament.store.outcomes.take import WALKOVERS
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, CUP, DEFAULTS, FINAL, SEMI, SPEC, play_until
from tests.support.terminal import Terminal
from tests.support.waiting import until

OWN_TIME = ("beat", "leader", "outbox", "form")  # they change by themselves: suspensions are published
SECRET = "a-secret-that-only-the-end-reveals"
ROBIN = {"block": 5, "cap": 10, "top": f'secret = "{SECRET}"'}


def dump(arena):
    """Return every row of every table of the service."""
    tables = [table for table in TournamentTable.metadata.sorted_tables if table.name not in OWN_TIME]
    with arena.database.read() as session:
        return {table.name: sorted(map(repr, session.execute(select(table)))) for table in tables}


@pytest.fixture
def preview(arena):
    """Asks for a preview, and sees that nothing has changed by it."""

    def ask(change, **asked):
        arena.worker.Sweep()  # so that no earlier change has pending effects
        arena.worker.Advance(tournament_id=arena.admin.tournament(asked["tournament"]).id)
        before = dump(arena)
        found = arena.admin.preview(change, **asked)
        assert dump(arena) == before
        return found

    return ask


def matches(arena, name):
    return {match.label: match for match in arena.admin.matches(name)}


def seen(arena, name, change):
    """Return the effects of a change, from the matches before and after it."""
    before = matches(arena, name)
    change()
    arena.tournament(ADMIN).Advance(tournament_id=arena.admin.tournament(name).id)
    after = matches(arena, name)
    fresh = {label for label, one in after.items() if label not in before or before[label].id != one.id}
    walkovers = {
        label for label, one in after.items()
        if one.rule in WALKOVERS and (label in fresh or before[label].rule != one.rule)
    }  # fmt: skip
    return {
        "begun": tuple(sorted(fresh - before.keys() - walkovers)),
        "again": tuple(sorted((fresh & before.keys()) - walkovers)),
        "withdrawn": tuple(sorted(before.keys() - after.keys())),
        "walkovers": tuple(sorted(walkovers)),
        "state": arena.admin.tournament(name).state,
    }


def said(found, keys):
    return {key: getattr(found, key) for key in keys}


def opened(arena, *policies, **spec):
    name = arena.create(**spec)
    arena.admin.open(name)
    for bot in arena.field(*policies):
        arena.enter(name, bot)
    return name


@pytest.mark.long
def test_the_preview_of_a_start_has_all_matches_to_the_final(arena, preview):
    """Two semi-finals, the final, a match for third place; each of at most two blocks of five sets."""
    name = opened(arena, "first", "random", "crash", "first", **CUP)
    found = preview("Start", tournament=name)
    assert said(found.left, ("matches", "blocks", "sets")) == {"matches": 4, "blocks": 8, "sets": 40}
    assert found.left == found.left_now
    assert found.begun == ("1.1.1", "1.1.2")
    come = seen(arena, name, lambda: arena.admin.start(name))
    assert come == said(found, come)
    arena.finish(name)
    assert len(matches(arena, name)) == found.left.matches


@pytest.mark.long
def test_the_preview_of_a_retake_says_what_starts_again_and_what_is_lost(arena, preview):
    name = arena.begin("first", "random", "crash", "first", **CUP)
    play_until(arena, name, FINAL)
    arena.worker.play(arena.admin.match(name, FINAL).blocks[0].id)
    arena.tournament(ADMIN).Advance(tournament_id=arena.admin.tournament(name).id)
    now = matches(arena, name)
    asked = {"tournament": name, "label": SEMI, "reason": "a test"}
    found = preview("RetakeMatch", **asked)
    assert (found.again, found.withdrawn) == ((SEMI,), (FINAL, "1.2.2"))
    assert found.results_lost == tuple(label for label in (SEMI, FINAL) if now[label].state == "decided")
    assert found.sets_lost == sum(now[label].sets for label in (SEMI, FINAL, "1.2.2"))
    # the semi-final, the final and the match for third place anew, replacing the rest of the last two
    assert found.left.sets == 30
    assert found.left_now.sets < 30
    answer = arena.tournament(ADMIN).RetakeMatch(**asked, preview=True)
    assert (answer.match.id, answer.match.take) == (now[SEMI].id, 1)
    assert tuple(answer.withdrawn) == found.withdrawn
    with refused(MissingReason):
        arena.admin.preview("RetakeMatch", tournament=name, label=SEMI)
    come = seen(arena, name, lambda: arena.admin.retake(name, SEMI, "a test"))
    assert come == said(found, come)
    arena.admin.cancel(name)


@pytest.mark.long
def test_the_preview_of_a_withdrawal_during_play_says_which_matches_are_lost(arena, preview):
    """Of three, the second loses its match that is not decided; the one that is stays."""
    name = arena.begin("first", "random", "crash", **ROBIN)
    gone = arena.field("random")[0]
    decided = next(
        one.label for one in arena.admin.matches(name) if gone in {one.first_name, one.second_name}
    )
    while matches(arena, name)[decided].state != "decided":
        for block in arena.admin.match(name, decided).blocks:
            if block.state == "queued":
                arena.worker.play(block.id)
        arena.tournament(ADMIN).Advance(tournament_id=arena.admin.tournament(name).id)
    found = preview("Withdraw", tournament=name, bot_name=gone)
    assert len(found.walkovers) == 1
    assert decided not in found.walkovers
    assert [(one.bot_name, one.withdrawn) for one in found.entries] == [(gone, True)]
    assert (found.left_now.matches, found.left.matches, found.sets_lost) == (2, 1, 0)
    come = seen(arena, name, lambda: arena.admin.withdraw(name, gone))
    assert come == said(found, come)
    arena.admin.cancel(name)


@pytest.mark.long
def test_the_preview_of_a_withdrawal_before_the_start_says_who_moves_up(arena, preview):
    name = opened(arena, "first", "random", "crash", **ROBIN)
    first, second, third = arena.field("first", "random", "crash")
    found = preview("Withdraw", tournament=name, bot_name=second)
    assert [one.bot_name for one in found.entries_gone] == [second]
    assert [(one.bot_name, one.number) for one in found.entries] == [(third, 2)]
    assert (found.left_now.matches, found.left.matches) == (3, 1)  # of three bots, and of two
    arena.admin.withdraw(name, second)
    entries = [(one.bot_name, one.number) for one in arena.admin.tournament(name).entries]
    assert entries == [(first, 1), (third, 2)]
    arena.admin.withdraw(name, third)
    with refused(TooFewEntrants):
        arena.admin.preview("Start", tournament=name)


@pytest.mark.long
def test_the_preview_of_a_newer_version_shows_the_entry_as_it_would_be(arena, preview):
    name, bot = arena.create(), arena.bot("first")
    arena.admin.open(name)
    old = arena.admin.enter(name, bot)
    with refused(AlreadyEntered):
        arena.admin.preview("Enter", tournament=name, bot_name=bot)
    newer = arena.admin.submit(bot, arena.program(f"newer-{bot}")).version
    arena.pass_validation(newer.id, ["mau_mau"])
    arena.admin.activate(newer.id)
    (entry,) = preview("Enter", tournament=name, bot_name=bot).entries
    assert (entry.number, entry.version_id, entry.sha256) == (1, newer.id, newer.sha256)
    assert arena.admin.tournament(name).entries == (old,)
    entered = arena.admin.enter(name, bot)
    assert (entered.number, entered.version_id) == (entry.number, entry.version_id)


@pytest.mark.long
def test_the_preview_of_another_spec_names_the_keys_that_change(arena, preview):
    name = arena.create()
    spec = SPEC.format(**DEFAULTS | {"name": name, "cap": 40, "top": "[entries]\nmost = 8"})
    found = preview("EditTournament", tournament=name, spec_toml=spec)
    changes = [(one.key, one.before, one.after) for one in found.spec]
    assert changes == [("entries.most", "64", "8"), ("match.cap", "20", "40")]
    with refused(BadSpec, "rulez"):
        preview("EditTournament", tournament=name, spec_toml=spec.replace("rules", "rulez"))
    assert "cap = 40" in arena.admin.edit(name, spec).spec_toml
    assert preview("EditTournament", tournament=name, spec_toml=spec).spec == ()


@pytest.mark.long
def test_the_preview_of_a_cancellation_shows_no_secret(arena, preview):
    name = arena.begin("first", "random", **ROBIN)
    found = preview("Cancel", tournament=name)
    assert (found.state, found.stopped, found.left.sets) == ("cancelled", ("1.1.1",), 0)
    assert found.left_now.sets == 10
    answer = arena.tournament(ADMIN).Cancel(tournament=name, preview=True)
    assert (answer.tournament.state, answer.tournament.secret) == (pb.TOURNAMENT_STATE_RUNNING, "")
    assert SECRET not in str(answer)
    arena.admin.cancel(name)
    assert matches(arena, name)["1.1.1"].state == "playing"
    with refused(WrongState, "is cancelled"):
        arena.admin.preview("Cancel", tournament=name)


@pytest.mark.long
def test_a_preview_is_for_whom_the_change_is(arena):
    stranger, _ = arena.author()
    bot = arena.bot("first")
    name = arena.create()
    arena.admin.open(name)
    with refused(NotYours):
        stranger.preview("Enter", tournament=name, bot_name=bot)
    arena.admin.enter(name, bot)
    with refused(NotYours):
        stranger.preview("Withdraw", tournament=name, bot_name=bot)


@pytest.mark.long
def test_a_preview_tells_nobody_results_that_are_not_released(arena):
    (author, _), name = arena.author(), arena.create(**{**ROBIN, "top": 'release = "end"'})
    bot = arena.bot("first", author)
    arena.admin.open(name)
    author.enter(name, bot)
    arena.enter(name, arena.field("random")[0])
    arena.admin.start(name)
    own = author.preview("Withdraw", tournament=name, bot_name=bot)
    assert [one.withdrawn for one in own.entries] == [True]
    assert (own.walkovers, own.left.sets, own.left_now.sets) == ((), 0, 0)
    assert arena.admin.preview("Withdraw", tournament=name, bot_name=bot).walkovers == ("1.1.1",)
    arena.admin.cancel(name)


@pytest.mark.long
def test_a_preview_estimates_hours_by_what_workers_measured(arena, preview):
    """Five sets took 7.2 s, which is 1,440 ms a set; the five that are left come to 0.002 hours."""
    options = "[options]\nmax_decisions = 999"
    name = arena.begin("first", "random", block=5, cap=10, top=options)
    assert preview("Cancel", tournament=name).left_now.core_hours == 0
    order = arena.worker.claim(arena.queued(name)[0].id)
    arena.worker.report(order, measured=pb.Measured(worker="test", sandbox="none", wall_ms=7200))
    until(lambda: matches(arena, name)["1.1.1"].sets == 5)
    left = preview("Cancel", tournament=name).left_now
    assert (left.sets, left.core_hours) == (5, 0.002)
    arena.admin.cancel(name)


@pytest.mark.long
def test_commands_show_a_preview_and_change_nothing(arena, tmp_path):
    name = opened(arena, "first", "random", "crash", "first", **CUP)
    port = arena.address.rpartition(":")[2]
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port}")
    out = terminal.run("tournament", "start", name, "--preview").out
    assert f"no change is made; {name} is open, and this would change:" in out
    assert "2 matches would begin: 1.1.1, 1.1.2" in out
    assert "left to play after that: 4 matches, at most 8 blocks with 40 sets" in out
    found = terminal.run(
        "tournament", "withdraw", name, arena.field("crash")[0], "--preview", "--json"
    ).json()
    assert [one["bot_name"] for one in found["entries_gone"]] == arena.field("crash")
    assert "would be cancelled" in terminal.run("tournament", "cancel", name, "--preview").out
    terminal.run("tournament", "enter", name, arena.field("first")[0], "--preview", code=1)
    assert arena.admin.tournament(name).state == "open"
    arena.admin.start(name)
    why = terminal.run("match", "retake", name, SEMI, "--reason", "a test", "--preview", code=1).err
    assert "it is being played" in why
    assert "no change is made" in terminal.run("tournament", "cancel", name, "--preview").out
    terminal.run("tournament", "edit", name, str(tmp_path / "none.toml"), "--preview", code=1)
    arena.admin.cancel(name)
