"""Compiled statements, which all databases of a test process share.

SQLAlchemy keeps them by engine and dialect object: each new database would compile every statement again.
"""

from sqlalchemy import Engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

MAX_STATEMENTS = 3000


def share_statements() -> None:
    """Make dialects of one class equal, and have their engines use one cache."""
    compiled = LRUCache(MAX_STATEMENTS)

    def use_cache(engine: Engine) -> None:
        engine._compiled_cache = compiled

    for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
        dialect.__eq__ = lambda one, other: type(one) is type(other)
        dialect.__hash__ = lambda one: hash(type(one))
        dialect.engine_created = staticmethod(use_cache)
