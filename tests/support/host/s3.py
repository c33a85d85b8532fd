"""A real server that speaks S3 over HTTP, with one bucket: `arena`."""

from __future__ import annotations

import subprocess
import sys
import urllib.request

import pytest

from bench.support.patience import Deadline, patient

KEY = {"AWS_ACCESS_KEY_ID": "a-key", "AWS_SECRET_ACCESS_KEY": "its-secret", "AWS_DEFAULT_REGION": "us-east-1"}


@pytest.fixture(scope="session")
def s3_server(free_port):
    """Yield the server's address."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    last = Deadline(30)
    while not _makes_bucket(address):
        assert server.poll() is None
        assert not last.has_passed()
        last.pause()
    yield address
    server.terminate()
    server.wait(patient(10))


def _makes_bucket(address: str) -> bool:
    try:
        with urllib.request.urlopen(
            urllib.request.Request(f"{address}/arena", method="PUT"), timeout=patient(10)
        ):
            return True
    except OSError:
        return False


@pytest.fixture
def s3(s3_server, monkeypatch):
    """Return the environment of a process that knows the server."""
    for name, value in {**KEY, "AWS_ENDPOINT_URL": s3_server}.items():
        monkeypatch.setenv(name, value)
    return s3_server
