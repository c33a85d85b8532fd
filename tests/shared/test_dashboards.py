"""The dashboards: what they ask for exists, they are as the code makes them, and Grafana finds them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from bench.support.patience import patient
from deploy.dashboards import files
from tests.support import promql

ROOT = Path(__file__).parents[2]
GRAFANA = ROOT / "deploy/monitoring/grafana"
PROMTOOL = shutil.which("promtool")


def test_what_rules_and_dashboards_ask_for_is_there() -> None:
    there = promql.known_series()
    asked = promql.all_expressions()
    assert len(asked) > 90
    assert {each: wrong for each in asked if (wrong := promql.find_mistakes(each, there))} == {}


def test_every_metric_of_the_arena_is_asked_for_somewhere() -> None:
    asked = {name for each in promql.all_expressions() for name in promql.parse_expression(each).names}
    there = {name for name in promql.known_series() if name.startswith(("maumau_", "grpc_"))}
    families = {re.sub(r"_(bucket|count|sum)$", "", name) for name in there}
    assert families - {re.sub(r"_(bucket|count|sum)$", "", name) for name in asked} == set()


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        ("sum(maumau_tournament_active)", []),
        ("rate(maumau_tournament_blokcs_total[5m])", ["maumau_tournament_blokcs_total"]),
        ('maumau_tournament_workers{stat="present"}', ["maumau_tournament_workers has no stat"]),
        ('maumau_tournament_workers{state=~"present|away"}', ["maumau_tournament_workers has no state away"]),
        ("sum by (states) (maumau_tournament_blocks)", ["grouped by states"]),
        ("sum by (le, route) (rate(maumau_web_request_seconds_bucket[5m]))", []),
        ("sum by (le) (rate(maumau_web_request_seconds_sum[5m]))", ["grouped by le"]),
        ('up{service="worker", instance!="a{b}"} == 1 and on () maumau:blocks_done:rate5m', []),
    ],
)
def test_an_expression_that_asks_for_what_there_is_not(expression: str, wrong: list[str]) -> None:
    assert promql.find_mistakes(expression, promql.known_series()) == wrong


def test_a_legend_names_what_a_query_is_grouped_by() -> None:
    for query in files.queries():
        named = set(re.findall(r"\{\{(\w+)\}\}", query.legend))
        assert named == promql.parse_expression(query.expression).grouped - {"le"}, query


def test_every_expression_can_be_read_by_prometheus(tmp_path: Path, not_tested) -> None:
    if PROMTOOL is None:
        not_tested("the dashboards with promtool", "there is no promtool (Debian: prometheus)")
    rules = [{"record": f"each:{place}", "expr": each} for place, each in enumerate(promql.all_expressions())]
    path = tmp_path / "rules.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}))
    command = [PROMTOOL, "check", "rules", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patient(60), check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_committed_is_what_the_code_makes() -> None:
    assert files.find_stale() == []


def test_dashboards_have_addresses_and_panels_have_numbers_of_their_own() -> None:
    boards = [json.loads(path.read_text()) for path in sorted((GRAFANA / "dashboards").glob("*.json"))]
    assert [each["uid"] for each in boards] == [
        "maumau-arena", "maumau-contests", "maumau-faults", "maumau-services", "maumau-tables",
        "maumau-workers",
    ]  # fmt: skip
    for board in boards:
        numbers = [panel["id"] for panel in board["panels"]]
        assert numbers == list(range(1, len(numbers) + 1))
        assert all(panel["description"] for panel in board["panels"] if panel["type"] != "row")


def test_grafana_is_given_the_source_and_the_folder_that_the_dashboards_are_in() -> None:
    (source,) = yaml.safe_load((GRAFANA / "provisioning/datasources/prometheus.yml").read_text())[
        "datasources"
    ]
    (provider,) = yaml.safe_load((GRAFANA / "provisioning/dashboards/arena.yml").read_text())["providers"]
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    mounted = dict(volume.split(":")[:2] for volume in services["grafana"]["volumes"])
    folders = {inside: (ROOT / outside).resolve() for outside, inside in mounted.items()}
    assert folders[provider["options"]["path"]] == files.FOLDER
    assert folders["/etc/grafana/provisioning"] == GRAFANA / "provisioning"
    assert source["url"] == "http://prometheus:9090"
    assert set(services["grafana"]["networks"]) <= set(services["prometheus"]["networks"])
    scraped = yaml.safe_load((promql.MONITORING / "prometheus.yml").read_text())["global"]["scrape_interval"]
    assert source["jsonData"]["timeInterval"] == scraped
    for path in files.FOLDER.glob("*.json"):
        assert set(re.findall(r'"uid": "(\w+)"', path.read_text())) == {source["uid"]}


def test_grafana_keeps_no_password_and_lets_nobody_change_anything() -> None:
    told = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["grafana"]
    assert told["environment"]["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"] == "true"
    assert told["environment"]["GF_AUTH_ANONYMOUS_ORG_ROLE"] == "Viewer"
    assert not any("PASSWORD" in name or "SECRET" in name for name in told["environment"])
    assert told["ports"] == ["127.0.0.1:${GRAFANA_PORT:-3000}:3000"]
