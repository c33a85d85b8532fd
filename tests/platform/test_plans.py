"""No statement of a service reads a table from end to end that grows with play: PostgreSQL's plans."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, text

from maumau.arena_status import SERVICES as SERVED
from maumau.status import read_arena_status
from services.shared.connect import Database
from tests.matchmaking.conftest import Matchmaker
from tests.tournament.arena import ADMIN, CUP, Arena

COPIES = 3000  # of all that was played: 10^4 to 10^5 rows of each table that grows
GROWN = 2000  # rows
SERVICES = ("registry", "tournament", "matchmaking")
STANDING = {
    "alembic_version",
    "beat",
    "leader",
    "outbox",
    "ladder",
    "player",
    "member",
    "point",
    "point_rating",
}
"""Tables that do not grow with what was played, or are emptied."""
ENDED = {
    "epoch": {"state": "over"}, "pairing": {"state": "over"}, "practice": {"state": "over"},
    "worker": {"seen_at": 0}, "tournament": {"state": "finished"}, "contest": {"state": "over"},
    "audit": {"outcome": "same"}, "block": {"state": "done"},
}  # fmt: skip
"""What stands in the copies, which are all over."""
A_PART = ("_100)s", ".ladder = %(")
"""Statements that read a large part of tables of this size, since they ask for a page of another table's rows
or for a whole ladder, to which all copies belong: there it is enough that an index can do it."""

pytestmark = pytest.mark.long


@pytest.fixture
def arena(loop: Any, new_postgresql: Any, valkey: str, tmp_path: Any) -> Iterator[Matchmaker]:
    arena = Matchmaker(loop, tmp_path, new_postgresql(), valkey, sweep=0.3, audit=1.0, replay=0.1).begin()
    yield arena
    arena.stop()


def test_no_table_that_grows_is_read_from_end_to_end(arena: Matchmaker) -> None:
    use_everything(arena)
    engine = create_engine(Database(arena.settings.database("tournament"), "tournament").url)
    drop_checks(engine)
    with engine.begin() as connection:
        grown = {schema: grow(connection, schema) for schema in SERVICES}
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
    with recording() as statements:
        use_everything(arena)
    assert len(statements) > 150
    found = {}
    with engine.connect() as connection:
        for (schema, statement), parameters in statements.items():
            for table in scanned(connection, schema, statement, parameters) & grown[schema]:
                found.setdefault(f"{schema}.{table}", []).append(statement[:500])
    engine.dispose()
    assert not found, json.dumps(found, indent=1)


def use_everything(arena: Matchmaker) -> None:
    """A cup, a ladder and a practice with all that is shown of them, and what authors and admins ask."""
    cup = Arena.begin(arena, "first", "random", "crash", "random", **CUP)
    arena.finish(cup)
    calls, registry = arena.tournament(ADMIN), arena.registry(ADMIN)
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
    calls.GetQueue()
    calls.ListWorkers()
    assert read_arena_status(dict.fromkeys(SERVED, arena.address), ADMIN).states
    assert arena.export(cup)
    client, _ = arena.author()
    mine = arena.bot("first", client)
    client.bots()
    registry.ListTokens()
    registry.ListBots(page_size=20)
    calls.ReleaseBlocks(workers=["nobody"])
    ladder = arena.ladder(*arena.field("first", "random"))
    arena.play(lambda: arena.lines(ladder)[0].sets >= 20)
    arena.leave(ladder)
    arena.calls().ListEpochs(ladder=ladder)
    arena.calls().GetRatingHistory(ladder=ladder, bot_name=arena.field("first")[0])
    arena.pairings(ladder)
    assert mine


@contextmanager
def recording() -> Iterator[dict[tuple[str, str], Any]]:
    """Each statement that is sent, by schema, with the parameters of the last time."""
    found: dict[tuple[str, str], Any] = {}

    def note(
        connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
    ) -> None:
        if connection.dialect.name == "postgresql":
            schema = connection.connection.info.get("schema") or _schema(connection)
            found[schema, statement] = parameters[0] if isinstance(parameters, list) else parameters

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _schema(connection: Connection) -> str:
    driver = connection.connection.driver_connection
    options = driver.info.get_parameters().get("options", "")
    schema = options.partition("search_path=")[2].split()[0] if options else ""
    connection.connection.info["schema"] = schema
    return schema


def grow(connection: Connection, schema: str) -> set[str]:
    """Copies all that was played, under other keys; the tables that have many rows now."""
    connection.execute(text(f"SET LOCAL search_path = {schema}"))
    connection.execute(text("SET LOCAL session_replication_role = replica"))  # no look at references
    names = connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = :s"), {"s": schema})
    tables = set(names.scalars()) - STANDING
    for table in tables:
        copy_rows(connection, schema, table)
    counts = {one: connection.execute(text(f'SELECT count(*) FROM "{one}"')).scalar_one() for one in tables}
    return {table for table, count in counts.items() if count > GROWN}


CHECKS = """
SELECT conrelid::regclass, conname FROM pg_constraint
WHERE contype = 'c' AND connamespace::regnamespace::text = ANY (:schemas)
"""


def drop_checks(engine: Engine) -> None:
    """The keys of copies look like no others. One by one: the services read, and would wait for a second."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table, name in connection.execute(text(CHECKS), {"schemas": list(SERVICES)}).all():
            connection.execute(text(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"'))


COLUMNS = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod), bool_or(i.indisunique OR c.contype = 'f')
FROM pg_attribute a
LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND a.attnum = ANY (i.indkey)
LEFT JOIN pg_constraint c ON c.conrelid = a.attrelid AND a.attnum = ANY (c.conkey) AND c.contype = 'f'
WHERE a.attrelid = (:name)::regclass AND a.attnum > 0 AND NOT a.attisdropped
GROUP BY a.attnum, a.attname, a.atttypid, a.atttypmod ORDER BY a.attnum
"""


def copy_rows(connection: Connection, schema: str, table: str) -> None:
    """Keys get the number of the copy: texts at their end; bytes become empty."""
    rows = connection.execute(text(COLUMNS), {"name": f'{schema}."{table}"'}).all()
    texts = {name for name, kind, key in rows if key and kind.startswith("character") and name != "ladder"}
    parts = [
        _copied(name, kind, name in texts, table, number=bool(key) and not texts) for name, kind, key in rows
    ]
    listed = ", ".join(f'"{name}"' for name, _, _ in rows)
    connection.execute(
        text(
            f'INSERT INTO "{table}" ({listed}) SELECT {", ".join(parts)}'
            f' FROM "{table}" t, generate_series(1, {COPIES}) g'
        )
    )


def _copied(name: str, kind: str, is_key: bool, table: str, *, number: bool) -> str:
    if name in ENDED.get(table, {}):
        return repr(ENDED[table][name])
    if is_key:
        return f"""t."{name}" || '-' || g"""
    if kind == "bytea":
        return "''::bytea"
    if (number or (table, name) == ("epoch", "number")) and kind in {"integer", "bigint"}:
        return f't."{name}" + 100000 * g'
    return f't."{name}"'


def scanned(connection: Connection, schema: str, statement: str, parameters: Any) -> set[str]:
    """The tables that PostgreSQL would read from end to end."""
    if not statement.lstrip().upper().startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")):
        return set()
    with connection.begin() as transaction:
        connection.execute(text(f"SET LOCAL search_path = {schema}"))
        if any(words in statement for words in A_PART):
            connection.execute(text("SET LOCAL enable_seqscan = off"))
        plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).scalar_one()
        transaction.rollback()
    return set(_scans(plan[0]["Plan"]))


def _scans(node: dict[str, Any]) -> Iterator[str]:
    if node["Node Type"] == "Seq Scan":
        yield node["Relation Name"]
    for child in node.get("Plans", []):
        yield from _scans(child)
