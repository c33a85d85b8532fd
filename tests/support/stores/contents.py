"""Databases with the tables of all services and a few rows, without a service: what a backup reads."""

from __future__ import annotations

from sqlalchemy import MetaData, select, text

from services.shared.base.settings import Settings
from services.shared.store.connect import Database
from tests.support.stores import tables

SERVICES = ("matchmaking", "registry", "tournament")
RECORDS = bytes(range(256)) * 3
CONTEST = {
    "id": "contest_1", "purpose": "tournament", "author": "admin", "state": "running", "rules": "mau_mau",
    "options": "{}", "rules_hash": "ab", "variant_toml": "", "seats": 2, "score": "points", "deal_ms": 1000,
    "memory": 256, "secret": "a-secret", "root": "cd", "chain": "", "booked": 1, "changes": 1,
}  # fmt: skip
JOB = {"id": "job_1", "contest_id": "contest_1", "label": "1.1.1", "state": "open", "replayed": 0.04}
BLOCK = {
    "id": "block_1", "job_id": "job_1", "contest_id": "contest_1", "number": 0, "first_set": 0, "sets": 5,
    "state": "done", "fence": 3, "attempts": 1, "worker": "w-1", "words": "größer ♠", "deals_done": 10,
    "queued_at": 1_790_000_000_000, "claimed_at": 1_790_000_000_001, "progress_at": 0, "lease_until": 5,
    "rests_until": 0,
}  # fmt: skip
CLAIMED = BLOCK | {
    "id": "block_2",
    "number": 1,
    "first_set": 5,
    "state": "claimed",
    "fence": 7,
    "attempts": 2,
}
RESULT = {"block_id": "block_1", "scores": b"\0\1", "records": RECORDS, "measured": b"", "stored_at": 1 << 42}
ACCOUNT = {"id": "account_1", "name": "somebody", "scopes": "author", "created_at": 1_790_000_000_000}
TOKEN = {
    "hash": "0" * 64, "id": "token_1", "account_id": "account_1", "scopes": "author", "created_at": 5,
    "expires_at": None, "revoked_at": None,
}  # fmt: skip
LADDER = {
    "name": "all", "rules": "mau_mau", "options": "{}", "rules_hash": "ab", "score": "points", "deal_ms": 1,
    "memory": 1, "created_at": 1,
}  # fmt: skip
MEMBER = {"ladder": "all", "bot_name": "first", "account_name": "house", "number": 3, "pinned": True,
          "here": False, "paired_at": 1}  # fmt: skip
ROWS = {
    "registry": [("account", ACCOUNT), ("token", TOKEN)],
    "tournament": [("contest", CONTEST), ("job", JOB), ("block", BLOCK), ("block", CLAIMED),
                   ("block_result", RESULT)],
    "matchmaking": [("ladder", LADDER), ("member", MEMBER)],
}  # fmt: skip


def open_databases(folder, url="") -> dict[str, Database]:
    """Return an arena's databases, not created yet."""
    settings = Settings(data=folder, database_url=url)
    return {name: Database(settings.database(name), name) for name in SERVICES}


def fill_databases(folder, url="") -> dict[str, Database]:
    """Return an arena's databases with some rows; one message was published and is gone."""
    found = open_databases(folder, url)
    for name, database in found.items():
        tables.add_tables(database, name)
        with database.write() as session:
            for table, row in ROWS[name]:
                session.execute(reflect_tables(database)[table].insert(), empty_row(database, table) | row)
    with found["tournament"].write() as session:
        outbox = reflect_tables(found["tournament"])["outbox"]
        for number in range(3):
            session.execute(outbox.insert(), {"contest_id": "contest_1", "event": b"e", "created_at": number})
        session.execute(text("DELETE FROM outbox WHERE created_at > 0"))
    return found


def empty_row(database: Database, table: str) -> dict:
    """Return empty values for all columns that need one."""
    needed = [
        each
        for each in reflect_tables(database)[table].columns
        if not each.nullable and not each.server_default
    ]
    return {each.name: each.type.python_type() for each in needed}


def reflect_tables(database: Database):
    found = MetaData()
    found.reflect(database.engine)
    return found.tables


def read_contents(database: Database) -> dict[str, list[dict]]:
    """Return all rows of all tables."""
    with database.read() as session:
        return {
            name: sorted((dict(row._mapping) for row in session.execute(select(table))), key=str)
            for name, table in reflect_tables(database).items()
        }
