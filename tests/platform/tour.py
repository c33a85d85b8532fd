"""A tour of an arena: what is played, shown, asked and changed there, once each."""

from __future__ import annotations

from contextlib import closing

import pytest
from prometheus_client import generate_latest

from maumau.client.action import read_newest_actions
from maumau.client.arena import Arena as Client
from maumau.client.arena_status import SERVICES as SERVED
from maumau.client.status import read_arena_status
from maumau.errors import MaumauError, NotActive, UnknownAccount, UnknownBot, UnknownVersion, WrongState
from services.matchmaking.store.history import LadderHistory
from services.shared.store.connect import Database
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.arenas.tournament import ADMIN, CUP, WORKER, Arena


def use_everything(arena: Matchmaker) -> None:
    """Use a cup, a ladder and a practice with all their views, and the requests of authors and admins."""
    cup = Arena.begin(arena, "first", "random", "crash", "random", **CUP)
    arena.finish(cup)
    calls = arena.tournament(ADMIN)
    for name in (cup, calls.GetTournament(tournament=cup).tournament.id):
        calls.GetTournament(tournament=name)
    calls.ListTournaments(page_size=20)
    calls.GetStandings(tournament=cup)
    calls.GetFairness(tournament=cup)
    calls.GetBracket(tournament=cup)
    labels = [match.label for match in arena.admin.matches(cup)]
    faults = [one for label in labels for one in calls.ListFaults(tournament=cup, label=label).faults]
    calls.GetFault(fault_id=faults[0].id)
    for label in labels[:1]:
        calls.ListTakes(tournament=cup, label=label)
        calls.ListSets(tournament=cup, label=label)
        assert [*calls.WatchMatch(tournament=cup, label=label)]  # to its end: it is decided
    calls.GetQueue()
    calls.ListWorkers()
    assert read_arena_status(dict.fromkeys(SERVED, arena.address), ADMIN).states
    assert arena.export(cup)
    use_registry(arena)
    calls.ReleaseBlocks(workers=["nobody"])
    use_matchmaking(arena)
    assert generate_latest(arena.server.registry)


def use_matchmaking(arena: Matchmaker) -> None:
    """Play and leave a ladder, read the history of one of four seats, and live results."""
    first = arena.field("first")[0]
    ladder = arena.ladder(*arena.field("first", "random"))
    arena.play(lambda: arena.lines(ladder)[0].sets >= 20)
    arena.leave(ladder)
    for practice in (arena.calls().ListPractice(page_size=20), arena.calls().ListPractice(bot_name=first)):
        assert not practice.practice  # an admin's own
    arena.calls().ListEpochs(ladder=ladder)
    assert arena.calls().ListLadders().ladders
    arena.calls().GetRatingHistory(ladder=ladder, bot_name=first)
    arena.pairings(ladder)
    arena.calls().GetHeadToHead(ladder=ladder, bot_name=first)
    arena.calls().GetLadderHelps(ladder=ladder)
    with closing(Database(arena.settings.database("matchmaking"), "matchmaking")) as database:
        assert LadderHistory(database, {}).read_past(arena.ladder(seats=4), 1).size == 0
    games = arena.live_calls(ADMIN)
    games.ListLiveGames(bot_name=first, page_size=20)
    with pytest.raises(MaumauError, match="no live game"):
        games.GetLiveGame(table_id="table_none")


def use_registry(arena: Matchmaker) -> None:
    """Make the calls of authors, admins and workers."""
    client, _ = arena.author()
    author, admin = arena.registry(client.token), arena.registry(ADMIN)
    bot = arena.bot("first", client)
    version = arena.version(bot)
    client.bots()
    admin.ListBots(page_size=20)
    assert admin.ListAccounts(page_size=20).accounts
    author.ListVersions(bot_name=bot)
    author.GetLog(version_id=version.id)
    assert list(author.GetArtifact(sha256=version.sha256))
    assert read_newest_actions({"tournament": arena.address}, ADMIN, 20)
    with pytest.raises(UnknownBot):
        author.ListVersions(bot_name="nobody")
    with pytest.raises(UnknownVersion):
        author.GetLog(version_id="nobody")
    use_tokens(arena, client.token)
    use_webhooks(client)
    use_teams(arena, client)
    validate(arena, client)
    arena.built("first")
    arena.registry(WORKER).SuspendVersion(version_id=version.id, words="three matches with faults")
    author.DeleteBot(name=bot)


def use_webhooks(client: Client) -> None:
    made = client.create_webhook("https://bots.example/maumau", (), ("cup",)).webhook
    client.test_webhook(made.id)
    assert client.webhooks()
    client.webhook(made.id)
    client.delete_webhook(client.create_webhook("https://bots.example/other").webhook.id)


def use_teams(arena: Matchmaker, client: Client) -> None:
    """Found a team, let people in by both ways, search for it, and end it."""
    (other, name), (guest, _) = arena.author(), arena.author()
    team = client.create_team(f"team-{name[-8:]}").name
    client.end_team_invitation(client.invite_to_team(name).invitation.id)
    other.join_team(invitation=client.invite_to_team(name).invitation.id)
    guest.join_team(client.invite_to_team().code)
    assert not client.list_team_invitations()
    assert client.team().members
    assert client.list_teams("team-", 20)
    assert list(client.authors(name=team, most=20))
    assert list(client.authors("team-", most=20))
    assert list(client.find_bots("first", most=20))
    assert list(client.find_bots(owner=team, most=20))
    client.set_team_role(name, "owner")
    guest.leave_team()
    client.dissolve_team()


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
    """Let a version wait, be validated, and be given back; try what is refused meanwhile."""
    workers = arena.registry(WORKER)
    name = f"idle-{client.who().account_name}"
    version = client.submit(name, arena.program(name)).version
    client.version(version.id)
    client.let_play_people(version.id, plays=True)
    assert client.confirm_entries() == ()
    with pytest.raises(WrongState):
        client.activate(version.id)
    with pytest.raises(NotActive):
        client.version(name)
    fence = workers.ClaimValidation(version_id=version.id, worker="test").fence
    for give_back in (False, True):
        workers.RenewValidation(version_id=version.id, fence=fence, progress="a deal", give_back=give_back)
    arena.registry(ADMIN).ReleaseValidations(workers=["nobody"])
