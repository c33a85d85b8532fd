"""A data folder to start arenas from: the house bots may play, as after a first run, without its deals."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.support.checkout import ROOT
from bench.support.patience import patient
from maumau.client.arena import Arena
from maumau.submission.package import pack_submission
from maumau.v1 import registry_pb2, registry_pb2_grpc
from services.shared.rpc import client
from tests.support.polling import until

ADMIN, WORKER = "mm_the-first-admin-here", "mm_a-worker-that-believes"


def admit_bots(data: Path, broker: str, account: str = "house", bots: Sequence[Path] = ()) -> None:
    """Submits bots, by default the house's, to a registry on `data`, trusts and activates them."""
    said = data.with_name("registry.ready")
    told = {
        "DATA": str(data), "BROKER_URL": broker, "ADMIN_TOKEN": ADMIN, "WORKER_TOKEN": WORKER,
        "READY_FILE": str(said),
    }  # fmt: skip
    env = {**os.environ, **{f"MAUMAU_{name}": value for name, value in told.items()}}
    registry = subprocess.Popen([sys.executable, "-m", "services.registry"], cwd=ROOT, env=env)
    try:
        until("the registry listens", said.exists)
        house = sorted(manifest.parent for manifest in (ROOT / "maumau/bots").glob("*/bot.toml"))
        _admit_at(json.loads(said.read_text())["address"], account, bots or house)
    finally:
        registry.send_signal(signal.SIGTERM)
        registry.wait(patient(20))


def _admit_at(address: str, account: str, bots: Sequence[Path]) -> None:
    stub = registry_pb2_grpc.RegistryServiceStub(client.connect(address, WORKER))
    with Arena(address, address, ADMIN) as admin:
        token = admin.create_account(account).token
    with Arena(address, address, token) as author:
        for folder in bots:
            version = author.submit(folder.name, pack_submission(folder).archive).version.id
            claim = registry_pb2.ClaimValidationRequest(version_id=version, worker="trust")
            fence = stub.ClaimValidation(claim).fence
            verdict = registry_pb2.SubmitValidationRequest(version_id=version, fence=fence, ok=True)
            stub.SubmitValidation(verdict)
            author.activate(version)


def broken_checkout(folder: Path, *bots: str) -> Path:
    """Return a copy of this checkout in which these house bots do not start."""
    for part in ("maumau", "services"):
        shutil.copytree(ROOT / part, folder / part)  # with its times: compiled Python stays valid
    for bot in bots:
        (folder / "maumau/bots" / bot / "bot.py").write_text("raise SystemExit('not today')\n")
    return folder
