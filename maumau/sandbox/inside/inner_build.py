"""A build step inside the sandbox, in the submission's folder.

Its command is `python3 -m maumau.sandbox.inside.inner_build COMMAND…`.

It copies the folder to a writable place, runs the command there with its output in the log, and writes the
resulting plain files to stdout, as a zip. The program's own user runs this, and it is untrusted: the referee
reads the zip like an upload.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def main(command: list[str]) -> int:
    """Build; return the command's exit code, 127 if there is no such command."""
    output, log = os.dup(1), sys.stderr.fileno()
    os.dup2(log, 1)
    with tempfile.TemporaryDirectory(prefix="build-") as place:
        here = Path(place) / "bot"
        shutil.copytree(Path.cwd(), here, copy_function=_copy_writable)
        here.chmod(0o755)
        code = _run_command(command, here, place)
        if code == 0:
            _send_files(here, output)
    return code


def _copy_writable(source: str, target: str) -> None:
    """Copy a file so that it is writable, with its executable bit."""
    shutil.copyfile(source, target)
    Path(target).chmod(0o755 if Path(source).stat().st_mode & stat.S_IXUSR else 0o644)


def _run_command(command: list[str], folder: Path, home: str) -> int:
    environment = {**os.environ, "HOME": home, "TMPDIR": home, "GOFLAGS": "-mod=mod", "GOTELEMETRY": "off"}
    environment.pop("PYTHONPATH", None)
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be run: {error.strerror}\n")
        return 127
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


def _send_files(folder: Path, output: int) -> None:
    """Write every regular file below the folder; others are left out and named in the log."""
    with os.fdopen(output, "wb") as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (1980, 1, 1, 0, 0, 0))
                info.create_system, info.compress_type = 3, zipfile.ZIP_DEFLATED
                info.external_attr = (0o100755 if mode & stat.S_IXUSR else 0o100644) << 16
                archive.writestr(info, path.read_bytes(), compresslevel=1)
            elif not stat.S_ISDIR(mode):
                sys.stderr.write(f"left out, because it is not a regular file: {path.relative_to(folder)}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
