"""Live tables: who waits for a seat, what is played, how quickly the engine answers."""

from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.dashboards.panel import COUNT, PER_SECOND, SECONDS, new_dashboard, new_graph, quantile, rate


def build() -> Dashboard:
    words = "Live tables from the seek for a seat to the result, and the rules for anybody."
    return new_dashboard("tables", "Live tables", words, {"Tables": TABLES, "Seeks": SEEKS, "Rules": RULES})


TABLES = (
    new_graph(
        "Open tables", COUNT, "Open tables by state.",
        ("max by (state) (maumau_engine_tables)", "{{state}}"), stacked=True,
    ),
    new_graph(
        "Tables ended", PER_SECOND, "By how they ended, with seats whose time was over.",
        (rate("maumau_engine_tables_ended_total", by="state"), "{{state}}"),
        (rate("maumau_engine_flags_total"), "time over"),
    ),
    new_graph(
        "Time of a reply", SECONDS, "From a reply's arrival until it is in the log.",
        (quantile(0.5, "maumau_engine_action_seconds"), "median"),
        (quantile(0.99, "maumau_engine_action_seconds"), "99 %"),
    ),
    new_graph(
        "Replies", PER_SECOND, "Replies at tables by outcome.",
        (rate("maumau_engine_actions_total", by="outcome"), "{{outcome}}"), stacked=True,
    ),
    new_graph(
        "Results", PER_SECOND, "Results handed to matchmaking, by outcome, and taken there.",
        (rate("maumau_engine_reports_total", by="outcome"), "handed over: {{outcome}}"),
        (rate("maumau_matchmaking_live_results_total", by="outcome"), "taken: {{outcome}}"),
    ),
    new_graph(
        "House bots' seats", PER_SECOND, "Seats of live tables that workers played, by outcome.",
        (rate("maumau_worker_seats_total", by="outcome"), "{{outcome}}"), stacked=True,
    ),
)  # fmt: skip

SEEKS = (
    new_graph("Open seeks", COUNT, "Seeks that wait.", ("max(maumau_matchmaking_open_seeks)", "open")),
    new_graph(
        "Seeks", PER_SECOND, "Seeks by what became of them.",
        (rate("maumau_matchmaking_seeks_total", by="outcome"), "{{outcome}}"),
    ),
    new_graph(
        "Wait for a seat", SECONDS, "What a seek waited for its seat.",
        (quantile(0.5, "maumau_matchmaking_seek_seconds"), "median"),
        (quantile(0.95, "maumau_matchmaking_seek_seconds"), "95 %"),
    ),
)  # fmt: skip

RULES = (
    new_graph(
        "Folds", PER_SECOND, "Deals folded for callers, by outcome.",
        (rate("maumau_engine_folds_total", by="outcome"), "{{outcome}}"), stacked=True,
    ),
    new_graph(
        "Records checked", PER_SECOND, "Records checked for callers, by outcome.",
        (rate("maumau_engine_records_checked_total", by="outcome"), "{{outcome}}"), stacked=True,
    ),
    new_graph(
        "Work", PER_SECOND, "Actions folded for callers, and tables folded from the beginning of their log.",
        (rate("maumau_engine_folded_decisions_total"), "actions"),
        (rate("maumau_engine_refolds_total"), "tables"),
    ),
)  # fmt: skip
