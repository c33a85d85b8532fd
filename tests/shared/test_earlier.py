"""An arena of an earlier release is brought up to date with all that is in its databases."""

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import text
from sqlmodel import select

import services
from services.registry import models as registry
from services.registry.store import Accounts, Tokens
from services.registry.token import token_hash
from services.shared import migrate
from services.shared.connect import Database
from services.tournament import models as tournament
from services.tournament.store.result import Results

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
        migrate.upgrade(database, folder, models.Table.metadata)
        writer = database.engine.execution_options(writes=True)
        with writer.connect() as connection, connection.begin():
            command.downgrade(migrate.configuration(folder, connection, models.Table.metadata), "0002")
            for each in rows.split(";"):
                connection.execute(text(each), values if ":hash" in each else {})
        migrate.upgrade(database, folder, models.Table.metadata)
        return database

    yield arranged
    for database in opened:
        database.close()


def test_a_token_of_an_earlier_arena_still_holds_and_can_be_revoked(arrange):
    database = arrange(registry, AUTHOR, hash=token_hash("mm_old"))
    who = Accounts(database, lambda: 1_000, 90, open_to_all=True).identify("mm_old")
    tokens = Tokens(database, lambda: 1_000)
    (token,) = tokens.list_tokens(who, "")
    assert (token.token.id, token.account_name) == (who.token_id, "ada")
    assert tokens.revoke(who, who.token_id) == 1
    with database.read() as session:
        version = session.exec(select(registry.Version)).one()
    assert (version.state, version.log, version.progress) == ("active", "ok", "")


def test_a_running_tournament_of_an_earlier_arena_keeps_its_blocks_and_faults(arrange):
    database = arrange(tournament, CUP)
    with database.read() as session:
        row = session.exec(select(tournament.Tournament)).one()
        contest = session.exec(select(tournament.Contest)).one()
        blocks = session.exec(select(tournament.Block).order_by(tournament.Block.id)).all()
    assert (row.state, row.compared) == ("running", "")
    assert (contest.id, contest.state, contest.chain, contest.booked) == (row.id, "running", "", 0)
    assert [(block.state, block.rests_until) for block in blocks] == [("done", 0), ("queued", 0)]
    faults = Results(database).faults("match_1", 9)
    assert [(one.fault.id, one.deals) for one in faults] == [("fault_1", 1)]
