"""Tournaments and ladders: what waits, what is played, what is decided."""

from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.dashboards.panel import COUNT, PER_SECOND, SECONDS, new_dashboard, new_graph, quantile, rate


def build() -> Dashboard:
    words = "Blocks of tournaments from the queue to the result, and the pairings of ladders."
    rows = {"Tournaments": TOURNAMENTS, "Leases and records": LEASES, "Ladders": LADDERS}
    return new_dashboard("contests", "Contests", words, rows)


TOURNAMENTS = (
    new_graph(
        "Blocks", COUNT, "Blocks of all tournaments by state.",
        ("max by (state) (maumau_tournament_blocks)", "{{state}}"),
    ),
    new_graph(
        "Matches decided", PER_SECOND, "Matches decided, by the rule that ended them.",
        (rate("maumau_tournament_matches_decided_total", by="rule"), "{{rule}}"), stacked=True,
    ),
    new_graph(
        "Waiting", SECONDS, "How long the oldest queued block and the oldest untold event have waited.",
        ("max(maumau_tournament_queue_age_seconds)", "queued block"),
        ("max(maumau_tournament_outbox_lag_seconds)", "untold event"),
    ),
)  # fmt: skip

LEASES = (
    new_graph(
        "Leases ended", PER_SECOND, "By outcome: `done` is a stored result, `void` a block given up.",
        (rate("maumau_tournament_blocks_total", by="outcome"), "{{outcome}}"), stacked=True,
    ),
    new_graph(
        "Refused", PER_SECOND, "Claims of blocks that others have, and calls under leases that are over.",
        (rate("maumau_tournament_duplicate_claims_total", by="state"), "claim: {{state}}"),
        (rate("maumau_tournament_stale_fences_total", by="call"), "stale: {{call}}"),
    ),
    new_graph(
        "Messages and audits", PER_SECOND, "Messages that wake workers, and blocks played again by others.",
        (rate("maumau_tournament_messages_sent_total", by="task"), "message: {{task}}"),
        (rate("maumau_tournament_audits_total", by="outcome"), "audit: {{outcome}}"),
        (rate("maumau_tournament_isolations_total", by="outcome"), "played again alone: {{outcome}}"),
    ),
    new_graph(
        "Old records", PER_SECOND,
        "Blocks whose records were moved out of the database, and files with them by outcome.",
        (rate("maumau_tournament_moved_blocks_total"), "blocks"),
        (rate("maumau_tournament_record_files_total", by="outcome"), "files: {{outcome}}"),
    ),
)  # fmt: skip

LADDERS = (
    new_graph(
        "Pairings", PER_SECOND, "Pairings made by kind, and results kept.",
        (rate("maumau_matchmaking_pairings_total", by="kind"), "{{kind}}"),
        (rate("maumau_matchmaking_results_total"), "results"),
    ),
    new_graph(
        "Wait of a bot", SECONDS, "What a bot waited since its last pairing.",
        (quantile(0.5, "maumau_matchmaking_wait_seconds"), "median"),
        (quantile(0.95, "maumau_matchmaking_wait_seconds"), "95 %"),
    ),
    new_graph(
        "Cost of a ladder", SECONDS, "Making a batch of pairings, and fitting the ratings: 95 % take less.",
        (quantile(0.95, "maumau_matchmaking_pairing_seconds"), "pairing"),
        (quantile(0.95, "maumau_matchmaking_refit_seconds"), "ratings"),
    ),
)  # fmt: skip
