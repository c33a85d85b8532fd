"""The image: all that most programs find of the system, in memory, so that reading it tells nothing.

It holds the interpreter with its library, and the libraries that executables in C, C++, Rust and Go
are linked with. Failed look-ups leave no trace there, and every page is always resident (decision 29).
Programs in node, java and bash get an image extended by their runtime, which shares the memory of the first
(extra.py lists the required parts of a runtime).
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from maumau.errors import SandboxUnavailable
from maumau.sandbox.files import artifact_cache, extra
from maumau.sandbox.files.runtime import Runtime, add_links, compile_all, interpreter_files, site_files

RUNTIMES = frozenset({"python", "native", "c++", "rust", "go"})
"""The runtimes that need only the common image."""
PROGRAMS = ("sh", "sleep", "env", "perl")
"""The first two wait in the place of a program that starts warm; the last closes /proc for the others."""
LIBRARIES = (
    *("libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libatomic.so.1", "libgomp.so.1", "libresolv.so.2"),
    *("libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1"),  # empty since glibc 2.34, but asked for
)
FOUND = re.compile(r"(/\S+) \(0x")  # in the output of ldd
WAIT = 60.0  # seconds
logger = logging.getLogger(__name__)
KNOWN = [path for path in (Path("/etc/ld.so.cache"),) if path.exists()]
"""Files that change when the system's libraries do."""


def make_image(found: Runtime) -> Path | None:
    """Return the image's folder, with the contents of /.

    None where there is no file system in memory, or where the libraries of the system cannot be found out.
    """
    if not artifact_cache.has_memory() or shutil.which("ldd") is None:
        return None
    artifact_cache.remove_unused("program", memory=True)  # copies that earlier versions shared between starts
    prefix = found.prefix.relative_to("/")
    python = [(str(prefix / inside), path) for inside, path in interpreter_files(found.prefix)]
    programs = [(f"usr/bin/{name}", path) for name in PROGRAMS if (path := _resolve_links(name)).exists()]
    key = artifact_cache.key_of(path for path in [*(path for _, path in (*python, *programs)), *KNOWN])
    return artifact_cache.find_copy("image", key) or _build_image(prefix, [*python, *programs], key)


def _build_image(prefix: Path, files: list[tuple[str, Path]], key: str) -> Path | None:
    linked = [path for _, path in (*files, *_own_libraries()) if _is_linked(path)]
    libraries = _find_libraries(linked)
    if not libraries:
        return None

    def finish_draft(draft: Path) -> None:
        add_links(draft / prefix)
        compile_all(draft)

    system = [(str(path.relative_to("/")), path) for path in libraries]
    made = artifact_cache.keep_copy("image", sorted({*system, *files}), finish_draft, memory=True, key=key)
    return made if artifact_cache.is_in_memory(made) else None


def extend_image(base: Path, runtime: str) -> Path | None:
    """Return an image with all of `base` and this runtime; None without room or the runtime."""
    found = extra.list_files(runtime)
    if not found:
        return None
    linked = [path for _, path in found if _is_linked(path)]
    own = {str(path.relative_to("/")): path for path in _find_libraries(linked)} | dict(found)
    files = sorted((inside, path) for inside, path in own.items() if not (base / inside).exists())
    key = artifact_cache.key_of([*(path for _, path in files), base / "usr/bin/env", *KNOWN])
    if made := artifact_cache.find_copy("image", key):
        return made

    def finish_draft(draft: Path) -> None:
        try:
            shutil.copytree(base, draft, symlinks=True, copy_function=os.link, dirs_exist_ok=True)
        except shutil.Error as error:
            raise OSError(error.args[0][0][2]) from error  # one reason: it has one for each file
        for inside, target in extra.list_links(runtime):
            (draft / inside).symlink_to(target)

    try:
        artifact_cache.check_room(files)
        return artifact_cache.keep_copy("image", files, finish_draft, memory=True, key=key)
    except (OSError, SandboxUnavailable) as error:
        logger.warning(
            "programs in %s find /usr, where what they read can tell something: %s", runtime, error
        )
        return None


def _own_libraries() -> list[tuple[str, Path]]:
    """Return the files of the library that may be linked with others."""
    return [(inside, path) for inside, path in site_files() if path.suffix == ".so"]


def list_mounts(image: Path) -> list[str]:
    """Return bubblewrap's mounts of the image; links such as /lib are those of the machine."""
    shown = []
    for top in sorted(image.iterdir()):
        shown += ["--ro-bind", str(top), f"/{top.name}"]
    return shown


def _resolve_links(name: str) -> Path:
    return Path(shutil.which(name) or f"/usr/bin/{name}").resolve()


def _is_linked(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _find_libraries(linked: Iterable[Path]) -> list[Path]:
    """Return the libraries of these files, and those of LIBRARIES near the C library; by their own paths."""
    asked = ["ldd", *map(str, linked)]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=WAIT, check=False)
    found = {_resolve_folder(Path(path)) for path in FOUND.findall(done.stdout)}
    beside = {path.parent for path in found if path.name == "libc.so.6"}
    found |= {folder / name for folder in beside for name in LIBRARIES if (folder / name).exists()}
    return sorted(found)


def _resolve_folder(path: Path) -> Path:
    """Return the path without links of folders: /lib is a link to /usr/lib on most machines."""
    return path.parent.resolve() / path.name
