"""Services load variants in threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CODE = """
import sys, threading
from maumau.game import load
sys.setswitchinterval(1e-6)
together = threading.Barrier(4)
threads = [threading.Thread(target=lambda: (together.wait(), load("mau_mau"))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_threads_may_load_their_first_variant_together() -> None:
    root = Path(__file__).parents[2]
    for _ in range(5):  # one of two died while msgspec looked at the models when first used
        done = subprocess.run([sys.executable, "-c", CODE], cwd=root, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
