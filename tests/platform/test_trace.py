"""Traces of a whole run: one from an upload to its validation, one from a start to the standings."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import pytest

from bench.support.embedded import Embedded, running, until
from bench.support.patience import patient
from maumau.client.seek import Seeks
from maumau.contest.seed import deal_seed
from maumau.process.telemetry import derive_ids
from maumau.submission.package import pack_submission
from maumau.v1 import engine_pb2, engine_pb2_grpc
from tests.platform.collector import Collector, Span, collecting
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Player

pytestmark = pytest.mark.long

NAME = "traced"
SPEC = f"""
name = "{NAME}"
rules = "mau_mau"

[[stage]]
format = "round_robin"

[match]
block = 5
cap = 10
delta = 0.001
"""
WORK = "/maumau.v1.TournamentService/"
REGISTRY = "/maumau.v1.RegistryService/"
BOTS = Path(__file__).parents[2] / "maumau/bots"


class Run(NamedTuple):
    """A run, and the secrets that nobody may read in its traces."""

    collector: Collector
    tournament: str
    version: str
    table: str
    blocks: set[str]
    secrets: set[str]

    def trace(self, key: str) -> list[Span]:
        return self.collector.of_trace(f"{derive_ids(key)[0]:032x}")


@pytest.fixture(scope="module")
def run(house_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Submit and validate a bot, which plays a house bot to the end of a small tournament."""
    folder = tmp_path_factory.mktemp("traced")
    shutil.copytree(house_data, folder / "data")
    with collecting() as collector, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://{collector.address}")
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")
        with running(folder / "data") as arena:
            version = submit(arena, folder / NAME)
            arena.begin(SPEC, ("first", NAME))
            arena.wait_until_over(NAME)
            blocks = {one.id for one in arena.blocks(NAME)}
            table, *seats = play_with_a_house_bot(card := arena.read_card())
            found = arena.ask(lambda link: link.tournament(NAME))
            with urlopen(f"http://{card['web']}/contests/{NAME}", timeout=patient(20)) as page:
                assert NAME.encode() in page.read()
    secrets = {card[name] for name in ("token", "worker_token", "reader_token", "house_token", "password")}
    seeds = (deal_seed(found.secret, found.entries_root, "1.1.1", number) for number in range(10))
    return Run(collector, found.id, version, table, blocks, {*secrets, *seats, found.secret, *seeds})


def submit(arena: Embedded, folder: Path) -> str:
    """Return the id of a version of a house bot under another name, once a worker has found it valid."""
    shutil.copytree(BOTS / "first", folder)
    manifest = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(manifest.replace('name = "first"', f'name = "{NAME}"'))
    with arena.client() as link:
        version_id = link.submit(NAME, pack_submission(folder).archive).version.id
        until("it is validated", lambda: link.version(version_id).settled)
        assert link.version(version_id).state == "active"
    return str(version_id)


def play_with_a_house_bot(card: dict[str, str]) -> list[str]:
    """Return the id of a table played to the end by a person and a house bot, and its seats' tokens."""
    engine = Calls(card["engine"], card["token"], engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = engine.CreateTable(rules={"name": "prsi"}, seats=2, time={"bank_ms": 60_000, "window_ms": 1000})
    with Seeks(card["matchmaking"], card["token"]) as seeks:
        seeks.invite_house(made.seat_tokens[1:])
    assert Player([engine], made.seat_tokens[0]).ended()
    engine.channel.close()
    return [made.table.id, *made.seat_tokens]


def test_one_trace_goes_from_the_start_of_a_tournament_to_its_standings(run: Run) -> None:
    spans = run.trace(run.tournament)
    assert {"tournament", "advance tournament", "play block", "fetch programs", "play deals", "report block",
            "book block", "final standings"} <= {one.name for one in spans}  # fmt: skip
    assert {"maumau-tournament", "maumau-worker"} <= {one.service for one in spans}
    assert len([one for one in spans if one.name == "tournament"]) == 1


def test_what_wakes_a_worker_is_traced_until_it_claims(run: Run) -> None:
    """In which trace depends on who was first: what followed from the start, or the sweep."""
    names = {one.name for one in run.collector.spans}
    assert {"send worker.play_block", "run/worker.play_block", f"{WORK}ClaimNext"} <= names


def test_each_block_is_played_reported_and_booked_in_it(run: Run) -> None:
    spans = run.trace(run.tournament)
    played = [one for one in spans if one.name == "play block" and one.about["maumau.outcome"] == "done"]
    assert {one.about["maumau.block"] for one in played} == run.blocks
    booked = [one for one in spans if one.name == "book block"]
    assert {one.about["maumau.block"] for one in booked} == run.blocks
    for one in booked:
        road = run.collector.road(one)
        assert road[:5] == [
            ("maumau-tournament", "book block"), ("maumau-tournament", f"{WORK}SubmitBlock"),
            ("maumau-worker", f"{WORK}SubmitBlock"), ("maumau-worker", "report block"),
            ("maumau-worker", "play block"),
        ]  # fmt: skip
        assert road[-1] == ("maumau-tournament", "tournament")


def test_a_tournament_leads_to_the_submissions_that_it_is_played_by(run: Run) -> None:
    (first,) = [one for one in run.trace(run.tournament) if one.name == "tournament"]
    assert f"{derive_ids(run.version)[0]:032x}" in first.links


def test_one_trace_goes_from_an_upload_to_its_validation(run: Run) -> None:
    spans = run.trace(run.version)
    (ended,) = [
        one for one in spans
        if (one.service, one.name) == ("maumau-registry", f"{REGISTRY}SubmitValidation")
    ]  # fmt: skip
    assert run.collector.road(ended) == [
        ("maumau-registry", f"{REGISTRY}SubmitValidation"), ("maumau-worker", f"{REGISTRY}SubmitValidation"),
        ("maumau-worker", "run/worker.validate_version"), ("maumau-registry", "send worker.validate_version"),
        ("maumau-registry", "wake worker"), ("maumau-registry", "submission"),
    ]  # fmt: skip


def test_the_seat_of_a_house_bot_is_in_the_trace_of_its_table(run: Run) -> None:
    spans = {(one.service, one.name): one for one in run.trace(run.table)}
    seat = spans["maumau-sitter", "play seat"]
    assert seat.about["maumau.outcome"] == "played"
    assert run.collector.road(seat) == [("maumau-sitter", "play seat"), ("maumau-engine", "table")]


def test_a_page_leads_to_the_calls_that_it_asks(run: Run) -> None:
    calls = [one for one in run.collector.spans if one.name == f"{WORK}GetStandings"]
    roads = [run.collector.road(one) for one in calls if one.service == "maumau-tournament"]
    call = f"{WORK}GetStandings"
    page = ("maumau-web", "answer request")
    assert [("maumau-tournament", call), ("maumau-web", call), page] in roads


def test_no_token_secret_or_seed_is_in_any_trace(run: Run) -> None:
    sent = b"".join(run.collector.sent)
    assert len(run.secrets) == 5 + 2 + 1 + 10
    assert run.tournament.encode() in sent
    assert [secret for secret in run.secrets if secret.encode() in sent] == []
