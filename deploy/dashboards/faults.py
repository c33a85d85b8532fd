"""Bots: what is uploaded, what is valid, and the deals that they lose by faults of their own."""

from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.dashboards.panel import (
    BYTES,
    COUNT,
    PER_SECOND,
    SECONDS,
    SHARE,
    new_dashboard,
    new_graph,
    new_number,
    rate,
)


def build() -> Dashboard:
    words = "Deals that bots lose by faults of their own, and the way of their versions into play."
    return new_dashboard("faults", "Bots' faults", words, {"Now": NOW, "Play": PLAY, "Uploads": UPLOADS})


NOW = (
    new_number(
        "Faults in an hour", COUNT, "sum(increase(maumau_tournament_bot_faults_total[1h]))",
        "Deals of stored blocks that bots lost by faults.",
    ),
    new_number(
        "Suspended in a day", COUNT, "sum(increase(maumau_registry_suspended_total[1d]))",
        "Versions taken out of play for their faults.",
    ),
    new_number(
        "Active", COUNT, 'max(maumau_registry_versions{state="active"})', "Versions that may play."
    ),
    new_number(
        "Oldest in the queue", SECONDS, "max(maumau_registry_oldest_waiting_seconds)",
        "How long the oldest waiting version has waited for a worker.", bad_from=900,
    ),
)  # fmt: skip

PLAY = (
    new_graph(
        "Faults", PER_SECOND, "Deals of stored blocks that bots lost, by kind of fault.",
        (rate("maumau_tournament_bot_faults_total", by="kind"), "{{kind}}"), stacked=True,
    ),
    new_graph(
        "Share of deals", SHARE, "Deals lost by faults, of all deals in stored blocks.",
        (
            f'{rate("maumau_tournament_bot_faults_total")} / {rate("maumau_tournament_deals_total")}',
            "lost by faults",
        ),
    ),
    new_graph(
        "As workers see them", PER_SECOND, "The same at the tables, blocks that are never stored included.",
        (rate("maumau_worker_bot_faults_total", by="kind"), "{{kind}}"), stacked=True,
    ),
)  # fmt: skip

UPLOADS = (
    new_graph(
        "Versions", COUNT, "Versions by state.", ("max by (state) (maumau_registry_versions)", "{{state}}")
    ),
    new_graph(
        "Uploads and validations", PER_SECOND, "By outcome.",
        (rate("maumau_registry_uploads_total", by="outcome"), "upload: {{outcome}}"),
        (rate("maumau_registry_validations_total", by="outcome"), "validation: {{outcome}}"),
        (rate("maumau_registry_validation_claims_total"), "validation begun"),
        (rate("maumau_registry_duplicate_claims_total"), "claim in vain"),
        (rate("maumau_registry_stale_fences_total"), "report too late"),
    ),
    new_graph(
        "Webhooks", PER_SECOND, "Attempts to tell them, by outcome.",
        (rate("maumau_registry_webhook_deliveries_total", by="outcome"), "{{outcome}}"),
    ),
    new_graph(
        "Waiting for webhooks", COUNT, "Deliveries that wait for webhooks that are not disabled.",
        ("max(maumau_registry_webhook_waiting)", "deliveries"),
        ("max(maumau_registry_webhook_oldest_seconds)", "seconds of the oldest"),
    ),
    new_graph(
        "Bytes", BYTES, "Programs taken in, in bytes a second.",
        (rate("maumau_registry_upload_bytes_total"), "uploads"),
    ),
)  # fmt: skip
