"""index standing teams, and parts of names where pg_trgm is available"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from services.shared.base import log
from services.shared.store.migrate import PARTS

revision = "0024"
down_revision = "0023"

TABLES = ("account", "bot", "team")
STANDS = sa.text("dissolved_at IS NULL")
PLACE = text(
    "SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_trgm'"
)

logger = log.get(__name__)


def upgrade() -> None:
    op.create_index("ix_team_standing", "team", ["name"], sqlite_where=STANDS, postgresql_where=STANDS)
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":  # SQLite reads all names, of which it has few
        return
    try:
        with connection.begin_nested():
            _index_parts(connection)
    except DBAPIError as error:
        words = str(error.orig).partition("\n")[0]
        logger.warning("searches for a part of a name will read all names: no pg_trgm", words=words)


def _index_parts(connection: Connection) -> None:
    """Index parts of names; raise DBAPIError where this user may neither make pg_trgm nor use it."""
    connection.execute(text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
    place = connection.execute(PLACE).scalar_one()
    for table in TABLES:
        parts = f'(name "{place}".gin_trgm_ops)'
        connection.execute(text(f'CREATE INDEX ix_{table}{PARTS} ON "{table}" USING gin {parts}'))


def downgrade() -> None:
    for table in TABLES:
        op.execute(f"DROP INDEX IF EXISTS ix_{table}{PARTS}")
    op.drop_index("ix_team_standing", "team")
