"""A cup of house bots in the containers; every run of it must give the same compared lines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.support.patience import Deadline
from maumau.cli.shared import export
from maumau.client.arena import Arena
from maumau.submission import package
from tests.containers.arena import ROOT, Containers

BOTS = ("first", "greedy", "counter", "hoarder")
SPEC = """
name = "{name}"
rules = "mau_mau"
secret = "a-secret-that-all-runs-share"
[entries]
per_account = 4
[[stage]]
format = "round_robin"
[match]
block = 10
cap = {cap}
delta = 0.001
"""
CAP = 200


class Cup:
    """A round robin of four, which has been started."""

    def __init__(
        self, containers: Containers, name: str, bots: tuple[str, ...] = BOTS, cap: int = CAP
    ) -> None:
        self.containers, self.name = containers, name
        with containers.connect() as admin:
            admit(admin)
            admin.create(SPEC.format(name=name, cap=cap))
            admin.open(name)
            for bot in bots:
                admin.enter(name, bot)
            admin.start(name)

    def is_running(self) -> bool:
        with self.containers.connect() as admin:
            return admin.tournament(self.name).state == "running"

    def blocks(self, admin: Arena) -> list[Any]:
        """Return the blocks of all its matches."""
        labels = [match.label for match in admin.matches(self.name)]
        return [block for label in labels for block in admin.match(self.name, label).blocks]

    def wait_for_blocks(self, count: int) -> None:
        """Waits until this many have been played."""
        deadline = Deadline(300)
        with self.containers.connect() as admin:
            while sum(block.state == "done" for block in self.blocks(admin)) < count:
                assert not deadline.has_passed(), admin.tournament(self.name)
                deadline.pause()

    def wait_until_over(self) -> None:
        deadline = Deadline(900)
        with self.containers.connect() as admin:
            while admin.tournament(self.name).state != "finished":
                assert not deadline.has_passed(), admin.tournament(self.name)
                deadline.pause()

    def hosts(self) -> set[str]:
        """Return the hosts on which its blocks were played."""
        with self.containers.connect() as admin:
            return {block.worker.partition("/")[0] for block in self.blocks(admin) if block.worker}

    def compared(self, folder: Path) -> list[bytes]:
        """Return the lines of its export in which no worker, no clock and not its name have a part."""
        self.wait_until_over()
        path = folder / f"{self.name}.export.jsonl"
        with self.containers.connect() as admin:
            export.to_file(admin.export(self.name), path)
        subprocess.run([sys.executable, "-m", "maumau.cli", "verify", str(path)], check=True)
        lines = path.read_bytes().splitlines()
        return [line for line in lines if json.loads(line)["kind"] not in {"spec", "measured", "end"}]


def admit(admin: Arena) -> None:
    """Wait until the workers have validated the house's bots, unless an earlier test has done it."""
    if admin.bots():
        return
    house = admin.with_token(admin.create_account("house").token)
    for name in BOTS:
        house.submit(name, package.pack_submission(ROOT / "maumau/bots" / name).archive)
    deadline = Deadline(300)
    while not all(bot.versions[0].settled for bot in house.bots(mine=True)):
        assert not deadline.has_passed(), house.bots(mine=True)
        deadline.pause()
    for bot in house.bots(mine=True):
        assert house.activate(bot.versions[0].id).state == "active"
