"""Answers are counted by their routes; the length of a stream is not the time of an answer."""

from __future__ import annotations

from tests.support.polling import until

COUNT, TIME = "maumau_web_requests_total", "maumau_web_request_seconds_count"


def test_answers_are_counted_by_route_and_status(site) -> None:
    for path in ("/contests", "/contests", "/contests/nobody-knows-it", "/rules/prsi", "/login", "/nowhere"):
        site.get(path)
    site.get("/api/v1/contests")
    expected = {
        ("/contests", "2xx"): 2, ("/contests/{name}", "4xx"): 1, ("/rules/{name}", "2xx"): 1,
        ("/login", "2xx"): 1, ("other", "4xx"): 1, ("/api/v1/contests", "2xx"): 1,
    }  # fmt: skip
    until("the last one is counted", lambda: sum(counted(site).values()) == sum(expected.values()))
    assert counted(site) == expected


def counted(site) -> dict[tuple[str, str], float]:
    """Answers by route and status."""
    samples = (sample for metric in site.registry.collect() for sample in metric.samples)
    return {(one.labels["route"], one.labels["status"]): one.value for one in samples if one.name == COUNT}


def test_a_stream_is_counted_when_it_ends_and_its_time_is_not(site) -> None:
    with site.watching("/stream"):
        pass
    labels = {"route": "/stream"}
    until("it is counted", lambda: site.registry.get_sample_value(COUNT, labels | {"status": "2xx"}))
    assert site.registry.get_sample_value(TIME, labels) is None
