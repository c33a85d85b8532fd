"""Workers: whether they play, and what their time goes into."""

from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.dashboards.panel import (
    COUNT,
    PER_SECOND,
    SHARE,
    new_dashboard,
    new_graph,
    new_graph_of_seconds,
    new_number,
    quantile,
    rate,
)

TO_VALIDATE = 'maumau_registry_versions{state=~"uploaded|validating"}'
TIME = "maumau_worker_{}_seconds_total"


def share_of_time(kind: str) -> str:
    """Return the expression of a share of all scraped workers' time."""
    return f'{rate(TIME.format(kind))} / scalar(count(up{{service="worker"}} == 1))'


def build() -> Dashboard:
    words = "Workers, what they do with their time, and what they fail at."
    rows = {"Now": NOW, "Play": PLAY, "Blocks": BLOCK_GRAPHS, "Trouble": TROUBLE}
    return new_dashboard("workers", "Workers", words, rows)


NOW = (
    new_number(
        "Present", COUNT, 'max(maumau_tournament_workers{state="present"})', "Workers heard of lately."
    ),
    new_number(
        "Suspended", COUNT, 'max(maumau_tournament_workers{state="suspended"})',
        "Workers that get no blocks; `maumau workers` says why.", bad_from=1,
    ),
    new_number(
        "Blocks claimed", COUNT, 'max(maumau_tournament_blocks{state="claimed"})',
        "Blocks that workers have at present.",
    ),
    new_number(
        "Versions to validate", COUNT, f"sum({TO_VALIDATE}) or vector(0)",
        "Uploads that wait for a worker or are with one.",
    ),
)  # fmt: skip

PLAY = (
    new_graph(
        "Time", SHARE, "Share of the workers' time: at the table, starting programs, fetching programs.",
        (share_of_time("play"), "at the table"), (share_of_time("start"), "starting"),
        (share_of_time("fetch"), "fetching"), stacked=True,
    ),
    new_graph(
        "Decisions", PER_SECOND, "Decisions that each worker asked bots for.",
        (rate("maumau_worker_decisions_total", by="instance"), "{{instance}}"), stacked=True,
    ),
    new_graph(
        "Validations", PER_SECOND, "Validations by outcome.",
        (rate("maumau_worker_validations_total", by="outcome"), "{{outcome}}"), stacked=True,
    ),
)  # fmt: skip


def times_of(histogram: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (quantile(0.5, histogram), "median"), (quantile(0.95, histogram), "95 %")


BLOCK_GRAPHS = (
    new_graph_of_seconds(
        "Play", "Time that workers spent on a block.", *times_of("maumau_tournament_block_seconds")
    ),
    new_graph_of_seconds(
        "Claims", "Time it took to hand out a block.", *times_of("maumau_tournament_claim_seconds")
    ),
    new_graph_of_seconds(
        "Booking", "From a block's report until it was booked, checks by replay included.",
        *times_of("maumau_tournament_booking_seconds"),
    ),
)  # fmt: skip

TROUBLE = (
    new_graph(
        "Blocks", PER_SECOND, "Blocks by outcome, as workers saw them end.",
        (rate("maumau_worker_blocks_total", by="outcome"), "{{outcome}}"), stacked=True,
    ),
    new_graph(
        "Tests of themselves", PER_SECOND, "What workers do after failures in a row, by result.",
        (rate("maumau_worker_tests_total", by="result"), "{{result}}"),
    ),
    new_graph(
        "Away", COUNT, "Workers whose metrics do not come.",
        ('count(up{service=~"worker|sitter"}) - sum(up{service=~"worker|sitter"})', "away"),
    ),
)  # fmt: skip
