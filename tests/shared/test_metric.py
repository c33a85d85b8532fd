"""The metrics page: exemplars to those who can read them, plain text to all others."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from services.shared.base import metric
from services.tournament.metrics import TournamentMetrics

BLOCK = "block_01k7zzzzzzzzzzzzzzzzzzzzzz"
PROMETHEUS = "application/openmetrics-text;version=1.0.0;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
"""The Accept header of Prometheus."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Yield the page of a tournament service that has measured a block of 3 s."""
    registry = metric.new_registry()
    metric.observe(TournamentMetrics(registry).block_seconds, 3.0, block=BLOCK)
    page = metric.serve(registry, "127.0.0.1", 0)
    yield page.address
    page.close()


def read(address: str, accepted: str) -> tuple[str, str]:
    """Return the page's type and its text."""
    asked = urllib.request.Request(f"http://{address}/metrics", headers={"Accept": accepted})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return answer.headers["content-type"], answer.read().decode()


def test_prometheus_is_told_which_block_a_time_is_of(address: str) -> None:
    kind, text = read(address, PROMETHEUS)
    assert kind.startswith("application/openmetrics-text")
    (family,) = [
        each
        for each in text_string_to_metric_families(text)
        if each.name == "maumau_tournament_block_seconds"
    ]
    found = {each.labels["le"]: each.exemplar for each in family.samples if each.exemplar}
    assert {bound: (each.labels, each.value) for bound, each in found.items()} == {
        "5.0": ({"block": BLOCK}, 3.0)
    }


@pytest.mark.parametrize("accepted", ["", "*/*", "text/plain", "text/plain;version=0.0.4", "text/html"])
def test_whoever_asks_for_plain_text_gets_it_without_ids(address: str, accepted: str) -> None:
    kind, text = read(address, accepted)
    assert kind.startswith("text/plain")
    assert 'maumau_tournament_block_seconds_bucket{le="5.0"} 1.0' in text
    assert BLOCK not in text
