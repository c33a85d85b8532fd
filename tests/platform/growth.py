"""A database as it is after a year: what was played is copied under other keys, as ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text

SERVICES = ("registry", "tournament", "matchmaking")
BLOCKS = 1_000_000
OTHERS = 200_000  # rows at most of a table that has not one for each block; twice the actions that are kept
SMALL = {
    "alembic_version": "one row",
    "leader": "one row",
    "beat": "one row for each replica",
    "outbox": "a row is removed when it is told",
    "notice": "a row is removed when the registry has it",
    "ladder": "made by admins, by hand",
    "platform": "a row for each kind of machine that workers have",
    "page_code": "a code holds for a minute, and whoever makes one removes those that have ended",
}
"""Tables that do not grow with play, and why: to read all of such a table is right."""
ENDED = {
    "epoch": {"state": "over"}, "pairing": {"state": "over"},
    "practice": {"state": "over", "numbers": "[1, 1]"}, "player": {"version": 1},
    "worker": {"seen_at": 0}, "turn": {"due": 1 << 62}, "tournament": {"state": "finished"},
    "contest": {"state": "over", "moved_at": 1}, "audit": {"outcome": "same"}, "block": {"state": "done"},
    "account": {"created_at": 1}, "event": {"told_at": 1 << 60}, "delivery": {"delivered_at": 1},
    "webhook": {"next_at": 0},
}  # fmt: skip
"""Values of the copies, which are all finished, or a year old."""
CHECKS = """
SELECT conrelid::regclass, conname FROM pg_constraint
WHERE contype = 'c' AND connamespace::regnamespace::text = ANY (:schemas)
"""
INDEXES = """
SELECT format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace::regnamespace::text = ANY (:schemas) AND NOT i.indisunique
"""
COLUMNS = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod), bool_or(i.indisunique OR c.contype = 'f'),
       a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
FROM pg_attribute a
LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND a.attnum = ANY (i.indkey)
LEFT JOIN pg_constraint c ON c.conrelid = a.attrelid AND a.attnum = ANY (c.conkey) AND c.contype = 'f'
WHERE a.attrelid = (:name)::regclass AND a.attnum > 0 AND NOT a.attisdropped
GROUP BY a.attnum, a.attname, a.atttypid, a.atttypmod, a.attnotnull, a.atthasdef, a.attidentity
ORDER BY a.attnum
"""


def grow(engine: Engine) -> dict[str, set[str]]:
    """Copies rows until there are BLOCKS blocks; the tables that grew, by service. No service may run."""
    with engine.connect() as connection, connection.begin():
        blocks = connection.execute(text("SELECT count(*) FROM tournament.block")).scalar_one()
        with _without_indexes(connection):
            grown = {schema: _grow_schema(connection, schema, BLOCKS // blocks + 1) for schema in SERVICES}
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
    return grown


@contextmanager
def _without_indexes(connection: Connection) -> Iterator[None]:
    """Drop all indexes except those of keys until the end, and all checks: copied keys violate them."""
    schemas = {"schemas": list(SERVICES)}
    for table, name in connection.execute(text(CHECKS), schemas).all():
        connection.execute(text(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"'))
    indexes = connection.execute(text(INDEXES), schemas).all()
    for drop, _ in indexes:
        connection.exec_driver_sql(drop)
    yield
    for _, make in indexes:
        connection.exec_driver_sql(make.replace("%", "%%"))


def _grow_schema(connection: Connection, schema: str, copies: int) -> set[str]:
    connection.execute(text(f"SET LOCAL search_path = {schema}"))
    connection.execute(text("SET LOCAL session_replication_role = replica"))  # no look at references
    names = connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = :s"), {"s": schema})
    grown = set(names.scalars()) - SMALL.keys()
    for table in grown:
        _copy_rows(connection, schema, table, copies)
    return grown


def _copy_rows(connection: Connection, schema: str, table: str, copies: int) -> None:
    """Keys, names of workers and hashes of builds get the copy's number at their end; bytes become empty."""
    columns = connection.execute(text(COLUMNS), {"name": f'{schema}."{table}"'}).all()
    if not connection.execute(text(f'SELECT EXISTS (SELECT FROM "{table}")')).scalar_one():
        _add_row(connection, table, columns)
    texts = {
        name
        for name, kind, is_key, _ in columns
        if kind.startswith("character") and (is_key or name == "worker" or name.endswith("_id"))
    }
    parts = [_copied(name, kind, name in texts, table) for name, kind, *_ in columns]
    listed = ", ".join(f'"{name}"' for name, *_ in columns)
    most = BLOCKS if table == "block" or any(name == "block_id" for name, *_ in columns) else OTHERS
    connection.execute(
        text(
            f'INSERT INTO "{table}" ({listed}) SELECT {", ".join(parts)}'
            f' FROM generate_series(1, {copies}) g, "{table}" t LIMIT {most}'
        )
    )


NUMBERED = {"event": "number", "delivery": "number"}
"""Tables whose key is a number alone, with the key's name; copy g adds 1000 g to it."""


def _add_row(connection: Connection, table: str, columns: list) -> None:
    """Add an empty row to a table that has none."""
    values = {"character varying": "''", "text": "''", "boolean": "false", "bytea": "''::bytea"}
    needed = {name: values.get(kind, "0") for name, kind, _, is_needed in columns if is_needed}
    listed = ", ".join(f'"{name}"' for name in needed)
    connection.execute(text(f'INSERT INTO "{table}" ({listed}) VALUES ({", ".join(needed.values())})'))


def _copied(name: str, kind: str, is_key: bool, table: str) -> str:
    if name in ENDED.get(table, {}):
        return repr(ENDED[table][name])
    if name == NUMBERED.get(table):
        return f't."{name}" + 1000 * g'
    if is_key:
        return f"""t."{name}" || '-' || g"""
    if name == "built_sha256":  # each program that is built has a build of its own
        return f"""CASE t."{name}" WHEN '' THEN '' ELSE t."{name}" || '-' || g END"""
    if kind == "bytea":
        return "''::bytea"
    return f't."{name}"'
