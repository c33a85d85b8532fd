"""Prometheus's configuration: every name is a metric of the code, and alerts do what they are for."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from bench.support.patience import patient
from deploy import metrics

ROOT = Path(__file__).parents[2]
MONITORING = ROOT / "deploy/monitoring"
PROMTOOL, AMTOOL = shutil.which("promtool"), shutil.which("amtool")


OPEN = {"grpc_server_handled", "maumau_web_requests"}  # methods with codes, routes with statuses


def test_every_counter_is_there_before_it_counts() -> None:
    """An increase from nothing to 1 is none to Prometheus: an alert would miss the first void block."""
    counters = [each for _, each in metrics.families() if each.type == "counter" and each.name not in OPEN]
    assert len(counters) > 20
    assert [each.name for each in counters if not each.samples] == []


def labels_in_the_code() -> set[tuple[str, str]]:
    """Service and value, wherever a label is a word or a choice between words."""
    found = set()
    for path in (ROOT / "services").rglob("*.py"):
        service = path.relative_to(ROOT / "services").parts[0]
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "labels":
                words = [each for given in node.args for each in _choices(given)]
                found |= {(service, word) for word in words}
    return found


def _choices(node: ast.AST) -> list[str]:
    if isinstance(node, ast.IfExp):
        return _choices(node.body) + _choices(node.orelse)
    return [node.value] if isinstance(node, ast.Constant) else []


def test_every_label_that_the_code_names_is_of_a_closed_set() -> None:
    known = {
        (service, value)
        for service, family in metrics.families()
        for sample in family.samples
        for value in sample.labels.values()
    }
    named = labels_in_the_code()
    assert len(named) > 15
    assert named - known == set()


def test_every_service_of_the_compose_file_is_scraped() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    running = {name: each for name, each in services.items() if "profiles" not in each}
    ours = {name for name, each in running.items() if each["image"].startswith("maumau-arena")}
    (job,) = yaml.safe_load((MONITORING / "prometheus.yml").read_text())["scrape_configs"]
    assert set(job["dns_sd_configs"][0]["names"]) == ours


def test_prometheus_keeps_exemplars() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert "--enable-feature=exemplar-storage" in services["prometheus"]["command"]


def test_every_alert_has_a_case_in_which_it_fires() -> None:
    groups = yaml.safe_load((MONITORING / "rules.yml").read_text())["groups"]
    alerts = {rule["alert"]: rule for group in groups for rule in group["rules"] if "alert" in rule}
    cases = yaml.safe_load((MONITORING / "rules.test.yml").read_text())["tests"]
    fired = {
        test["alertname"]
        for case in cases
        for test in case.get("alert_rule_test", [])
        if test.get("exp_alerts")
    }
    assert set(alerts) == fired
    assert all(rule["annotations"]["summary"] for rule in alerts.values())


@pytest.mark.long
def test_alerts_do_what_they_are_for(not_tested) -> None:
    if PROMTOOL is None:
        not_tested("the alert rules with promtool", "there is no promtool (Debian: prometheus)")
    for command in (["check", "config", "prometheus.yml"], ["test", "rules", "rules.test.yml"]):
        done = subprocess.run(
            [PROMTOOL, *command],
            cwd=MONITORING,
            capture_output=True,
            text=True,
            timeout=patient(60),
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_has_a_receiver_and_is_silenced_only_by_alerts_that_there_are() -> None:
    told = yaml.safe_load((MONITORING / "alertmanager.example.yml").read_text())
    groups = yaml.safe_load((MONITORING / "rules.yml").read_text())["groups"]
    alerts = {
        rule["alert"]: rule["labels"]["severity"]
        for group in groups for rule in group["rules"] if "alert" in rule
    }  # fmt: skip
    assert {one["name"] for one in told["receivers"]} == set(alerts.values()) == {"page", "ticket"}
    assert told["route"]["receiver"] == "ticket"
    (pages,) = told["route"]["routes"]
    assert (pages["matchers"], pages["receiver"]) == (['severity="page"'], "page")
    named = re.findall(r"[A-Z]\w+", str(told["inhibit_rules"]))
    assert named
    assert set(named) <= set(alerts)


def test_alertmanager_reads_the_example(not_tested) -> None:
    if AMTOOL is None:
        not_tested("Alertmanager's example", "there is no amtool (Debian: prometheus-alertmanager)")
    command = [AMTOOL, "check-config", MONITORING / "alertmanager.example.yml"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patient(60), check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_on_metrics_is_as_the_code_has_them() -> None:
    assert metrics.PAGE.read_text(encoding="utf-8") == metrics.text()
