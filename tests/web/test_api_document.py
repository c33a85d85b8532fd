"""`/api/v1/openapi.json` is true: what each address of a real arena answers is what it says."""

from __future__ import annotations

import copy
import csv
import importlib.util
import io
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given, settings

from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.web.api.reply import FORMATS
from tests.support.arenas.calls import Calls
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.arenas.tournament import ADMIN, CUP, Arena
from tests.support.loop import Loop
from tests.web.conftest import opened_house
from tests.web.visitor import READER, House, Page

JSON, PROBLEM = "application/json", "application/problem+json"
HELD = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "negative_data_rejection",
)  # fmt: skip
"""Checks of a fuzzer."""
GENERATOR = (
    "--input-file-type", "openapi", "--openapi-scopes", "schemas", "paths", "--formatters", "builtin",
    "--output-model-type", "msgspec.Struct", "--use-operation-id-as-name",
)  # fmt: skip
"""Of a generator of clients."""
REFUSED = {
    "/contests/none": 404, "/contests/none/standings": 404, "/contests/none/matches/1.1.1": 404,
    "/bots/none": 404, "/ladders/none": 404, "/ladders/none/pairings": 404,
    "/ladders/{ladder}/pairings/{pairing}/sets/99999": 404, "/ladders/{ladder}/pairings/x/sets": 400,
    "/tables/none": 404,
    "/contests?limit=0": 400, "/contests?cursor=x": 400, "/contests?format=xml": 400, "/bots?cursor=x": 400,
    "/contests/{name}/matches/{label}/sets/x": 400, "/contests/{running}/matches/1.1.1/sets": 403,
}  # fmt: skip


@pytest.fixture(scope="module")
def arena(
    web_loop: Loop, valkey: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[House, dict[str, str]]]:
    """The pages before real services with something at every address; and what stands in the addresses."""
    folder = tmp_path_factory.mktemp("document")
    services = Matchmaker(web_loop, folder, "", valkey, reader_token=READER, sweep=0.5).begin()
    try:
        with opened_house(web_loop, services) as house:
            yield house, _fill(services)
    finally:
        services.stop()


def _fill(services: Matchmaker) -> dict[str, str]:
    cup = Arena.begin(services, "first", "crash", **CUP)
    services.finish(cup)
    first, other = services.field("first", "random")
    ladder = services.ladder(first, other)
    services.play(lambda: services.pairings(ladder, over=True))
    engine = Calls(services.address, ADMIN, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    table = engine.CreateTable(rules={"name": "prsi"}, seats=2, names=["ada", ""]).table.id
    (pairing,) = services.pairings(ladder, page_size=1, over=True)
    running = Arena.begin(services, "first", "random")  # last, so that none of it is played
    return {
        "contest": cup, "running": running, "label": "1.1.1", "number": "0", "ladder": ladder, "bot": first,
        "pairing": pairing.id, "id": table,
    }  # fmt: skip


def _document(house: House) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(house.visitor().get("/api/v1/openapi.json").text)
    return found


def _address(path: str, known: dict[str, str]) -> str:
    """The path with what stands there; `{name}` is of whatever the path is about."""
    about = {"contests": "contest", "bots": "bot", "ladders": "ladder"}.get(path.split("/")[3], "")
    name = known["bot"] if "/bots/{name}" in path else known.get(about, "")
    return path.format(**{**known, "name": name})


def _values(path: str, known: dict[str, str]) -> dict[str, str]:
    """Return what stands for the parameters of a path in `_address`."""
    names, found = path.split("/"), _address(path, known).split("/")
    return {name[1:-1]: value for name, value in zip(names, found, strict=True) if name.startswith("{")}


def _check(document: dict[str, Any], path: str, page: Page, media: str) -> Any:
    """Hold an answer to what the document says of this path, status and form; fields it does not name too."""
    said = document["paths"][path]["get"]["responses"]
    described = said.get(str(page.status)) or said["default"]
    assert page.headers["content-type"].partition(";")[0] == media.partition(";")[0], page.text
    schema = copy.deepcopy({**described["content"][media]["schema"], "components": document["components"]})
    for component in schema["components"]["schemas"].values():
        if "properties" in component:
            component["additionalProperties"] = False
    from jsonschema import Draft202012Validator  # takes 3 s

    found = json.loads(page.text)
    Draft202012Validator(schema).validate(found)
    return found


@pytest.mark.long
def test_every_answer_is_what_the_document_says(arena) -> None:
    house, known = arena
    document, checked = _document(house), 0
    for path in document["paths"]:
        page = house.visitor().get(_address(path, known))
        assert page.status == 200, (path, page.text)
        found = _check(document, path, page, JSON)
        if isinstance(found, dict) and "items" in found:
            empty = path.endswith("/history")  # it begins with the first point, five minutes from now
            assert found["items"] or empty, f"{path} has nothing to check"
        checked += 1
    assert checked >= 20


@pytest.mark.long
def test_tables_are_in_every_form_that_the_document_names(arena) -> None:
    house, known = arena
    document = _document(house)
    tables = [
        path for path, said in document["paths"].items()
        if FORMATS["csv"] in said["get"]["responses"]["200"]["content"]
    ]  # fmt: skip
    assert len(tables) >= 8
    for path in tables:
        address = _address(path, known)
        whole = json.loads(house.visitor().get(address).text)
        lines = house.visitor().get(f"{address}?format=jsonl")
        assert lines.headers["content-type"].startswith(FORMATS["jsonl"])
        rows = house.visitor().get(f"{address}?format=csv")
        assert rows.headers["content-type"] == FORMATS["csv"]
        count = len(whole.get("items", whole.get("lines", ())))
        assert len(lines.text.splitlines()) == count
        assert len(list(csv.DictReader(io.StringIO(rows.text, newline="")))) == count


@pytest.mark.parametrize(("address", "status"), REFUSED.items())
def test_every_refusal_is_what_the_document_says(arena, address: str, status: int) -> None:
    house, known = arena
    document = _document(house)
    page = house.visitor().get("/api/v1" + address.format(**{**known, "name": known["contest"]}))
    assert page.status == status, page.text
    bare = "/api/v1" + address.partition("?")[0].replace("{running}", "{name}").replace("/none", "/{name}")
    bare = bare.replace("/tables/{name}", "/tables/{id}").replace("/sets/x", "/sets/{number}")
    bare = bare.replace("{ladder}", "{name}").replace("/sets/99999", "/sets/{number}")
    path = bare.replace("/matches/1.1.1", "/matches/{label}").replace("/pairings/x", "/pairings/{pairing}")
    assert str(status) in document["paths"][path]["get"]["responses"]
    assert _check(document, path, page, PROBLEM)["status"] == status


def test_every_parameter_is_documented_and_nothing_is_written(arena) -> None:
    document = _document(arena[0])
    for path, operations in document["paths"].items():
        assert set(operations) == {"get"}
        named = {one["name"] for one in operations["get"].get("parameters", ()) if one["in"] == "path"}
        assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}
        assert "422" not in operations["get"]["responses"]


def test_pages_of_other_sites_may_read_it_without_credentials(arena) -> None:
    """They may read what is told to everybody, and nothing else of the arena."""
    house, _ = arena
    found = house.visitor().get("/api/v1/contests", origin="https://elsewhere.example")
    assert found.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in found.headers
    refused = house.visitor().get("/api/v1/contests/none", origin="https://elsewhere.example")
    assert (refused.status, refused.headers["access-control-allow-origin"]) == (404, "*")
    for path in ("/contests", "/me", "/status", "/healthz"):
        page = house.visitor().get(path, origin="https://elsewhere.example")
        assert not [name for name in page.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("method", "allowed"), [("GET", True), ("HEAD", True), ("POST", False), ("DELETE", False)]
)
def test_a_browser_that_asks_before_it_sends_may_only_read(arena, method: str, allowed: bool) -> None:
    house, _ = arena
    asked = {"origin": "https://elsewhere.example", "access_control_request_method": method}
    page = house.visitor()._ask("OPTIONS", "/api/v1/contests", b"", asked)
    assert (page.status == 200) == allowed


@pytest.mark.long
@pytest.mark.parametrize(("mode", "are_known"), [("positive", True), ("positive", False), ("negative", True)])
def test_what_a_fuzzer_asks_is_answered_as_the_document_says(arena, mode: str, are_known: bool) -> None:
    """Status, type, headers and schema; valid and invalid parameters; at things that are there and others."""
    import schemathesis  # takes 0.4 s
    from schemathesis import checks

    house, known = arena
    checks.load_all_checks()
    held, statuses = checks.CHECKS.get_by_names(HELD), Counter[int]()
    for found in schemathesis.openapi.from_dict(_document(house)).get_all_operations():
        operation = found.ok()
        if mode == "negative" and not len(operation.query):
            continue  # it takes nothing that could be invalid
        fixed = _values(operation.path, known) if are_known else None

        @given(operation.as_strategy(schemathesis.GenerationMode(mode), path_parameters=fixed))
        @settings(max_examples=8, database=None, phases=[Phase.generate])
        def ask(case) -> None:
            statuses[case.call_and_validate(house.url, checks=held).status_code] += 1

        ask()
    assert set(statuses) <= {200, 400, 404}
    assert statuses[200 if are_known and mode == "positive" else 404 if mode == "positive" else 400] >= 50


def _generate(document: dict[str, Any], folder: Path) -> ModuleType:
    """Return the types that a generator of clients makes of the document."""
    (folder / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
    command = (
        "-m",
        "datamodel_code_generator",
        "--input",
        "openapi.json",
        "--output",
        "arena_types.py",
        *GENERATOR,
    )
    subprocess.run([sys.executable, *command], cwd=folder, check=True, capture_output=True)
    spec = importlib.util.spec_from_file_location("arena_types", folder / "arena_types.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where msgspec looks up annotations
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
def test_a_generated_client_reads_every_answer_and_loses_none_of_it(
    arena, tmp_path: Path, monkeypatch
) -> None:
    house, known = arena
    document = _document(house)
    monkeypatch.setitem(sys.modules, "arena_types", None)  # so that it is put back
    types, lists = _generate(document, tmp_path), 0
    for path, operations in document["paths"].items():
        schema = operations["get"]["responses"]["200"]["content"][JSON]["schema"]
        parts = operations["get"]["operationId"].split("_")
        inline = "".join(part[:1].upper() + part[1:] for part in parts) + "Response"
        kind = getattr(types, schema.get("$ref", inline).rpartition("/")[2])
        text = house.visitor().get(_address(path, known)).text
        found = msgspec.json.decode(text, type=kind)
        assert msgspec.to_builtins(found) == json.loads(text), path
        lists += hasattr(found, "items")
    assert lists >= 10
