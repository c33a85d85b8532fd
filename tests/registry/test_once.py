"""A change of an account, a bot or a team that reaches two replicas is made once and answered by both."""

import uuid

import pytest
from sqlmodel import col, update

from maumau.errors import ExpiredToken, RevokedToken, UnknownToken
from maumau.v1 import registry_pb2, team_pb2, webhook_pb2
from maumau.v1.registry_pb2_grpc import RegistryServiceStub
from maumau.v1.team_pb2_grpc import TeamServiceStub
from maumau.v1.webhook_pb2_grpc import WebhookServiceStub
from services.registry.domain.token import token_hash
from services.registry.models import Token
from services.shared.store.connect import Database
from tests.support.arenas.calls import Calls
from tests.support.twins import Twins

REGISTRY, TEAM = (registry_pb2, RegistryServiceStub), (team_pb2, TeamServiceStub)
WEBHOOK = (webhook_pb2, WebhookServiceStub)


def prepare(token, service, method, request_id="", **fields):
    """Return `ask(registry)`, which makes the same call under the same request id each time."""
    asked = ("x-request-id", request_id or uuid.uuid4().hex)

    def ask(registry):
        calls = Calls(registry.address, token, *service)
        calls.metadata = (*calls.metadata, asked)
        return getattr(calls, method)(**fields)

    return ask


@pytest.fixture
def replicas(start, settings, valkey, tmp_path, database_url):
    """Yield two replicas on one database."""
    given = settings(tmp_path, database_url, f"{valkey}/5")
    with start(given) as one, start(given) as other:
        yield one, other


@pytest.mark.stores
def test_a_repetition_that_overtakes_its_first_answer_at_another_replica_gets_that_answer(
    replicas, monkeypatch, program
):
    """Each would be refused: the name is taken, the bot is deleted, the account has a team."""
    first, second = replicas
    author, twins, bot = first.author(), Twins(second.server, monkeypatch), f"bot-{uuid.uuid4().hex[:8]}"

    def make(service, method, **fields):
        return twins.make(prepare(author.token, service, method, **fields), first, second)

    make(REGISTRY, "CreateBot", name=bot)
    version = author.submit(bot, program()).version.id
    first.worker.validate(version)
    make(REGISTRY, "LetPlayPeople", version_id=version, plays_people=True)
    make(REGISTRY, "ActivateVersion", version_id=version)
    make(TEAM, "CreateTeam", name=f"team-{uuid.uuid4().hex[:8]}")
    make(REGISTRY, "DeleteBot", name=bot)
    assert twins.made == 5


@pytest.mark.long
@pytest.mark.stores
def test_a_change_that_ends_the_caller_s_own_token_or_role_is_answered_again(replicas, monkeypatch):
    """Each is repeated while it is under way, then at either replica, without the token or the role."""
    first, second = replicas
    twins = Twins(second.server, monkeypatch)
    leader, member, group = first.author(), first.author(), f"class-{uuid.uuid4().hex[:8]}"

    def make(who, service, method, **fields):
        ask = prepare(who.token, service, method, **fields)
        answer = twins.make(ask, first, second)
        assert [ask(one) for one in (first, second, first)] == [answer] * 3
        return answer

    organiser, owner = registry_pb2.GROUP_ROLE_ORGANISER, team_pb2.TEAM_ROLE_OWNER
    first.admin.SetMember(group_name=group, account_name=leader.name, role=organiser)
    make(leader, REGISTRY, "SetMember", group_name=group, account_name=leader.name)
    make(leader, REGISTRY, "RemoveMember", group_name=group, account_name=leader.name)
    make(leader, TEAM, "CreateTeam", name=f"team-{uuid.uuid4().hex[:8]}")
    invite = prepare(leader.token, TEAM, "InviteToTeam", account_name=member.name)
    invitation = invite(first).invitation.id
    make(member, TEAM, "JoinTeam", invitation_id=invitation)
    make(leader, TEAM, "SetTeamRole", account_name=member.name, role=owner)
    make(leader, TEAM, "SetTeamRole", account_name=leader.name, role=team_pb2.TEAM_ROLE_MEMBER)
    make(leader, TEAM, "LeaveTeam")
    make(member, TEAM, "DissolveTeam")
    further = first.client(member.CreateToken(label="ci").token)
    mine = next(one.id for one in further.ListTokens().tokens if one.current)
    assert make(further, REGISTRY, "RevokeToken", id=mine).revoked == 1
    deleted = make(member, REGISTRY, "DeleteAccount", name=member.name)
    assert deleted.pseudonym.startswith("deleted-")
    assert twins.made == 10
    for who in (further, member):
        for one in (first, second):
            with pytest.raises(RevokedToken):
                prepare(who.token, REGISTRY, "WhoAmI")(one)


def revoke_all(registry, author):
    """Let an admin revoke all tokens of an account."""
    for one in author.ListTokens().tokens:
        registry.admin.RevokeToken(id=one.id)


@pytest.mark.stores
def test_an_ended_token_learns_the_answer_of_its_own_change_and_nothing_else(replicas):
    first, second = replicas
    author, other, request_id = first.author(), first.author(), uuid.uuid4().hex
    bot, name = f"bot-{uuid.uuid4().hex[:8]}", author.name
    reader = first.admin.CreateToken(account_name=name, scopes=["reader"]).token
    create = prepare(author.token, REGISTRY, "CreateBot", request_id, name=bot)
    made, secret = create(first), prepare(author.token, REGISTRY, "CreateToken", label="ci")
    secret(first)
    hook = prepare(author.token, WEBHOOK, "CreateWebhook", url="https://bots.example/told")
    assert hook(first).secret.startswith("whsec_")
    for one in (author, other):
        revoke_all(first, one)
    for one in (first, second):
        for ask in (
            secret,
            hook,
            prepare(author.token, REGISTRY, "CreateBot", name=bot),
            prepare(author.token, REGISTRY, "CreateBot", request_id, name=f"{bot}-2"),
            prepare(author.token, REGISTRY, "DeleteBot", request_id, name=bot),
            prepare(author.token, REGISTRY, "ListTokens", request_id),
            prepare(author.token, REGISTRY, "CreateBot", "short", name=bot),
            prepare(other.token, REGISTRY, "CreateBot", request_id, name=bot),
            prepare(reader, REGISTRY, "CreateBot", request_id, name=bot),
        ):
            with pytest.raises(RevokedToken):
                ask(one)
        with pytest.raises(UnknownToken):
            prepare("mm_guessed", REGISTRY, "CreateBot", request_id, name=bot)(one)
        assert create(one) == made


@pytest.mark.stores
def test_a_token_that_expires_after_its_change_learns_the_answer(replicas):
    first, second = replicas
    author, bot = first.author(), f"bot-{uuid.uuid4().hex[:8]}"
    create = prepare(author.token, REGISTRY, "CreateBot", name=bot)
    made, database = create(first), Database(first.settings.database("registry"), "registry")
    with database.write() as session:
        session.execute(update(Token).values(expires_at=1).where(col(Token.hash) == token_hash(author.token)))
    database.close()
    for one in (first, second):
        with pytest.raises(ExpiredToken):
            prepare(author.token, REGISTRY, "CreateBot", name=bot)(one)
        assert create(one) == made
