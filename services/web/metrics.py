"""Metrics of the pages: their cost, and their watchers."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from services.web.delivery.feed import Hub

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0)


class WebMetrics:
    """Metrics labelled by names of routes and classes of statuses, never by address, contest or bot."""

    def __init__(self, registry: CollectorRegistry, hub: Hub) -> None:
        self.requests = Counter(
            "maumau_web_requests_total",
            "Requests answered, streams when they end.",
            ("route", "status"),
            registry=registry,
        )
        self.seconds = Histogram(
            "maumau_web_request_seconds",
            "Time that an answer took, streams aside.",
            ("route",),
            buckets=BUCKETS,
            registry=registry,
        )
        watchers = Gauge("maumau_web_watchers", "Streams that are told at present.", registry=registry)
        watchers.set_function(lambda: float(hub.watchers))
        feeds = Gauge("maumau_web_feeds", "Things of which a stream is read for watchers.", registry=registry)
        feeds.set_function(lambda: float(len(hub)))
