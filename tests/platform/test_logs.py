"""The logs of a whole run: nothing secret is in them, and lines about a block or a call say which."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench.support.embedded import running, until
from maumau.contest.seed import deal_seed
from tests.platform.busy import begin_play, new_data, use_it
from tests.support.arenas.tournament import Worker

pytestmark = pytest.mark.long

ABOUT_BLOCKS = {
    "block", "the block cannot be played here", "the block could not be played", "lease not renewed",
    "lease lost", "block given back", "not given back; its lease runs out", "stale fence", "report refused",
    "block put off", "lease not renewed: no progress",
}  # fmt: skip
TOKEN = re.compile(r"mm_[\w-]{20,}")
TERMS = "SELECT secret, root, label, seed_take FROM contest JOIN job ON job.contest_id = contest.id"


class Run(NamedTuple):
    """The remains of an arena that has ended, and the secrets that nobody may read there."""

    data: Path
    secrets: set[str]

    def logs(self) -> dict[str, str]:
        paths = [*(self.data / "logs").glob("*.log*"), self.data / "supervisor.out"]
        return {path.name: path.read_text(errors="replace") for path in paths}

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines of services and workers, without Valkey's and Celery's own output."""
        return [
            json.loads(line) for text in self.logs().values() for line in text.splitlines()
            if line.startswith("{")
        ]  # fmt: skip


@pytest.fixture(scope="module")
def run(house_data: Path, valkey: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run in which bots fault and people play, make a mistake, a token and a code, and log in."""
    data = new_data(house_data, f"{valkey}/4", tmp_path_factory.mktemp("logged"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MAUMAU_LOG", "json")
        with running(data) as arena:
            cup = begin_play(arena)
            _give_a_block_back(arena.read_card())
            secrets = {*use_it(arena), *_make_tokens(arena)}
            until("faults are booked", lambda: arena.ask(lambda link: link.faults(cup, "1.1.1")))
            arena.wait_until_under_way(cup)
            card = arena.read_card()
    secrets |= {card[name] for name in ("token", "worker_token", "reader_token", "house_token", "password")}
    return Run(data, secrets | _stored_secrets(data))


def _give_a_block_back(card: dict[str, Any]) -> None:
    """Claim a block as a worker and give it back: whether the arena's workers do so at the end is chance."""
    worker = Worker(card["tournament"], "visitor", card["worker_token"])
    order = until("a block is claimed", lambda: worker.claim(wait=1.0))
    worker.RenewLease(block_id=order.block_id, fence=order.fence, give_back=True)


def _make_tokens(arena: Any) -> set[str]:
    with arena.client() as link:
        made = link.create_account("newcomer").token
        code = link.create_page_code().code
        with link.with_token(made) as newcomer:
            return {made, code, newcomer.rotate_token().token}


def _stored_secrets(data: Path) -> set[str]:
    """Return the secrets of contests, with the seeds of their first deals, and of ladders."""
    with sqlite3.connect(data / "tournament.db") as database:
        terms = database.execute(TERMS).fetchall()
        found = {row[0] for row in database.execute("SELECT secret FROM tournament")}
    for secret, root, label, take in terms:
        found |= {secret, *(deal_seed(secret, root, label, number, take) for number in range(5))}
    with sqlite3.connect(data / "matchmaking.db") as database:
        found |= {row[0] for row in database.execute("SELECT secret FROM epoch")}
    return found - {""}


def test_no_token_secret_or_seed_is_in_any_log(run: Run) -> None:
    assert len(run.secrets) > 20
    assert min(map(len, run.secrets)) > 5
    logs = run.logs()
    assert {"registry.log", "tournament.log", "worker-1.log", "sitter.log", "supervisor.out"} <= set(logs)
    for name, text in logs.items():
        assert [secret for secret in run.secrets if secret in text] == [], name
        assert TOKEN.findall(text) == [], name


def test_a_line_about_a_block_says_of_which_match_and_contest_it_is(run: Run) -> None:
    about = [line for line in run.lines() if line["event"] in ABOUT_BLOCKS]
    assert {line["service"] for line in about} == {"worker", "tournament"}
    assert [line for line in about if not {"contest", "match", "block"} <= set(line)] == []


def test_a_line_about_a_call_has_its_request_id(run: Run) -> None:
    lines = [line for line in run.lines() if "method" in line or line["event"] in {"refused", "action"}]
    assert {"refused", "action", "block given back"} <= {line["event"] for line in lines}
    assert [line for line in lines if not line.get("request_id")] == []


def test_a_line_about_a_seat_names_its_table(run: Run) -> None:
    seats = [line for line in run.lines() if line["event"] == "seat"]
    assert len(seats) >= 2
    assert all(line["table"].startswith("table_") for line in seats)


def test_every_line_says_which_service_wrote_it(run: Run) -> None:
    assert {line.get("service") for line in run.lines()} == {
        "registry", "tournament", "engine", "matchmaking", "web", "worker",
    }  # fmt: skip
