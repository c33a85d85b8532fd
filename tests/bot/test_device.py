"""Devices of a build step become read-only as soon as they are mounted, however slow the host is."""

import subprocess
import sys
from pathlib import Path

import pytest

from maumau.sandbox.kernel import device
from tests.support.waiting import until

PATHS = {f"/dev/{name}" for name in device.NAMES}
PROGRAM = f"read word; {'; '.join(f'mount --bind {path} {path}' for path in PATHS)}; echo mounted; cat"


@pytest.fixture
def builder(not_tested):
    """Yield a process with namespaces of its own that mounts its devices when it has read a line."""
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f"echo; {PROGRAM}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if not process.stdout.readline():
            not_tested("devices of a build step", "unshare makes no namespaces here")
        yield process


def find_namespace(pid):
    return Path(f"/proc/{pid}/ns/mnt").readlink()


def list_read_only(pid):
    """Return the mounts of a process that are read-only."""
    mounts = [line.split() for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines()]
    return {words[4] for words in mounts if "ro" in words[5].split(",")}


def test_devices_that_are_mounted_late_become_read_only(builder):
    command = [sys.executable, "-m", "maumau.sandbox.kernel.device", str(builder.pid)]
    with subprocess.Popen(command) as helper:
        until(lambda: find_namespace(helper.pid) == find_namespace(builder.pid))
        assert not list_read_only(builder.pid) & PATHS
        builder.stdin.write("go\n")
        builder.stdin.flush()
        assert helper.wait() == 0
    assert list_read_only(builder.pid) >= PATHS
