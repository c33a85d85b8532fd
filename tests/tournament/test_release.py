"""Visibility of results before a tournament is over: enforced alike by every call that shows any."""

import subprocess
import sys

import pytest

from maumau.client.call import rpc_errors
from maumau.contest.spec.spec import parse_spec
from maumau.errors import MaumauError, NotReleased, NotYours
from maumau.v1 import tournament_pb2, tournament_pb2_grpc
from services.shared.base.auth import Need
from services.tournament.rpc.servicer import NEEDS
from tests.support.arenas.calls import Calls
from tests.support.arenas.tournament import play_all
from tests.support.waiting import until
from tests.tournament.test_nonce import terminal

DATABASES = ["sqlite"]  # no store asks anything about it
READER = "mm_a-page-of-these-tests"
MATCH = "1.1.1"
SHOWN = {
    "GetStandings": {}, "ListMatches": {}, "GetMatch": {"label": MATCH}, "ListTakes": {"label": MATCH},
    "ListFaults": {"label": MATCH}, "ListSets": {"label": MATCH}, "GetSet": {"label": MATCH, "set": 0},
}  # fmt: skip
"""Every call that returns a result, with its parameters."""
DEALS = {"ListSets", "GetSet"}  # while it is played, these are for the authors of its bots besides


@pytest.fixture(scope="module")
def house(start):
    with start(reader_token=READER, sweep=5.0) as arena:
        yield arena


@pytest.fixture(scope="module")
def people(house):
    """Return tokens of the organiser, a player, one who has withdrawn, a stranger, and the page."""
    who = {name: house.author()[0] for name in ("player", "gone", "stranger")}
    bots = {name: house.bot("random", client) for name, client in who.items()}
    _, account = house.author()
    token = house.admin.create_token(account, ("organiser",)).token
    return bots, who, {
        "organiser": token, "reader": READER, **{name: client.token for name, client in who.items()},
    }  # fmt: skip


@pytest.fixture(params=["end", "participants", "public"], scope="module")
def cup(house, people, request):
    """Return a running tournament of one match with one played block: its visibility, its name."""
    bots, who, tokens = people
    organiser = house.admin.with_token(tokens["organiser"])
    name = f"cup-{request.param}"
    text = (
        f'name = "{name}"\nrules = "mau_mau"\nrelease = "{request.param}"\n'
        '[[stage]]\nformat = "round_robin"\n'
        "[match]\nblock = 2\ncap = 4\ndelta = 0.001\n"
    )
    organiser.create(text)
    organiser.open(name)
    for one in ("player", "gone"):
        who[one].enter(name, bots[one])
    who["gone"].withdraw(name, bots["gone"])
    house.enter(name, house.field("first")[0])
    organiser.start(name)
    house.worker.play(house.queued(name)[0].id)
    return request.param, name, tokens


def may_see(level):
    """Return those who may see results before the end."""
    return {
        "end": {"organiser"},
        "participants": {"organiser", "player"},
        "public": {"organiser", "player", "gone", "stranger", "reader"},
    }[level]


def calls(house, token):
    return Calls(house.address, token, tournament_pb2, tournament_pb2_grpc.TournamentServiceStub)


@pytest.mark.sample(35)
@pytest.mark.parametrize("method", SHOWN)
@pytest.mark.parametrize("who", ["organiser", "player", "gone", "stranger", "reader"])
def test_results_are_shown_only_to_those_whom_the_release_level_names(house, cup, method, who) -> None:
    level, name, tokens = cup
    ask = getattr(calls(house, tokens[who]), method)
    if who not in may_see(level):
        with pytest.raises(NotReleased, match=f"results of {name}"):
            ask(tournament=name, **SHOWN[method])
    elif method in DEALS and who != "player":
        with pytest.raises(NotYours):
            ask(tournament=name, **SHOWN[method])
    else:
        assert ask(tournament=name, **SHOWN[method])


@pytest.mark.parametrize("who", ["organiser", "player", "stranger", "reader"])
def test_a_match_is_followed_by_those_for_whom_results_are(house, cup, who) -> None:
    level, name, tokens = cup
    client = house.admin.with_token(tokens[who])
    if who in may_see(level):
        assert next(client.watch_match(name, MATCH)).label == MATCH
    else:
        with pytest.raises(NotReleased):
            next(client.watch_match(name, MATCH))


def test_that_there_is_a_tournament_is_told_to_everybody(house, cup) -> None:
    level, name, tokens = cup
    for token in tokens.values():
        client = house.admin.with_token(token)
        found = client.tournament(name)
        assert (found.state, found.release, len(found.entries)) == ("running", level, 2)
        assert next(client.watch(name)).name == name
    assert name in [one.name for one in house.admin.with_token(tokens["stranger"]).tournaments()]


def test_a_queue_names_no_match_that_is_hidden(house, cup) -> None:
    level, name, tokens = cup
    queue, contest = house.admin.with_token(tokens["player"]).queue(), house.admin.tournament(name)
    found = [one.label for one in queue.matches if one.contest_id == contest.id]
    assert found == ([MATCH] if "player" in may_see(level) else [])


@pytest.mark.long
def test_what_happens_is_not_told_while_it_is_hidden_and_everything_is_at_the_end(house, people) -> None:
    bots, who, tokens = people
    name = "cup-to-its-end"
    house.create(name=name, top='release = "end"', block=2, cap=4)
    house.admin.open(name)
    who["player"].enter(name, bots["player"])
    house.enter(name, house.field("first")[0])
    house.admin.start(name)
    stranger = house.admin.with_token(tokens["stranger"])
    watch = stranger.watch(name)
    assert next(watch).state == "running"
    house.finish(name)
    told = list(watch)
    assert told[-1].state == "finished"
    assert {type(part).__name__ for part in told} == {"Tournament"}
    for method, asked in SHOWN.items():
        assert getattr(calls(house, tokens["stranger"]), method)(tournament=name, **asked)
    assert b'"release"' not in b"".join(stranger.export(name)).splitlines()[0]


def test_a_release_level_changes_nothing_that_the_root_binds() -> None:
    text = 'name = "cup"\nrules = "mau_mau"\n{}[[stage]]\nformat = "round_robin"\n'
    hidden, public = parse_spec(text.format('release = "end"\n')), parse_spec(text.format(""))
    assert hidden.shown == public.shown
    assert (hidden.release, public.release) == ("end", "public")
    assert parse_spec(hidden.to_toml()) == hidden


@pytest.mark.long
def test_whoever_withdraws_is_told_no_more_results_by_a_stream_that_is_open(house) -> None:
    player, other = (house.author()[0] for _ in range(2))
    bots = [house.bot("random", client) for client in (player, other)]
    name = "left-open"
    house.admin.create(
        f'name = "{name}"\nrules = "mau_mau"\nrelease = "participants"\n[[stage]]\nformat = "round_robin"\n'
        "[match]\nblock = 2\ncap = 4\ndelta = 0.001\n"
    )
    house.admin.open(name)
    for client, bot in zip((player, other), bots, strict=True):
        client.enter(name, bot)
    house.enter(name, house.field("first")[0])
    house.admin.start(name)
    follow = player.watch(name), player.watch_match(name, MATCH)
    for news in follow:
        next(news)
    player.withdraw(name, bots[0])
    for news in follow:
        with pytest.raises(NotReleased, match=f"results of {name}"):
            for _ in news:
                pass


@pytest.mark.long
def test_a_terminal_shows_who_takes_part_where_results_are_hidden(house, people, tmp_path) -> None:
    bots, who, tokens = people
    name = "hidden-in-a-terminal"
    house.create(name=name, top='release = "end"', block=2, cap=4)
    house.admin.open(name)
    who["player"].enter(name, bots["player"])
    house.enter(name, house.field("first")[0])
    player = terminal(house, tmp_path / "player", tokens["player"])
    before = player.run("tournament", "show", name).out
    assert bots["player"] in before
    house.admin.start(name)
    shown = player.run("tournament", "show", name).out
    assert f"{name}: mau_mau, running" in shown
    assert f"The results of {name} are visible only to its organiser until it is decided." in shown
    assert bots["player"] in shown
    assert "1.1.1" not in shown
    assert player.run("tournament", "show", name, "--json").json()["hidden"]
    house.admin.cancel(name)


@pytest.mark.long
def test_who_watches_what_is_hidden_is_told_so_and_hears_of_its_states(house, people, tmp_path) -> None:
    bots, who, tokens = people
    name = "hidden-and-watched"
    house.create(name=name, top='release = "end"', block=2, cap=4)
    house.admin.open(name)
    who["player"].enter(name, bots["player"])
    house.enter(name, house.field("first")[0])
    player, found = terminal(house, tmp_path / "player", tokens["player"]), []
    before = player.run("tournament", "show", name).out
    assert "table so far" not in before
    assert "needs more deals" not in before
    house.admin.start(name)
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "maumau.cli", "tournament", "watch", name],
        env=player.variables, cwd=player.home, stdout=subprocess.PIPE, text=True,
    ) as watching:  # fmt: skip
        for line in watching.stdout:
            found.append(line)
            if "running, 2 entries" in line:
                house.admin.cancel(name)
    told = " ".join("".join(found).split())
    assert f"The results of {name} are visible only to its organiser until it is decided." in told
    assert "until then you are told its state" in told
    assert f"{name}: mau_mau, cancelled" in told
    assert watching.returncode == 0


@pytest.mark.long
def test_results_are_there_for_everybody_while_they_may_be_protested(house, people) -> None:
    """Nobody can protest against what nobody sees; the deals are published with the secret, at the end."""
    _, _, tokens = people
    name = "to-be-protested"
    house.create(name=name, top='release = "end"\n[schedule]\nprotest_minutes = 10', block=2, cap=2)
    house.admin.open(name)
    for bot in house.field("first", "random"):
        house.enter(name, bot)
    house.admin.start(name)
    stranger = house.admin.with_token(tokens["stranger"])
    with pytest.raises(NotReleased):
        stranger.standings(name)
    play_all(house, name)
    assert stranger.tournament(name).state == "decided"
    assert len(stranger.standings(name).standings) == 2
    assert stranger.matches(name)[0].state == "decided"
    assert stranger.tournament(name).secret == ""
    with pytest.raises(NotYours):
        stranger.sets(name, MATCH)
    house.admin.confirm(name)


CALLS = {
    **{method: {"tournament": "hidden", **asked} for method, asked in SHOWN.items()},
    **{
        method: {"tournament": "hidden"}
        for method in ("GetTournament", "GetBracket", "ExportTournament", "WatchTournament")
    },
    "WatchMatch": {"tournament": "hidden", "label": MATCH}, "ListTournaments": {}, "GetQueue": {},
    "GetFault": {"fault_id": "fault_00000000000000000000000000"},
}  # fmt: skip
"""Parameters of all calls that anybody may make, for a cup of this name."""


def test_every_call_that_anybody_may_make_is_compared() -> None:
    assert set(CALLS) == {method for method, need in NEEDS.items() if need is Need.ANY}


def tell(house, token, method):
    """Return the bytes of an answer, of a stream its first message; of a refusal its words."""
    try:
        said = getattr(calls(house, token), method)(**CALLS[method])
        if not hasattr(said, "SerializeToString"):
            with rpc_errors():
                said = next(iter(said))
    except MaumauError as error:
        return repr(error)
    return said.SerializeToString(deterministic=True)


@pytest.mark.long
def test_nothing_that_a_stranger_is_told_changes_while_a_hidden_cup_is_played(start) -> None:
    """Neither counts nor sizes, byes nor places in the queue: each answer is the same, byte by byte."""
    with start(reader_token=READER, sweep=5.0, audit=1.0) as arena:
        arena.begin("first", "random", name="shown")  # another one, whose place in the queue is seen
        policies = "first", "random", "first", "random", "first"
        arena.begin(*policies, name="hidden", top='release = "end"', format="single_elimination", cap=10)
        arena.worker.ReportTest(worker=arena.worker.name)  # the arena has a worker, as it is told
        who = {"stranger": arena.author()[0].token, "reader": READER}
        arena.queued("hidden")
        told = [{(one, method): tell(arena, who[one], method) for one in who for method in CALLS}]
        watch = arena.admin.with_token(READER).watch("hidden")
        next(watch)
        while arena.admin.tournament("hidden").matches_decided < 3:
            for block in arena.queued("hidden"):
                arena.worker.play(block.id)
            until(lambda: arena.is_waiting("hidden"))
        told.append({(one, method): tell(arena, who[one], method) for one in who for method in CALLS})
        assert told[0] == told[1]
        queue = arena.admin.with_token(READER).queue().entries
        assert [(one.name, one.place) for one in queue] == [("shown", 1)]
        arena.finish("hidden")
        assert [part.state for part in watch] == ["finished"]
        assert arena.admin.with_token(READER).tournament("hidden").matches_decided == 4
