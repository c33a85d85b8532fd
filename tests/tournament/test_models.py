"""The tables are those of the models, and refuse what cannot be."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from services.shared.store.connect import Database
from services.tournament.models import TournamentTable


@pytest.fixture(scope="module")
def database(arena):
    database = Database(arena.settings.database("tournament"), "tournament")
    yield database
    database.close()


@pytest.fixture(scope="module")
def cup(arena):
    name = arena.begin("first", "crash")
    arena.finish(name)
    return arena.admin.tournament(name).id


def test_the_migrations_make_the_tables_of_the_models(database):
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, TournamentTable.metadata) == []


@pytest.mark.sample(13)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tournament SET state = 'lost' WHERE id = :cup",
        "UPDATE match SET state = 'won' WHERE tournament_id = :cup",
        "UPDATE match SET second = first WHERE tournament_id = :cup",
        "UPDATE match SET verdict = '' WHERE tournament_id = :cup",
        "UPDATE contest SET purpose = 'fun' WHERE id = :cup",
        "UPDATE contest SET changes = -1 WHERE id = :cup",
        "UPDATE job SET state = 'won' WHERE contest_id = :cup",
        "UPDATE job_seat SET position = 11",
        "UPDATE block SET state = 'stolen'",
        "UPDATE block SET attempts = -1",
        "UPDATE block SET state = 'claimed', lease_until = 0",
        "UPDATE entry SET number = 1 WHERE tournament_id = :cup",
        "UPDATE fault SET set_number = -1",
        "DELETE FROM tournament WHERE id = :cup",
        "INSERT INTO block_result SELECT * FROM block_result LIMIT 1",
        """INSERT INTO match SELECT 'other', tournament_id, label, take + 1, stage, round, number, first,
           second, bracket, better_seed, state, verdict, seed_take, reason, queued_at, decided_at,
           withdrawn_at, others, through FROM match WHERE tournament_id = :cup""",
    ],
)
def test_what_cannot_be_is_refused_by_the_database_itself(database, cup, statement):
    with pytest.raises(IntegrityError), database.write() as session:
        session.execute(text(statement), {"cup": cup} if ":cup" in statement else {})


def test_the_page_of_metrics_tells_what_waits(arena):
    name = arena.begin("first", "random")
    arena.queued(name)
    assert arena.metric("blocks", state="queued") >= 2
    assert arena.metric("queue_age_seconds") > 0
    assert arena.metric("active") >= 1
    assert arena.metric("outbox_lag_seconds") >= 0
    arena.admin.cancel(name)
