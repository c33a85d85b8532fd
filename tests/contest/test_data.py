"""Tables of an export: their values by hand, in three formats, whole or not at all."""

import csv
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from maumau.client.answer import Epoch, RatingPoint, VersionHistory
from maumau.contest.export.line import EndLine, EntryLine, RecordLine, TermsLine, encode_line
from maumau.data import schema
from maumau.data.file import MANIFEST, TableFiles
from maumau.data.row import Rows
from maumau.data.source import LadderPart, list_ratings
from maumau.errors import BadFile

NOTEBOOK = Path(__file__).parents[2] / "docs/examples/three_figures.ipynb"
EXPORT = Path(__file__).parent / "data/version_4.export.jsonl"
FILES = {"records", "sets", "ratings"}


def rows_of(lines, epoch=None):
    found = {name: [] for name in FILES}
    for table, values in Rows("three-players", epoch).read(lines):
        found[table].append(dict(zip(schema.names_of(table), values, strict=True)))
    return found


@pytest.fixture(scope="module")
def found():
    return rows_of(EXPORT.read_bytes().splitlines(keepends=True))


def test_a_set_has_a_row_for_each_entrant_and_a_record_for_each_seating(found) -> None:
    first, second = found["sets"][:2]
    assert first == {
        "contest": "three-players", "epoch": None, "match": "1.1.1", "set": 0, "rules": "mau_mau",
        "seed": "1cc176eadf49d62d06210d7df244bd9ee387a285b492c63bfc66dbc5a4df4a3a", "entrant": 2,
        "bot": "bot-2", "sha256": f"{2:064}", "score": 0.5, "points": 30,
    }  # fmt: skip
    assert (second["entrant"], second["score"], second["points"]) == (3, 0.5, 30)
    assert [(one["seating"], one["seats"]) for one in found["records"][:2]] == [
        (0, "bot-2 bot-3"),
        (1, "bot-3 bot-2"),
    ]
    assert all(one["record"].startswith("[maumau 1]\n") for one in found["records"])
    assert all(one["record"].count("[maumau ") == 1 for one in found["records"])
    assert (len(found["sets"]), len(found["records"])) == (22, 22)  # 11 sets


def test_the_ratings_of_a_tournament_are_its_tables(found) -> None:
    assert [(one["stage"], one["place"]) for one in found["ratings"]] == [
        (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3),
    ]  # fmt: skip
    assert {one["bot"] for one in found["ratings"]} == {"bot-1", "bot-2", "bot-3"}
    assert all(one["low"] <= one["rating"] <= one["high"] for one in found["ratings"])


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda lines: lines[:-1], "ends early, after line {}"),
        (lambda lines: [lines[0].replace(b"mau_mau", b"mau_mai"), *lines[1:]], "damaged at line 1"),
    ],
)
def test_an_export_that_is_cut_or_changed_gives_no_table(damage, words, tmp_path) -> None:
    lines = damage(EXPORT.read_bytes().splitlines(keepends=True))
    folder = tmp_path / "tables"
    refused = pytest.raises(BadFile, match=words.format(len(lines)))
    with refused, TableFiles(folder, "csv", "x") as files:
        files.add_rows(Rows("three-players").read(lines))
    assert list(folder.iterdir()) == []


@pytest.mark.long
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_each_format_has_the_same_rows(form, found, tmp_path) -> None:
    for _ in range(2):  # over an earlier one too
        with TableFiles(tmp_path, form, "three-players") as files, EXPORT.open("rb") as export:
            files.add_rows(Rows("three-players").read(export))
    assert {path.name for path in tmp_path.iterdir()} == {MANIFEST, *(f"{name}.{form}" for name in FILES)}
    read = {name: READERS[form](tmp_path / f"{name}.{form}") for name in FILES}
    if form == "csv":
        found = {name: [without_kind(row) for row in rows] for name, rows in found.items()}
    assert read == found
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    assert {one["table"]: one["rows"] for one in manifest["files"]} == {
        "records": 22,
        "sets": 22,
        "ratings": 6,
    }


def without_kind(row):
    return {key: "" if value is None else str(value) for key, value in row.items()}


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


READERS = {
    "csv": read_csv,
    "jsonl": lambda path: [json.loads(line) for line in path.read_text().splitlines()],
    "parquet": lambda path: pq.read_table(path).to_pylist(),
}


def test_parquet_has_the_documented_types_and_units(tmp_path) -> None:
    with TableFiles(tmp_path, "parquet", "x") as files:
        row = ("ladder:prsi", 3, "2026-11-27T03:17:00.250Z", None, None, "fox", 2, 12.5, -3.0, 28.0, 400)
        files.add_rows([("ratings", row)])
    made = pq.read_table(tmp_path / "ratings.parquet")
    for column in schema.TABLES["ratings"]:
        field = made.schema.field(column.name)
        assert str(field.type).replace(", tz=", ", ") == schema.IN_PARQUET[column.kind]
        assert field.metadata[b"unit"].decode() == column.unit
    assert made.to_pylist()[0]["at"].isoformat() == "2026-11-27T03:17:00.250000+00:00"


def test_the_notebook_draws_three_figures(tmp_path, monkeypatch) -> None:
    with TableFiles(tmp_path, "csv", "x") as files, EXPORT.open("rb") as export:
        files.add_rows(Rows("three-players").read(export))
    monkeypatch.setenv("CUP", str(tmp_path))
    names = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    drawn = {name: ET.fromstring(names[name]._repr_svg_()) for name in ("intervals", "means", "deals")}
    bars = {name: len(svg.findall("{http://www.w3.org/2000/svg}rect")) for name, svg in drawn.items()}
    assert (bars["intervals"], bars["means"]) == (3, 3)
    assert sum(row[2] for row in names["deals"].rows) == 22


def test_a_failure_leaves_what_was_there(tmp_path) -> None:
    with TableFiles(tmp_path, "jsonl", "x") as files:
        files.add_rows([])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def break_off():
        yield from [("sets", ("x",) * 11)] * 5000
        raise ConnectionError

    with pytest.raises(ConnectionError), TableFiles(tmp_path, "jsonl", "x") as files:
        files.add_rows(break_off())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_rating_belongs_to_the_epoch_that_was_under_way() -> None:
    def at(hour):
        return datetime(2026, 11, 27, hour, tzinfo=UTC)

    def epoch(number, began, ended):
        return Epoch(number, "", "over" if ended else "running", "", "", "", 9, began, ended)

    every = [epoch(2, at(12), None), epoch(1, at(0), at(13))]  # the last sets of 1 are booked while 2 runs
    points = tuple(RatingPoint(at(hour), 10.0 * hour, -5.0, 5.0, hour) for hour in (6, 11, 14))
    history = [VersionHistory("v", 12, 6, at(0), points, version=3)]

    def written(**fields):
        found = list_ratings("ladder:x", "fox", history, LadderPart(every, every[1:], **fields))
        return [(row.values[1], row.values[2], row.values[6], row.values[7]) for row in found]

    first = (1, "2026-11-27T06:00:00.000Z", 3, 60.0)
    second = (1, "2026-11-27T11:00:00.000Z", 3, 110.0)
    third = (2, "2026-11-27T14:00:00.000Z", 3, 140.0)
    assert written() == [first, second, third]
    assert written(open_end=False) == [first, second]
    assert written(since=at(11)) == [second, third]


def test_the_page_of_columns_is_that_of_the_schema() -> None:
    assert not schema.is_stale()


def long_export(path, sets):
    """Write an export of a ladder's epoch with this many deal sets of about 2,000 bytes each."""
    terms = {"purpose": "ladder", "author": "a", "rules": "mau_mau", "score": "win"}
    deal = "[maumau 1]\n" + "A draw TD\n" * 100
    with path.open("wb") as file:
        file.write(encode_line(TermsLine(4, terms, "0" * 16, "1" * 64, "2" * 64, "3" * 64)))
        for number in (1, 2):
            file.write(encode_line(EntryLine(number, f"bot-{number}", f"{number:064}", withdrawn=False)))
        for number in range(sets):
            line = RecordLine("7", number, f"{number:064}", number % 5, (0, 9), ((1, 2), (2, 1)), deal * 2)
            file.write(encode_line(line))
        file.write(encode_line(EndLine((), "0" * 64)))


MEASURE = """
import resource, sys
from pathlib import Path
from maumau.data.file import TableFiles, _import_arrow
from maumau.data.row import Rows
_import_arrow()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with TableFiles(Path(sys.argv[2]), "parquet", "x") as files, open(sys.argv[1], "rb") as export:
    files.add_rows(Rows("x", 1).read(export))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.long
def test_a_hundred_thousand_rows_need_little_memory(tmp_path) -> None:
    long_export(tmp_path / "export.jsonl", 50_000)  # 100,000 rows of sets, 100 MB
    words = [sys.executable, "-c", MEASURE, str(tmp_path / "export.jsonl"), str(tmp_path / "out")]
    grown = int(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    assert grown < 100_000  # KiB
    assert pq.ParquetFile(tmp_path / "out/sets.parquet").metadata.num_rows == 100_000
