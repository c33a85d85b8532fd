"""System files that node, java and bash programs need besides the common image (image.py)."""

from __future__ import annotations

import shutil
from pathlib import Path

from maumau.sandbox.files.artifact_cache import files_below

MODULES = Path("/usr/share/nodejs")
"""Debian's folder of the modules that are not built into its Node.js."""
NODE_MODULES = ("acorn", "acorn-walk", "busboy", "cjs-module-lexer", "minimatch", "streamsearch", "undici")
JAVA_LEFT_OUT = frozenset(
    {
        *("jmods", "man", "legal", "include", "docs", "demo", "src.zip", "ct.sym", "classes_nocoops.jsa"),
        *("libawt_xawt.so", "libsplashscreen.so", "libjsound.so", "libfontmanager.so", "libatk-wrapper.so"),
        *("libsaproc.so", "libjawt.so"),
    }
)
"""Files that a program without a screen never loads: sources, modules to link, debugging, displays."""
SHELL_TOOLS = (
    *(
        "awk",
        "base64",
        "basename",
        "bash",
        "bc",
        "cat",
        "comm",
        "cut",
        "date",
        "dd",
        "dirname",
        "expr",
        "factor",
    ),
    *(
        "fold",
        "grep",
        "head",
        "jq",
        "join",
        "ls",
        "mkdir",
        "mkfifo",
        "mktemp",
        "mv",
        "nl",
        "od",
        "paste",
        "printf",
    ),
    *(
        "pwd",
        "rev",
        "rm",
        "sed",
        "seq",
        "shuf",
        "sort",
        "stdbuf",
        "tac",
        "tail",
        "tee",
        "test",
        "timeout",
        "touch",
    ),
    *("tr", "true", "false", "uniq", "wc", "xargs", "yes"),
)
"""Commands that a script may call, as far as the machine has them."""
TRIED = {
    "node": ("node", "--input-type=module", "-e", "import 'node:fs'"),
    "java": ("java", "-XX:+UseSerialGC", "--version"),
    "bash": ("bash", "-c", "printf ."),
}
"""Commands that exit with 0 if the image has all that the runtime needs."""


def list_files(runtime: str) -> list[tuple[str, Path]]:
    """Return (path below /, source) of the files to copy without system libraries; none if it is missing."""
    found = {"node": _list_node_files, "java": _list_java_files, "bash": _list_bash_files}[runtime]()
    return [(inside, path) for inside, path in found if path.is_file()]


def list_links(runtime: str) -> list[tuple[str, str]]:
    """Return links below /: a JVM finds its library relative to its own path."""
    home = _find_home("java") if runtime == "java" else None
    return [("usr/bin/java", str(home / "bin/java"))] if home else []


def _list_node_files() -> list[tuple[str, Path]]:
    home = _find_home("node")
    modules = [path for name in NODE_MODULES for path in files_below(MODULES / name)]
    programs = [("usr/bin/node", home / "bin/node")] if home else []
    return programs + [(str(path.relative_to("/")), path) for path in modules]


def _list_java_files() -> list[tuple[str, Path]]:
    home = _find_home("java")
    if home is None:
        return []
    parts = [home / "bin/java", home / "release"]
    parts += [path for name in ("conf", "lib") for path in files_below(home / name, JAVA_LEFT_OUT)]
    return [(str(path.relative_to("/")), path) for path in parts]


def _list_bash_files() -> list[tuple[str, Path]]:
    if not (Path("/usr/bin/bash")).exists():
        return []
    found = [(name, shutil.which(name)) for name in SHELL_TOOLS]
    return [(f"usr/bin/{name}", Path(path).resolve()) for name, path in found if path]


def _find_home(program: str) -> Path | None:
    """Return the folder above `bin` of the runtime's own file."""
    found = shutil.which(program)
    return Path(found).resolve().parents[1] if found else None
