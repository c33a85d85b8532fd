"""Debian's Prometheus, which scrapes an embedded arena by the rules in deploy/monitoring."""

from __future__ import annotations

import json
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import yaml

from bench.support.embedded import Embedded, until
from bench.support.patience import patient

MONITORING = Path(__file__).parents[2] / "deploy/monitoring"
SERVICES = ("registry", "tournament", "engine", "matchmaking", "web")
THRESHOLD = re.compile(r"\s*(==|!=|>=|<=|>|<)\s*[\d.]+")


class Prometheus:
    """A running server at 127.0.0.1."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def ask(self, expression: str) -> list[Any]:
        """Return the series of an instant query; raise AssertionError with Prometheus' message on errors."""
        words = urllib.parse.urlencode({"query": expression})
        try:
            answer = self._get(f"/api/v1/query?{words}")
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{expression}: {error.read().decode()}") from None
        return answer["data"]["result"]

    def has_data(self, expression: str) -> bool:
        """Return True if it has a series with a number; 0 divided by 0 is not one."""
        return any(each["value"][1] != "NaN" for each in self.ask(expression))

    def exemplars(self, series: str) -> list[dict[str, str]]:
        """Return the labels of all that are kept of these series."""
        words = urllib.parse.urlencode({"query": series, "start": 0, "end": time.time() + 60})
        answer = self._get(f"/api/v1/query_exemplars?{words}")
        return [one["labels"] for each in answer["data"] for one in each["exemplars"]]

    def down(self) -> list[str]:
        """Return the targets that do not answer, or have not been asked yet."""
        targets = self._get("/api/v1/targets")["data"]["activeTargets"]
        return [each["labels"]["service"] for each in targets if each["health"] != "up"]

    def _get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=patient(10)) as response:
            return json.load(response)


def without_threshold(expression: str) -> str:
    """Return an alert's expression without its threshold."""
    return THRESHOLD.sub("", expression)


def targets(arena: Embedded) -> Iterator[tuple[str, str]]:
    """Yield each process of the arena with its metrics' address; a worker's is found by its port."""
    for name in SERVICES:
        yield name, json.loads((arena.data / f"{name}.ready").read_text())["metrics"]
    for name, pid in arena.read_card()["processes"].items():
        if name.startswith(("worker-", "sitter")):
            yield name.partition("-")[0], until("its metrics are served", partial(_find_listener, pid), 60)


def _find_listener(pid: int) -> str:
    """Return the address at which a process listens; empty while it does not, as workers start last."""
    found = [each.laddr for each in psutil.Process(pid).net_connections("tcp") if each.status == "LISTEN"]
    return f"{found[0].ip}:{found[0].port}" if found else ""


def configuration(found: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the committed configuration, with these targets in place of compose's, at every second."""
    told = yaml.safe_load((MONITORING / "prometheus.yml").read_text())
    told["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    told["rule_files"] = [str(MONITORING / name) for name in told["rule_files"]]
    (job,) = told["scrape_configs"]
    del job["dns_sd_configs"]
    job["static_configs"] = [
        {"targets": [address], "labels": {"__meta_dns_name": name}} for name, address in found
    ]
    return dict(told)


@contextmanager
def watching(told: Mapping[str, Any], folder: Path, port: int) -> Iterator[Prometheus]:
    """Yield a Prometheus of this configuration, whose targets all answer."""
    path = folder / "prometheus.yml"
    path.write_text(yaml.safe_dump(dict(told)))
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(
            ["prometheus", f"--config.file={path}", f"--storage.tsdb.path={folder / 'series'}",
             f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn",
             "--enable-feature=exemplar-storage"],
            stdout=log, stderr=log,
        )  # fmt: skip
    try:
        server = Prometheus(port)
        until("all targets are scraped", lambda: not server.down())
        yield server
    finally:
        process.terminate()
        process.wait(patient(20))
