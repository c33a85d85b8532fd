"""What programs in node, java and bash need of the machine besides the common image (maumau/bot/image.py)."""

from __future__ import annotations

import shutil
from pathlib import Path

from maumau.bot.artifact_cache import files_below

MODULES = Path("/usr/share/nodejs")
"""Where Debian keeps what its Node.js does not carry in its own file."""
NODE_MODULES = ("acorn", "acorn-walk", "busboy", "cjs-module-lexer", "minimatch", "streamsearch", "undici")
JAVA_LEFT_OUT = frozenset(
    {
        *("jmods", "man", "legal", "include", "docs", "demo", "src.zip", "ct.sym", "classes_nocoops.jsa"),
        *("libawt_xawt.so", "libsplashscreen.so", "libjsound.so", "libfontmanager.so", "libatk-wrapper.so"),
        *("libsaproc.so", "libjawt.so"),
    }
)
"""What a program without a screen never loads: sources, modules to link, the compiler's list, screens."""
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
"""What a script may call; those that the machine has."""
TRIED = {
    "node": ("node", "--input-type=module", "-e", "import 'node:fs'"),
    "java": ("java", "-XX:+UseSerialGC", "--version"),
    "bash": ("bash", "-c", "printf ."),
}
"""A start of each that ends by itself with exit code 0: that the image has what the runtime needs."""


def list_files(runtime: str) -> list[tuple[str, Path]]:
    """What is copied, without the system's libraries: (path below /, source); nothing if it is missing."""
    found = {"node": _list_node_files, "java": _list_java_files, "bash": _list_bash_files}[runtime]()
    return [(inside, path) for inside, path in found if path.is_file()]


def list_links(runtime: str) -> list[tuple[str, str]]:
    """Names below / that are links: a JVM finds its library by where it lies itself."""
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
    """The folder above `bin` of the runtime's own file."""
    found = shutil.which(program)
    return Path(found).resolve().parents[1] if found else None
