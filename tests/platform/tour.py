"""A tour of an arena: what is played, shown, asked and changed there, once each."""

from __future__ import annotations

from contextlib import closing

import pytest
from prometheus_client import generate_latest

from maumau.action import newest
from maumau.arena_status import SERVICES as SERVED
from maumau.client import Arena as Client
from maumau.errors import MaumauError, NotActive, UnknownAccount, UnknownBot, UnknownVersion, WrongState
from maumau.status import read_arena_status
from services.matchmaking.store.history import History
from services.shared.connect import Database
from tests.matchmaking.conftest import Matchmaker
from tests.tournament.arena import ADMIN, CUP, WORKER, Arena


def use_everything(arena: Matchmaker) -> None:
    """A cup, a ladder and a practice with all that is shown of them, and what authors and admins ask."""
    cup = Arena.begin(arena, "first", "random", "crash", "random", **CUP)
    arena.finish(cup)
    calls = arena.tournament(ADMIN)
    for name in (cup, calls.GetTournament(tournament=cup).tournament.id):
        calls.GetTournament(tournament=name)
    calls.ListTournaments(page_size=20)
    calls.GetStandings(tournament=cup)
    calls.GetBracket(tournament=cup)
    labels = [match.label for match in arena.admin.matches(cup)]
    faults = [one for label in labels for one in calls.ListFaults(tournament=cup, label=label).faults]
    calls.GetFault(fault_id=faults[0].id)
    for label in labels[:1]:
        calls.ListTakes(tournament=cup, label=label)
        calls.ListSets(tournament=cup, label=label)
        next(calls.WatchMatch(tournament=cup, label=label))
    calls.GetQueue()
    calls.ListWorkers()
    assert read_arena_status(dict.fromkeys(SERVED, arena.address), ADMIN).states
    assert arena.export(cup)
    use_registry(arena)
    calls.ReleaseBlocks(workers=["nobody"])
    use_matchmaking(arena)
    assert generate_latest(arena.server.registry)


def use_matchmaking(arena: Matchmaker) -> None:
    """A ladder that is played and left, the history of one of four seats, and what was played live."""
    first = arena.field("first")[0]
    ladder = arena.ladder(*arena.field("first", "random"))
    arena.play(lambda: arena.lines(ladder)[0].sets >= 20)
    arena.leave(ladder)
    arena.calls().ListEpochs(ladder=ladder)
    arena.calls().GetRatingHistory(ladder=ladder, bot_name=first)
    arena.pairings(ladder)
    arena.calls().GetHeadToHead(ladder=ladder, bot_name=first)
    with closing(Database(arena.settings.database("matchmaking"), "matchmaking")) as database:
        assert History(database, {}).played(arena.ladder(seats=4), 1).size == 0
    games = arena.live_calls(ADMIN)
    games.ListLiveGames(bot_name=first, page_size=20)
    with pytest.raises(MaumauError, match="no live game"):
        games.GetLiveGame(table_id="table_none")


def use_registry(arena: Matchmaker) -> None:
    """What authors, admins and workers ask of it."""
    client, _ = arena.author()
    author, admin = arena.registry(client.token), arena.registry(ADMIN)
    bot = arena.bot("first", client)
    version = arena.version(bot)
    client.bots()
    admin.ListBots(page_size=20)
    author.ListVersions(bot_name=bot)
    author.GetLog(version_id=version.id)
    assert list(author.GetArtifact(sha256=version.sha256))
    assert newest({"tournament": arena.address}, ADMIN, 20)
    with pytest.raises(UnknownBot):
        author.ListVersions(bot_name="nobody")
    with pytest.raises(UnknownVersion):
        author.GetLog(version_id="nobody")
    use_tokens(arena, client.token)
    validate(arena, client)
    arena.built("first")
    arena.registry(WORKER).SuspendVersion(version_id=version.id, words="three matches with faults")
    author.DeleteBot(name=bot)


def use_tokens(arena: Matchmaker, token: str) -> None:
    author, admin = arena.registry(token), arena.registry(ADMIN)
    with pytest.raises(UnknownAccount):
        admin.CreateToken(account_name="nobody")
    laptop = arena.registry(author.CreateToken(label="laptop").token)
    fresh = arena.registry(laptop.RotateToken().token)
    fresh.CreateToken(label="child")
    author.RevokeToken(id=author.ListTokens().tokens[1].id)
    admin.RedeemPageCode(code=author.CreatePageCode().code)
    admin.ListTokens()


def validate(arena: Matchmaker, client: Client) -> None:
    """A version that waits, is being validated, and is given back; what may not be done meanwhile."""
    workers = arena.registry(WORKER)
    name = f"idle-{client.who().account_name}"
    version = client.submit(name, arena.program(name)).version
    client.version(version.id)
    with pytest.raises(WrongState):
        client.activate(version.id)
    with pytest.raises(NotActive):
        client.version(name)
    fence = workers.ClaimValidation(version_id=version.id, worker="test").fence
    for give_back in (False, True):
        workers.RenewValidation(version_id=version.id, fence=fence, progress="a deal", give_back=give_back)
    arena.registry(ADMIN).ReleaseValidations(workers=["nobody"])
