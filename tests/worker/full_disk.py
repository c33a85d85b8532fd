"""Fetches programs one after the other into a cache on a small file system; run by test_artifact.py.

Arguments: the folder of the cache, its size in bytes, how many programs.
"""

import sys
import tempfile
from pathlib import Path

from maumau.submission.package import pack_submission
from services.worker.artifact import Artifacts

PROGRAM = 'name = "bot-{0}"\nrun = ["./bot"]\n'
SIZE = 1 << 20


def main(folder: str, most: int, count: int) -> None:
    """Prints how many programs could be held, and how many the cache keeps at the end."""
    archives = {}
    with tempfile.TemporaryDirectory() as work:
        for number in range(count):
            bot = Path(work) / f"bot-{number}"
            bot.mkdir()
            (bot / "bot.toml").write_text(PROGRAM.format(number))
            (bot / "bot").write_bytes(bytes([number]) * SIZE)
            package = pack_submission(bot)
            archives[package.sha256] = package.archive
    artifacts = Artifacts(Path(folder), archives.__getitem__, most)
    artifacts.most = most  # the setting alone, so that the disk is full first
    held = 0
    for number, sha256 in enumerate(archives):
        with artifacts.hold(sha256, f"bot-{number}") as program:
            held += (program.folder / "bot").read_bytes() == bytes([number]) * SIZE
    print(held, sum(path.is_dir() for path in Path(folder).iterdir()))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
