"""Small disks of their own, and what fills them."""

import subprocess
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path


def fill_disk(path):
    """Takes all the room that is left on its disk."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))


@contextmanager
def mount_disk(size):
    """Yield a folder on a disk of this size, as mount writes it; raise OSError or SubprocessError."""
    folder = Path(tempfile.mkdtemp(prefix="disk", dir="/tmp"))
    try:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        subprocess.run(mount, check=True, capture_output=True)
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True, capture_output=True)
    finally:
        folder.rmdir()
