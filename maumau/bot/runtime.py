"""What a program finds beside itself: an interpreter, msgspec and the parts of `maumau` that bots import."""

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
from maumau.bot import shelf

LIBRARY = ("bot", "errors", "game", "variants")  # the folders of maumau that a bot may want
LEFT_OUT = {"site-packages", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip"}


class Runtime(msgspec.Struct, frozen=True):
    """Where things lie: `prefix` is the interpreter's own path, `source` what is shown there.

    `site` is the library; `hidden` the interpreter's folder of other packages, which a bot does not see.
    """

    prefix: Path
    source: Path
    site: Path
    hidden: Path | None


@functools.cache
def runtime(own_user: bool) -> Runtime:  # noqa: FBT001  # two ways, named where it is called
    """The runtime of this process's Python; `own_user`: seats have users of their own, who must read it."""
    prefix = Path(sys.base_prefix)
    copied = own_user and not all(map(shelf.readable, (prefix, prefix / "bin", _stdlib())))
    source = _copy_interpreter(prefix) if copied else prefix
    others = _stdlib() / "site-packages"
    return Runtime(prefix, source, _site(), others if others.is_dir() and not copied else None)


def environment(found: Runtime, site: str, tools: Sequence[Path] = ()) -> dict[str, str]:
    """All of a program's environment: nothing of the referee's; sets iterate alike in every run.

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


def _stdlib() -> Path:
    return Path(os.__file__).parent


def _copy_interpreter(prefix: Path) -> Path:
    """The interpreter and its standard library without tests and packages, compiled."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    program = prefix / "bin" / version
    library = [path for path in shelf.files_below(_stdlib(), LEFT_OUT) if path.suffix not in {".a", ".o"}]
    files = [program, *prefix.glob(f"lib/lib{version}*.so.*"), *library]
    return shelf.keep(
        "python", [(str(path.relative_to(prefix)), path) for path in files], _finish_interpreter, memory=True
    )


def _finish_interpreter(draft: Path) -> None:
    (program,) = (draft / "bin").iterdir()
    for name in ("python3", "python"):
        (draft / "bin" / name).symlink_to(program.name)
    _compile(draft)


def _site() -> Path:
    """maumau and msgspec, compiled: a bot's imports cost milliseconds."""
    own, codec = Path(maumau.__file__).parent, Path(msgspec.__file__).parent
    modules = [own / "__init__.py", *own.parent.glob("maumau__mypyc*.so")]
    for part in LIBRARY:
        modules += shelf.files_below(own / part, {"__pycache__"})
    modules += shelf.files_below(codec, {"__pycache__"})
    roots = (own.parent, codec.parent)
    return shelf.keep("site", [(_inside(path, roots), path) for path in modules], _compile, memory=True)


def _inside(path: Path, roots: tuple[Path, ...]) -> str:
    root = max((root for root in roots if path.is_relative_to(root)), key=lambda root: len(root.parts))
    return str(path.relative_to(root))


def _compile(draft: Path) -> None:
    """Compiled once, and never looked at again whether the source is newer: nobody may write here."""
    compileall.compile_dir(
        draft, quiet=2, stripdir=draft, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
