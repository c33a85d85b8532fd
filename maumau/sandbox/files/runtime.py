"""The runtime of programs: an interpreter, msgspec and the parts of `maumau` that bots import."""

from __future__ import annotations

import compileall
import functools
import os
import py_compile
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

import maumau
from maumau.engine.choice import CHOICE, is_installed_compiled
from maumau.engine.modules import LIBRARY as COMPILED
from maumau.engine.modules import SUFFIX
from maumau.sandbox.files import artifact_cache

LIBRARY = ("bot", "errors", "game", "protocol", "sandbox/inside", "variants")
"""The folders of maumau that bots import, and what starts them inside the sandbox."""
LEFT_OUT = {
    "site-packages",
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "ensurepip",
    "lib2to3",
    "pydoc_data",
}


class Runtime(msgspec.Struct, frozen=True):
    """Paths of a runtime: `prefix` is the interpreter's own path, `source` the folder mounted there.

    `site` is the library; `hidden` the interpreter's folder of other packages, which a bot does not see.
    """

    prefix: Path
    source: Path
    site: Path
    hidden: Path | None


@functools.cache
def find_runtime(own_user: bool) -> Runtime:  # noqa: FBT001  # two ways, named where it is called
    """Return the runtime of this process's Python; `own_user`: readable by the seats' own users."""
    prefix = Path(sys.base_prefix)
    copied = own_user and not all(
        map(artifact_cache.is_readable_by_all, (prefix, prefix / "bin", _find_stdlib()))
    )
    source = _copy_interpreter(prefix) if copied else prefix
    others = _find_stdlib() / "site-packages"
    return Runtime(
        prefix,
        source,
        artifact_cache.keep_copy("site", site_files(), compile_all, memory=True),
        others if others.is_dir() and not copied else None,
    )


def build_environment(found: Runtime, site: str, tools: Sequence[Path] = ()) -> dict[str, str]:
    """Return a program's whole environment: nothing of the referee's; sets iterate alike in every run.

    `tools` are the folders of runtimes that lie outside /usr.
    """
    return {
        "PATH": ":".join([f"{found.prefix}/bin", *(f"{tool}/bin" for tool in tools), "/usr/bin", "/bin"]),
        "HOME": "/tmp",  # noqa: S108  # the program's own
        "LANG": "C.UTF-8",
        "PYTHONPATH": site,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _find_stdlib() -> Path:
    return Path(os.__file__).parent


@functools.cache
def interpreter_files(prefix: Path) -> tuple[tuple[str, Path], ...]:
    """Return (path below `prefix`, source) of the interpreter and its library, without tests and packages."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    program = prefix / "bin" / version
    below = artifact_cache.files_below(_find_stdlib(), LEFT_OUT)
    library = [path for path in below if path.suffix not in {".a", ".o"} and ".opt-" not in path.name]
    files = [program, *prefix.glob(f"lib/lib{version}*.so.*"), *library]
    return tuple((str(path.relative_to(prefix)), path) for path in files)


def _copy_interpreter(prefix: Path) -> Path:
    def finish_draft(draft: Path) -> None:
        add_links(draft)
        compile_all(draft)

    files = interpreter_files(prefix)
    key = artifact_cache.key_of(path for _, path in files)
    return artifact_cache.keep_copy("python", [*files], finish_draft, key=key)


def add_links(prefix: Path) -> None:
    """Add the interpreter's other names."""
    program = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for name in ("python3", "python"):
        (prefix / "bin" / name).symlink_to(program)


def site_files() -> list[tuple[str, Path]]:
    """Return (path inside, source) of maumau's library for bots, of its compiled modules, and of msgspec."""
    own, codec = Path(maumau.__file__).parent, Path(msgspec.__file__).parent
    modules = [own / "__init__.py", own / "sandbox" / "__init__.py"]
    for part in LIBRARY:
        modules += artifact_cache.files_below(own / part, {"__pycache__"})
    if is_installed_compiled():
        modules.append(own.parent / f"{COMPILED}{SUFFIX}")
    else:  # what was compiled in place may be older than its source
        modules = [path for path in modules if path.suffix != ".so"]
    modules += artifact_cache.files_below(codec, {"__pycache__"})
    roots = (own.parent, codec.parent)
    return [*((_get_relative_path(path, roots), path) for path in modules), *_list_compiled()]


def _list_compiled() -> list[tuple[str, Path]]:
    """Return (path inside, source) of those modules of the kept build in use that bots import."""
    parts = (COMPILED, *(f"maumau/{part}/" for part in LIBRARY))
    return [(inside, path) for inside, path in CHOICE.list_files() if inside.startswith(parts)]


def _get_relative_path(path: Path, roots: tuple[Path, ...]) -> str:
    root = max((root for root in roots if path.is_relative_to(root)), key=lambda root: len(root.parts))
    return str(path.relative_to(root))


def compile_all(draft: Path) -> None:
    """Compile all modules; they are never compared with their source, since no user can write here."""
    compileall.compile_dir(
        draft, quiet=2, stripdir=draft, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
