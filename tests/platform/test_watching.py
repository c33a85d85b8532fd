"""A real Prometheus watches an arena that plays: every rule and every dashboard has something to say."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from bench.support.embedded import Embedded, running, until
from deploy.dashboards import files
from tests.platform.busy import begin_play, new_data, use_it
from tests.platform.prometheus import Prometheus, configuration, targets, watching, without_threshold
from tests.support import promql

pytestmark = pytest.mark.long
COUNTED = ("maumau_tournament_bot_faults_total", "maumau_registry_suspended_total")


@pytest.fixture(scope="module")
def arena(
    house_data: Path, valkey: str, tmp_path_factory: pytest.TempPathFactory,
    not_tested: Callable[[str, str], None],
) -> Iterator[Embedded]:  # fmt: skip
    if not shutil.which("prometheus"):
        not_tested("what Prometheus sees", "it is not installed (Debian: prometheus)")
    with running(new_data(house_data, f"{valkey}/4", tmp_path_factory.mktemp("watched"))) as arena:
        yield arena


@pytest.fixture(scope="module")
def prometheus(
    arena: Embedded, tmp_path_factory: pytest.TempPathFactory, free_port: Callable[[], int]
) -> Iterator[Prometheus]:
    """Yield a Prometheus that watches a contest and a ladder from their start, for longer than the tests."""
    told = configuration(list(targets(arena)))
    with watching(told, tmp_path_factory.mktemp("prometheus"), free_port()) as server:
        for counter in COUNTED:  # counters that rise before their first sample have no increase
            until(f"{counter} was looked at", partial(server.has_data, counter))
        begin_play(arena)
        yield server


def rules() -> list[str]:
    every = list(promql.all_rules())
    recorded = [rule["record"] for rule in every if "record" in rule]
    return recorded + [without_threshold(rule["expr"]) for rule in every]


def panels() -> list[str]:
    return [query.expression.replace("$__rate_interval", "1m") for query in files.queries()]


def assert_all_have_data(expressions: list[str], prometheus: Prometheus, arena: Embedded) -> None:
    silent = list(expressions)

    def none_is_silent() -> bool:
        use_it(arena)
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


def test_every_panel_of_the_dashboards_shows_something(prometheus: Prometheus, arena: Embedded) -> None:
    expressions = panels()
    assert len(expressions) > 70
    assert_all_have_data(expressions, prometheus, arena)


@pytest.mark.parametrize("histogram", ["block_seconds", "claim_seconds", "booking_seconds"])
def test_a_bucket_names_a_block_that_was_played(
    prometheus: Prometheus, arena: Embedded, histogram: str
) -> None:
    """An exemplar is kept, and leads to a block that the arena knows."""
    series = f"maumau_tournament_{histogram}_bucket"
    until("one is kept", lambda: prometheus.exemplars(series))
    named = {one["block"] for one in prometheus.exemplars(series)}
    with closing(sqlite3.connect(f"file:{arena.data / 'tournament.db'}?mode=ro", uri=True)) as database:
        assert named <= {row[0] for row in database.execute("SELECT id FROM block")}


@pytest.mark.parametrize("panel", ["Faults in an hour", "Suspended in a day"])
def test_a_bot_that_faults_and_is_suspended_is_counted(prometheus: Prometheus, panel: str) -> None:
    (expression,) = [query.expression for query in files.queries() if query.panel == panel]
    until("it is counted", lambda: prometheus.has_data(f"{expression} > 0"))


def test_a_metric_that_there_is_not_has_no_data(prometheus: Prometheus) -> None:
    assert not prometheus.has_data("maumau_tournament_blokcs_total")
    assert not prometheus.has_data("0 * maumau_tournament_active / 0")
    with pytest.raises(AssertionError, match="parse error"):
        prometheus.ask("sum(")


def test_an_alert_without_its_threshold_is_what_it_looks_at() -> None:
    assert without_threshold('up{job="maumau"} == 0') == 'up{job="maumau"}'
    assert without_threshold("a > 120 and on () sum(b) == 0") == "a and on () sum(b)"
    assert without_threshold("sum(rate(c[15m])) >= 0.5") == "sum(rate(c[15m]))"
