"""Who may see results before a tournament is over: kept alike by every call that shows any."""

import pytest

from maumau.contest.spec import parse_spec
from maumau.errors import NotReleased, NotYours
from maumau.v1 import tournament_pb2, tournament_pb2_grpc
from tests.tournament.arena import Calls

DATABASES = ["sqlite"]  # no store asks anything about it
READER = "mm_a-page-of-these-tests"
MATCH = "1.1.1"
SHOWN = {
    "GetStandings": {}, "ListMatches": {}, "GetMatch": {"label": MATCH}, "ListTakes": {"label": MATCH},
    "ListFaults": {"label": MATCH}, "ListSets": {"label": MATCH}, "GetSet": {"label": MATCH, "set": 0},
}  # fmt: skip
"""Every call that tells a result, with what it asks."""
DEALS = {"ListSets", "GetSet"}  # while it is played, these are for the authors of its bots besides


@pytest.fixture(scope="module")
def house(start):
    with start(reader_token=READER, sweep=5.0) as arena:
        yield arena


@pytest.fixture(scope="module")
def people(house):
    """Tokens of the organiser, of a player, of one who has withdrawn, of a stranger, of the page."""
    who = {name: house.author()[0] for name in ("player", "gone", "stranger")}
    bots = {name: house.bot("random", client) for name, client in who.items()}
    _, account = house.author()
    token = house.admin.create_token(account, ("organiser",)).token
    return bots, who, {
        "organiser": token, "reader": READER, **{name: client.token for name, client in who.items()},
    }  # fmt: skip


@pytest.fixture(params=["end", "participants", "public"], scope="module")
def cup(house, people, request):
    """A running tournament of one match, one block of which is played: its level, its name."""
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
    """Who may, before the end."""
    return {
        "end": {"organiser"},
        "participants": {"organiser", "player"},
        "public": {"organiser", "player", "gone", "stranger", "reader"},
    }[level]


def calls(house, token):
    return Calls(house.address, token, tournament_pb2, tournament_pb2_grpc.TournamentServiceStub)


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
