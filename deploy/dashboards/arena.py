"""The arena as a whole: what an organiser looks at first."""

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
    words = "Is the arena well, and does it play? The other dashboards have the details."
    rows = {"Now": NOW, "Play": PLAY, "Processes": PROCESSES}
    return new_dashboard("arena", "Arena", words, rows)


NOW = (
    new_number(
        "Alerts", COUNT, 'count(ALERTS{alertstate="firing"}) or vector(0)',
        "Alerts of deploy/monitoring/rules.yml that fire.", bad_from=1,
    ),
    new_number(
        "Processes away", COUNT, 'count(up{job="maumau"} == 0) or vector(0)',
        "Services and workers that show no metrics.", bad_from=1,
    ),
    new_number(
        "Needs away", COUNT, "count(maumau_need_up == 0) or vector(0)",
        "Databases, brokers and services that a service needs and does not reach.", bad_from=1,
    ),
    new_number(
        "Tournaments", COUNT, "max(maumau_tournament_active)", "Tournaments being played or paused."
    ),
    new_number(
        "Workers", COUNT, 'max(maumau_tournament_workers{state="present"})', "Workers heard of lately."
    ),
    new_number(
        "Queue", SECONDS, "max(maumau_tournament_queue_age_seconds)",
        "How long the oldest queued block has waited; a long queue is normal while blocks are being played.",
    ),
)  # fmt: skip

PLAY = (
    new_graph(
        "Blocks and deals", PER_SECOND, "Blocks finished, and the deals in them.",
        (rate("maumau_tournament_blocks_total", where='{outcome="done"}'), "blocks"),
        (rate("maumau_tournament_deals_total"), "deals"),
    ),
    new_graph(
        "Decisions", PER_SECOND, "Decisions of bots in stored blocks.",
        (rate("maumau_tournament_decisions_total"), "decisions"),
    ),
    new_graph(
        "Watchers and open tables", COUNT, "Streams that pages tell, and live tables being played.",
        ("sum(maumau_web_watchers)", "watchers"),
        ("max by (state) (maumau_engine_tables)", "tables: {{state}}"),
    ),
)  # fmt: skip

PROCESSES = (
    new_graph(
        "Cores in use", COUNT, "CPU time of the arena's own processes by service; bots' is not in it.",
        ('sum by (service) (rate(process_cpu_seconds_total{job="maumau"}[$__rate_interval]))', "{{service}}"),
        stacked=True,
    ),
    new_graph(
        "Memory", BYTES, "What the arena's own processes keep in memory, by service.",
        ('sum by (service) (process_resident_memory_bytes{job="maumau"})', "{{service}}"), stacked=True,
    ),
    new_graph(
        "File descriptors", SHARE, "Open ones, as a share of how many the fullest process may have.",
        (
            'max by (service) (process_open_fds{job="maumau"} / process_max_fds{job="maumau"})',
            "{{service}}",
        ),
    ),
)  # fmt: skip
