"""A real Prometheus watches an arena that plays: every expression of the rules has something to say."""

from __future__ import annotations

import shutil
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from bench.embedded import Embedded, running, until
from bench.patience import patient
from maumau.matchmaking import Matchmaking
from maumau.v1 import engine_pb2, engine_pb2_grpc
from tests.engine.arena import Calls
from tests.engine.seat import Player
from tests.platform.prometheus import (
    MONITORING,
    Prometheus,
    configuration,
    targets,
    watching,
    without_threshold,
)

pytestmark = pytest.mark.long

SPEC = """
name = "watched"
rules = "mau_mau"

[[stage]]
format = "round_robin"

[match]
block = 10
cap = 2000
"""
LADDER, BOTS = "watched", ("greedy", "first", "random")


@pytest.fixture(scope="module")
def arena(
    house_data: Path, tmp_path_factory: pytest.TempPathFactory, not_tested: Callable[[str, str], None]
) -> Iterator[Embedded]:
    """A contest and a ladder that go on for longer than the tests."""
    if not shutil.which("prometheus"):
        not_tested("what Prometheus sees", "it is not installed (Debian: prometheus)")
    with running(tmp_path_factory.mktemp("watched") / "data", like=house_data) as arena:
        arena.begin(SPEC)
        with Matchmaking(arena.card()["matchmaking"], arena.card()["token"]) as link:
            link.create(LADDER, "mau_mau")
            for bot in BOTS:
                link.join(LADDER, bot)
        yield arena


@pytest.fixture(scope="module")
def prometheus(
    arena: Embedded, tmp_path_factory: pytest.TempPathFactory, free_port: Callable[[], int]
) -> Iterator[Prometheus]:
    told = configuration(list(targets(arena)))
    with watching(told, tmp_path_factory.mktemp("prometheus"), free_port()) as server:
        yield server


def use(arena: Embedded) -> None:
    """What people do while bots play: look at a page and at a leaderboard, and play a deal at a table."""
    card = arena.card()
    with urllib.request.urlopen(f"http://{card['web']}/", timeout=patient(10)) as page:
        assert page.status == 200
    with Matchmaking(card["matchmaking"], card["token"]) as link:
        link.leaderboard(LADDER)
    engine = Calls(card["engine"], card["token"], engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = engine.CreateTable(rules={"name": "prsi"}, seats=2, time={"bank_ms": 60_000, "window_ms": 1000})
    players = [Player([engine], token) for token in made.seat_tokens]
    assert all(player.ended() for player in players)
    engine.channel.close()


def rules() -> list[str]:
    groups = yaml.safe_load((MONITORING / "rules.yml").read_text())["groups"]
    every = [rule for group in groups for rule in group["rules"]]
    recorded = [rule["record"] for rule in every if "record" in rule]
    return recorded + [without_threshold(rule["expr"]) for rule in every]


def assert_all_have_data(expressions: list[str], prometheus: Prometheus, arena: Embedded) -> None:
    silent = list(expressions)

    def none_is_silent() -> bool:
        use(arena)
        silent[:] = [each for each in silent if not prometheus.has_data(each)]
        return not silent

    try:
        until("every expression has data", none_is_silent)
    except AssertionError:
        raise AssertionError(f"these had no data: {silent}") from None


def test_every_rule_finds_what_it_asks_for(prometheus: Prometheus, arena: Embedded) -> None:
    expressions = rules()
    assert len(expressions) > 20
    assert_all_have_data(expressions, prometheus, arena)


def test_a_metric_that_there_is_not_has_no_data(prometheus: Prometheus) -> None:
    assert not prometheus.has_data("maumau_tournament_blokcs_total")
    assert not prometheus.has_data("0 * maumau_tournament_active / 0")
    with pytest.raises(AssertionError, match="parse error"):
        prometheus.ask("sum(")


def test_an_alert_without_its_threshold_is_what_it_looks_at() -> None:
    assert without_threshold('up{job="maumau"} == 0') == 'up{job="maumau"}'
    assert without_threshold("a > 120 and on () sum(b) == 0") == "a and on () sum(b)"
    assert without_threshold("sum(rate(c[15m])) >= 0.5") == "sum(rate(c[15m]))"
