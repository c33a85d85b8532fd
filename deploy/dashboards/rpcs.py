"""Services: how many calls, how they end, how long they take, and what the services need."""

from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.dashboards.panel import COUNT, PER_SECOND, SECONDS, new_dashboard, new_graph, quantile, rate
from maumau.v1 import engine_pb2, job_pb2, matchmaking_pb2, registry_pb2, tournament_pb2

HANDLED, SECONDS_OF = "grpc_server_handled_total", "grpc_server_handling_seconds"
FAULTS = '{grpc_code=~"INTERNAL|UNKNOWN|UNAVAILABLE|DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED"}'
STREAMS = sorted(
    method.name
    for file in (engine_pb2, job_pb2, matchmaking_pb2, registry_pb2, tournament_pb2)
    for service in file.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    if method.server_streaming
)
"""Streams last as long as somebody watches, so that their durations say nothing about a service."""
NO_STREAMS = f'{{grpc_method!~"{"|".join((*STREAMS, "Watch", "ServerReflectionInfo"))}"}}'


def build() -> Dashboard:
    words = "RPCs by service and method, the pages' requests, and what the services depend on."
    return new_dashboard(
        "services", "Services and RPCs", words, {"RPCs": RPCS, "Pages": PAGES, "Needs": NEEDS}
    )


def mean_seconds(label: str) -> str:
    whole, count = (rate(f"{SECONDS_OF}_{part}", by=label, where=NO_STREAMS) for part in ("sum", "count"))
    return f"{whole} / {count}"


RPCS = (
    new_graph(
        "Calls", PER_SECOND, "RPCs ended, by service.",
        (rate(HANDLED, by="grpc_service"), "{{grpc_service}}"), stacked=True,
    ),
    new_graph(
        "How they ended", PER_SECOND, "RPCs by status; refusals are a caller's business, INTERNAL is ours.",
        (rate(HANDLED, by="grpc_code"), "{{grpc_code}}"),
    ),
    new_graph(
        "Faults", PER_SECOND, "RPCs that failed for reasons of the platform, by method.",
        (
            f'{rate(HANDLED, by="grpc_method, grpc_code", where=FAULTS)} or vector(0)',
            "{{grpc_method}} {{grpc_code}}",
        ),
    ),
    new_graph(
        "Time of a call", SECONDS, "99 % of the calls take less, streams aside, by service.",
        (quantile(0.99, SECONDS_OF, by="grpc_service", where=NO_STREAMS), "{{grpc_service}}"),
    ),
    new_graph(
        "Slowest methods", SECONDS, "The ten methods that take longest on average, streams aside.",
        (
            f"topk(10, {mean_seconds('grpc_method')})", "{{grpc_method}}",
        ),
    ),
    new_graph(
        "Busiest methods", PER_SECOND, "The ten methods that are called most.",
        (f'topk(10, {rate(HANDLED, by="grpc_method")})', "{{grpc_method}}"),
    ),
)  # fmt: skip

PAGES = (
    new_graph(
        "Requests", PER_SECOND, "Answers of the pages by class of status.",
        (rate("maumau_web_requests_total", by="status"), "{{status}}"), stacked=True,
    ),
    new_graph(
        "Time of an answer", SECONDS, "95 % of the answers take less, by route.",
        (quantile(0.95, "maumau_web_request_seconds", by="route"), "{{route}}"),
    ),
    new_graph(
        "Watchers", COUNT, "Streams that are told, and things that are read for them.",
        ("sum(maumau_web_watchers)", "watchers"), ("sum(maumau_web_feeds)", "feeds"),
    ),
)  # fmt: skip

NEEDS = (
    new_graph(
        "Processes", COUNT, "Processes that show metrics, by service.",
        ('sum by (service) (up{job="maumau"})', "{{service}}"),
    ),
    new_graph(
        "Needs", COUNT, "1 if what a service needs answers.",
        ("min by (service, need) (maumau_need_up)", "{{service}}: {{need}}"),
    ),
    new_graph(
        "Connections", COUNT, "Connections of callers, by service, and those closed a minute, by reason.",
        ("sum by (service) (maumau_connections)", "{{service}}"),
        (f'60 * ({rate("maumau_connections_closed_total", by="reason")})', "closed: {{reason}}"),
    ),
    new_graph(
        "Leaders", COUNT, "Replicas that do what only one of their service does: always 1.",
        ("sum(maumau_registry_leader)", "registry"), ("sum(maumau_tournament_leader)", "tournament"),
        ("sum(maumau_matchmaking_leader)", "matchmaking"),
    ),
)  # fmt: skip
