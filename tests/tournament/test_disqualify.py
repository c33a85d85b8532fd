"""A bot that is disqualified loses all its matches; what hung on them is played again."""

import msgspec
import pytest

from maumau.contest.export.verify import verify
from maumau.errors import MissingReason, NotAllowed, NotEntered, WrongState
from services.tournament.store.contests.schedule import HUNG_ON_GONE
from services.tournament.store.outcomes.take import WALKOVERS
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, CUP, FINAL, play_all
from tests.support.terminal import Terminal
from tests.tournament.test_preview import ROBIN, matches, said, seen
from tests.tournament.test_protest import PROTEST
from tests.tournament.test_watch import Watch

REASON = "it is the program of another entrant"
WHY = WALKOVERS["disqualified"]


def check_export(arena, name, gone, folder):
    """Verify the export, which must have a reason for this entrant alone."""
    (folder / "cup.jsonl").write_bytes(arena.export(name))
    assert verify(folder / "cup.jsonl").differences == ()
    lines = [msgspec.json.decode(line) for line in (folder / "cup.jsonl").read_bytes().splitlines()]
    said = {one["name"]: one["disqualified"] for one in lines if "disqualified" in one}
    assert said == {gone: REASON}


@pytest.mark.long
def test_who_won_the_final_is_disqualified_and_whom_it_beat_first_plays_it(arena, tmp_path):
    """Its semi-final and its match for third place are walkovers, the other semi-final stands."""
    name = arena.begin("first", "random", "crash", "first", **PROTEST)
    watch = Watch(arena, name)
    play_all(arena, name)
    before = matches(arena, name)
    number = before[FINAL].winner
    gone = arena.admin.tournament(name).entries[number - 1].bot_name
    semi = next(one for one in ("1.1.1", "1.1.2") if number in {before[one].first, before[one].second})
    beaten = ({before[semi].first, before[semi].second} - {number}).pop()
    found = arena.admin.preview("Disqualify", tournament=name, bot_name=gone, reason=REASON)
    assert (found.state, found.again, found.walkovers) == ("running", (FINAL,), (semi, "1.2.2"))
    assert found.results_lost == (semi, FINAL, "1.2.2")
    assert found.sets_lost == sum(before[label].sets for label in found.results_lost)
    assert [(one.bot_name, one.disqualified) for one in found.entries] == [(gone, REASON)]
    assert matches(arena, name) == before
    come = seen(arena, name, lambda: arena.admin.disqualify(name, gone, REASON))
    assert come == said(found, come)
    now = matches(arena, name)
    assert (now[semi].rule, now[semi].winner, now[semi].sets, now[semi].reason) == (
        "disqualified",
        beaten,
        0,
        WHY,
    )
    assert (now[FINAL].take, now[FINAL].reason) == (2, HUNG_ON_GONE)
    assert beaten in {now[FINAL].first, now[FINAL].second}
    assert {"1.1.1", "1.1.2"} - {semi} == {label for label, one in now.items() if before[label] == one}
    with refused(WrongState, WHY):
        arena.admin.retake(name, semi, "a test")
    play_all(arena, name)
    arena.admin.confirm(name)
    assert watch.saw_the_end()
    parts = [one.bot_disqualified for one in watch.events if one.bot_disqualified]
    assert [(one.entrant, one.bot_name, one.reason) for one in parts] == [(number, gone, REASON)]
    assert arena.admin.standings(name).standings[-1].bot_name == gone
    check_export(arena, name, gone, tmp_path)
    with refused(WrongState, "is finished"):
        arena.admin.disqualify(name, gone, REASON)


@pytest.mark.long
def test_in_a_round_robin_nothing_counts_that_it_played(arena, tmp_path):
    """Of three, the match that it has won or lost and the one that is open are both lost."""
    name, gone = arena.begin("first", "random", "crash", **ROBIN), arena.field("random")[0]
    label = next(one.label for one in arena.admin.matches(name) if gone in {one.first_name, one.second_name})
    while matches(arena, name)[label].state != "decided":
        for block in arena.admin.match(name, label).blocks:
            if block.state == "queued":
                arena.worker.play(block.id)
        arena.tournament(ADMIN).Advance(tournament_id=arena.admin.tournament(name).id)
    asked = {"tournament": name, "bot_name": gone, "reason": REASON}
    found, sets = arena.admin.preview("Disqualify", **asked), matches(arena, name)[label].sets
    assert (len(found.walkovers), found.results_lost, found.sets_lost) == (2, (label,), sets)
    assert (found.again, found.left.matches) == ((), 1)

    def disqualify():
        port = arena.address.rpartition(":")[2]
        terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port}")
        run = ("tournament", "disqualify", name, gone, "--reason", REASON)
        assert "would be disqualified, as entrant 2" in terminal.run(*run, "--preview").out
        assert terminal.run(*run, "--json").json()["disqualified"] == REASON

    come = seen(arena, name, disqualify)
    assert come == said(found, come)
    with refused(WrongState, "already"):
        arena.admin.disqualify(name, gone, REASON)
    arena.finish(name)
    last = arena.admin.standings(name).standings[-1]
    assert (last.bot_name, last.sets, last.lost) == (gone, 0, 2)
    check_export(arena, name, gone, tmp_path)


@pytest.mark.long
def test_only_who_organises_it_disqualifies_and_says_why(arena):
    name, gone = arena.begin("first", "random", **ROBIN), arena.field("random")[0]
    author, _ = arena.author()
    with refused(NotAllowed):
        author.disqualify(name, gone, REASON)
    with refused(MissingReason):
        arena.admin.disqualify(name, gone, " ")
    with refused(NotEntered):
        arena.admin.disqualify(name, "nobody", REASON)
    found = arena.admin.preview("Disqualify", tournament=name, bot_name=gone, reason=REASON)
    assert (found.state, found.walkovers) == ("finished", ("1.1.1",))
    assert not arena.admin.tournament(name).entries[1].disqualified
    arena.admin.cancel(name)
    waiting = arena.create(**CUP)
    with refused(WrongState, "is created"):
        arena.admin.disqualify(waiting, gone, REASON)
