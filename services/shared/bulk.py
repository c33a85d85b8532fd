"""Many rows in one statement."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import insert
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, SQLModel


def insert_rows(session: Session, table: type[SQLModel], rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds rows of the same columns; what of the session they refer to must be flushed.

    PostgreSQL takes them by COPY, in two thirds of the time of an INSERT. Values go to it as they are: texts,
    numbers, truth values and bytes. Raises what SQLAlchemy raises.
    """
    if not rows:
        return
    connection = session.connection()
    if connection.dialect.name != "postgresql":
        connection.execute(insert(table), rows)
        return
    quote, names = connection.dialect.identifier_preparer.quote, list(rows[0])
    copy = f"COPY {quote(str(table.__tablename__))} ({', '.join(map(quote, names))}) FROM STDIN"
    cursor: Any = connection.connection.cursor()
    error = connection.dialect.loaded_dbapi.Error
    try:
        with cursor, cursor.copy(copy) as sink:
            for row in rows:
                sink.write_row([row[name] for name in names])
    except error as err:
        raise DBAPIError.instance(copy, None, err, error, dialect=connection.dialect) from err
