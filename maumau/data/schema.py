"""The tables, their columns with types and units, and the page that documents them."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, NamedTuple

VERSION: Final = 1
"""Raised when a column is renamed, removed or changes its meaning; new columns are added at the end."""

PAGE: Final = Path("docs/reference/data.md")
START, END = "<!-- columns -->\n", "<!-- end of columns -->\n"

Kind = Literal["text", "integer", "number", "time"]
TableName = Literal["records", "sets", "ratings"]
Value = str | int | float | None
ColumnValues = tuple[Value, ...]


class Column(NamedTuple):
    """A column of a table; a time is a text of ISO 8601 in UTC until it is written."""

    name: str
    kind: Kind
    unit: str
    words: str


CONTEST: Final = (
    Column("contest", "text", "", "the tournament's name, or `ladder:NAME`"),
    Column("epoch", "integer", "", "the ladder's epoch, from 1; empty in a tournament"),
)
PLAYED: Final = (
    *CONTEST,
    Column("match", "text", "", "label of the match in its contest, or of the pairing in its epoch"),
    Column("set", "integer", "", "number of the deal set in its match, from 0"),
    Column("rules", "text", "", "name of the variant"),
    Column("seed", "text", "", "seed that the deals of the set share"),
)
TABLES: Final[dict[TableName, tuple[Column, ...]]] = {
    "records": (
        *PLAYED,
        Column("seating", "integer", "", "0, 1 … in each set: a set is a deal in every seating"),
        Column("seats", "text", "", "the bots by seat, with a space between two"),
        Column("record", "text", "", "the record of the deal, as in notation.md"),
    ),
    "sets": (
        *PLAYED,
        Column("entrant", "integer", "", "number of the entrant in its contest or epoch"),
        Column("bot", "text", "", "name of the bot"),
        Column("sha256", "text", "", "content hash of the version that played"),
        Column("score", "number", "share of the set", "0 to 1; those of a set add up to half its players"),
        Column("points", "integer", "points", "points by the variant's rules, over all seatings"),
    ),
    "ratings": (
        *CONTEST,
        Column("at", "time", "UTC", "when a ladder rated; empty in a tournament"),
        Column("stage", "integer", "", "stage of a tournament whose table it is; empty on a ladder"),
        Column("place", "integer", "", "place in that table; empty on a ladder"),
        Column("bot", "text", "", "name of the bot"),
        Column(
            "version", "integer", "", "number of the bot's version, as on its page; empty in a tournament"
        ),
        Column("rating", "number", "Elo", "rating"),
        Column("low", "number", "Elo", "lower end of its 95 % interval"),
        Column("high", "number", "Elo", "upper end of its 95 % interval"),
        Column("sets", "integer", "deal sets", "deal sets that the rating rests on"),
    ),
}

IN_PARQUET: Final[dict[Kind, str]] = {
    "text": "string",
    "integer": "int64",
    "number": "double",
    "time": "timestamp[ms, UTC]",
}


def names_of(table: TableName) -> list[str]:
    """Return the names of a table's columns in their order."""
    return [column.name for column in TABLES[table]]


def reference_text() -> str:
    """Return the generated part of the reference: a table of columns for each of the tables."""
    parts = [f"Schema version {VERSION}.\n"]
    for name, columns in TABLES.items():
        rows = [
            f"| `{one.name}` | {one.kind} | `{IN_PARQUET[one.kind]}` | {one.unit} | {one.words} |"
            for one in columns
        ]
        head = ["| column | type | in Parquet | unit | content |", "|---|---|---|---|---|"]
        parts.append("\n".join([f"\n### `{name}`\n", *head, *rows]) + "\n")
    return "".join(parts)


def page_text(page: str) -> str:
    """Return the page with the generated part updated."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{reference_text()}\n{END}{after}"


def is_stale() -> bool:
    """Return True if the committed page has other columns than these."""
    page = PAGE.read_text(encoding="utf-8")
    return page != page_text(page)


if __name__ == "__main__":
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
