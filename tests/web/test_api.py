"""`/api/v1`: described, stated plainly, in parts, and without harm for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from maumau import errors
from services.web.api.reply import as_csv
from services.web.http import problem
from tests.support.fake import a_line, a_match, a_pairing, a_standing, a_tournament


def test_its_description_names_every_address_and_what_it_answers(site) -> None:
    told = site.get("/api/v1/openapi.json").json
    assert told["openapi"].startswith("3.")
    assert "/api/v1/contests/{name}/matches/{label}" in told["paths"]
    assert all(path.startswith("/api/v1/") for path in told["paths"])
    text = json.dumps(told)
    for name in set(re.findall(r'"#/components/schemas/(\w+)"', text)):
        assert name in told["components"]["schemas"]


def test_a_list_comes_in_parts_by_cursor(site) -> None:
    site.arena.contests = [a_tournament(f"cup-{number}") for number in range(5)]
    names, cursor = [], ""
    while True:
        part = site.get(f"/api/v1/contests?limit=2&cursor={cursor}").json
        names += [each["name"] for each in part["items"]]
        if not (cursor := part["next"]):
            break
    assert names == [f"cup-{number}" for number in range(5)]


def test_a_refusal_is_a_problem(site) -> None:
    for path, status in (
        ("contests/no", 404),
        ("contests?cursor=x", 400),
        ("contests?limit=0", 400),
        ("no", 404),
    ):
        found = site.get(f"/api/v1/{path}")
        assert found.status == status
        assert found.headers["content-type"] == "application/problem+json"
        assert found.json["status"] == status
        assert {"type", "title", "detail", "instance"} <= set(found.json)
    site.arena.down = True
    assert site.get("/api/v1/contests/cup").json["reason"] == "ARENA_UNREACHABLE"


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("format=xml", "format: expected 'json', 'csv' or 'jsonl', not xml."),
        ("limit=abc", "limit: expected a whole number, not abc."),
        ("limit=0", "limit: expected a number of at least 1, not 0."),
        ("limit=1001", "limit: expected a number of at most 1000, not 1001."),
        ("limit=", "limit: expected a whole number, not ''."),
    ],
)
def test_an_odd_parameter_is_refused_in_words(site, query, said) -> None:
    found = site.get(f"/api/v1/contests?{query}")
    assert (found.status, found.json["detail"]) == (400, said)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("contests?from=3", "from: no such parameter; known here: cursor, format, limit."),
        ("contests/cup?at=yesterday", "at: no such parameter; known here: none."),
    ],
)
def test_a_parameter_that_an_address_does_not_have_is_refused(site, query, said) -> None:
    """It would change nothing, and who asked would not know."""
    found = site.get(f"/api/v1/{query}")
    assert (found.status, found.json["detail"]) == (400, said)


def test_tables_come_as_csv_and_lines(site) -> None:
    site.arena.contests = [a_tournament("cup")]
    site.arena.ranks["cup"] = [a_standing(1, 1, "greedy", -12.5), a_standing(2, 2, "rollout", -20.0)]
    rows = list(csv.DictReader(io.StringIO(site.get("/api/v1/contests/cup/standings?format=csv").text)))
    assert [(row["bot_name"], row["rating"]) for row in rows] == [("greedy", "-12.5"), ("rollout", "-20.0")]
    lines = site.get("/api/v1/contests/cup/standings?format=jsonl").text.splitlines()
    assert [json.loads(line)["rank"] for line in lines] == [1, 2]


def test_no_cell_is_a_formula() -> None:
    hostile = ("=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3", "\t=1", "a\x00b\x1b[31m\u202e")
    for name in hostile:
        rows = list(csv.reader(io.StringIO(as_csv([a_match(names=(name, "x"))]))))
        cell = rows[1][rows[0].index("first_name")]
        assert cell[0] not in "=+-@\t\r"
        assert cell.isprintable()


def test_what_has_not_changed_is_not_sent_again(site) -> None:
    site.arena.contests = [a_tournament("cup")]
    first = site.get("/api/v1/contests/cup")
    assert site.get("/api/v1/contests/cup", if_none_match=first.headers["etag"]).status == 304


def test_a_ladder_comes_as_json_and_as_a_table(site) -> None:
    site.arena.boards["prsi"] = [a_line(1, "=greedy", 12.5), a_line(2, "rollout", -3.0)]
    assert [one["name"] for one in site.get("/api/v1/ladders").json["items"]] == ["prsi"]
    told = site.get("/api/v1/ladders/prsi").json
    assert told["ladder"]["sets"] == 1234
    assert [line["elo"] for line in told["lines"]] == [12.5, -3.0]
    rows = list(csv.DictReader(io.StringIO(site.get("/api/v1/ladders/prsi?format=csv").text)))
    assert [row["bot_name"] for row in rows] == ["'=greedy", "rollout"]


def test_pairings_come_in_parts_and_each_says_why(site) -> None:
    site.arena.boards["prsi"] = []
    site.arena.paired = [a_pairing(f"3.{n}", "greedy", "rollout") for n in (4, 3, 2, 1)]
    first = site.get("/api/v1/ladders/prsi/pairings?limit=3").json
    assert [one["id"] for one in first["items"]] == ["3.4", "3.3", "3.2"]
    rest = site.get(f"/api/v1/ladders/prsi/pairings?limit=3&cursor={first['next']}").json
    assert [one["id"] for one in rest["items"]] == ["3.1"]
    assert rest["next"] == ""
    assert "may both be the best" in site.get("/api/v1/ladders/prsi/pairings/3.2").json["words"]
    running, over = site.get("/api/v1/ladders/prsi/epochs").json["items"]
    assert (over["secret"], over["compared"]) == ("91" * 32, "d4" * 32)
    assert (running["chain"], running["compared"]) == (f"17 {'c3' * 32}", "")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.StorageUnavailable("no answer"), 503), (errors.DatabaseUnavailable("no answer"), 503),
        (errors.ArenaUnreachable("no answer"), 503), (errors.RecordsLost("missing"), 502),
        (errors.InternalFault("a mistake"), 502), (errors.WrongState("it is over"), 409),
    ],
)  # fmt: skip
def test_a_fault_of_the_arena_is_no_conflict(error: errors.MaumauError, status: int) -> None:
    assert problem.of_error(error, "/api/v1/contests").status == status


def test_its_document_says_that_pages_of_other_sites_may_read_it(site) -> None:
    assert "CORS: any origin, without cookies" in site.get("/api/v1/openapi.json").json["info"]["description"]
    for path in ("/api/v1", "/api/v1/", "/api/v1/openapi.json"):
        found = site.get(path, origin="https://elsewhere.example")
        assert (found.status, found.headers["access-control-allow-origin"]) == (200, "*")
    assert (
        "access-control-allow-origin" not in site.get("/api/v10", origin="https://elsewhere.example").headers
    )
