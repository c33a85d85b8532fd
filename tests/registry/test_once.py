"""A change of an account, a bot or a team that reaches two replicas is made once and answered by both."""

import uuid

import pytest

from maumau.v1 import registry_pb2, team_pb2
from maumau.v1.registry_pb2_grpc import RegistryServiceStub
from maumau.v1.team_pb2_grpc import TeamServiceStub
from tests.support.arenas.calls import Calls
from tests.support.twins import Twins


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
        asked = ("x-request-id", uuid.uuid4().hex)

        def ask(registry):
            calls = Calls(registry.address, author.token, *service)
            calls.metadata = (*calls.metadata, asked)
            return getattr(calls, method)(**fields)

        return twins.make(ask, first, second)

    registry, team = (registry_pb2, RegistryServiceStub), (team_pb2, TeamServiceStub)
    make(registry, "CreateBot", name=bot)
    version = author.submit(bot, program()).version.id
    first.worker.validate(version)
    make(registry, "LetPlayPeople", version_id=version, plays_people=True)
    make(registry, "ActivateVersion", version_id=version)
    make(team, "CreateTeam", name=f"team-{uuid.uuid4().hex[:8]}")
    make(registry, "DeleteBot", name=bot)
    assert twins.made == 5
