"""An arena of an earlier release is brought up to date with all that is in its databases."""

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import text
from sqlmodel import select

import services
from services.registry import models as registry
from services.registry.domain.token import token_hash
from services.registry.store import Accounts, Tokens
from services.registry.store.people.registration import RegistrationBounds
from services.shared.store import migrate
from services.shared.store.connect import Database
from services.tournament import models as tournament
from services.tournament.store.outcomes.result import Results
from tests.support.stores.tables import find_metadata

AUTHOR = """
INSERT INTO account VALUES ('account_1', 'ada', 'author', 1);
INSERT INTO token VALUES (:hash, 'account_1', 'author', 1, 9000);
INSERT INTO bot VALUES ('bot_1', 'first', 'account_1', 1, NULL);
INSERT INTO version (id, bot_id, number, sha256, size, state, reason, rules, seats, log, revision, fence,
    attempts, worker, created_at, since, lease_until, benched)
  VALUES ('version_1', 'bot_1', 1, :hash, 10, 'active', '', '', '', 'ok', 3, 1, 1, 'host', 1, 1, NULL, '')
"""
CUP = """
INSERT INTO tournament VALUES ('tournament_1', 'cup', 'running', 'spec', 'prsi', '{}', 'hash', 'secret',
  false, 'commitment', 'root', 4, 1, 2, 0);
INSERT INTO match
  VALUES ('match_1', 'tournament_1', '1.1.1', 1, 1, 1, 1, 1, 2, false, 1, 'playing', '');
INSERT INTO block VALUES ('block_1', 'match_1', 0, 0, 1, 'done', 1, 1, 'host', '', 2, 1, 1, 1, 1, 0);
INSERT INTO block VALUES ('block_2', 'match_1', 1, 1, 1, 'queued', 0, 0, '', '', 0, 1, 0, 0, 0, 0);
INSERT INTO fault VALUES ('fault_1', 'block_1', 1, 0, 0, 'crash', 'it ended', '')
"""


@pytest.fixture
def arrange(database_url):
    """Makes a service's database as revision 0002 left it, with these rows, and brings it up to date."""
    opened = []

    def arranged(models, rows, **values):
        name = models.__name__.split(".")[1]
        folder = Path(services.__path__[0]) / name / "migrations"
        database = Database(database_url, name)
        opened.append(database)
        migrate.upgrade(database, folder, find_metadata(name))
        writer = database.engine.execution_options(writes=True)
        with writer.connect() as connection, connection.begin():
            command.downgrade(migrate.configuration(folder, connection, find_metadata(name)), "0002")
            for each in rows.split(";"):
                connection.execute(text(each), values if ":hash" in each else {})
        migrate.upgrade(database, folder, find_metadata(name))
        return database

    yield arranged
    for database in opened:
        database.close()


def test_a_token_of_an_earlier_arena_still_holds_and_can_be_revoked(arrange):
    database = arrange(registry, AUTHOR, hash=token_hash("mm_old"))
    who = Accounts(database, lambda: 1_000, 90, RegistrationBounds(1, 1), "open").identify_caller("mm_old")
    tokens = Tokens(database, lambda: 1_000)
    (token,) = tokens.list_tokens(who, "")
    assert (token.token.id, token.account_name) == (who.token_id, "ada")
    assert tokens.revoke_token(who, who.token_id) == 1
    with database.read() as session:
        version = session.exec(select(registry.Version)).one()
    assert (version.state, version.log, version.progress) == ("active", "ok", "")


@pytest.mark.long
def test_a_running_tournament_of_an_earlier_arena_keeps_its_blocks_and_faults(arrange):
    database = arrange(tournament, CUP)
    with database.read() as session:
        row = session.exec(select(tournament.Tournament)).one()
        contest = session.exec(select(tournament.Contest)).one()
        blocks = session.exec(select(tournament.Block).order_by(tournament.Block.id)).all()
    assert (row.state, row.compared) == ("running", "")
    assert (contest.id, contest.state, contest.chain, contest.booked) == (row.id, "running", "", 0)
    assert [(block.state, block.rests_until) for block in blocks] == [("done", 0), ("queued", 0)]
    faults = Results(database).list_faults("match_1", 9)
    assert [(one.fault.id, one.deals) for one in faults] == [("fault_1", 1)]
