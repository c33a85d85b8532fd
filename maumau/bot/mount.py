"""What a program in `bwrap` finds, as words for bubblewrap: the system and a runtime, all read-only."""

from __future__ import annotations

from pathlib import Path

from maumau.bot.runtime import Runtime, environment

SITE = "/runtime/site"


def words(found: Runtime, tools: list[Path]) -> list[str]:
    """Everything that is the same for all programs; `tools` are folders of runtimes outside /usr."""
    return [*_system(), *_python(found), *_tools(tools), *_environment(found, tools)]


def _system() -> list[str]:
    """The host's programs and libraries, read-only; devices; a host name that says nothing."""
    words = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    java = [str(path) for path in Path("/etc").glob("java-*")]  # where Debian keeps a runtime's settings
    for name in ("/etc/alternatives", "/etc/ld.so.cache", *java):
        words += ["--ro-bind-try", name, name]
    return [*words, *_devices(), "--hostname", "bot", "--cap-drop", "ALL"]


def _devices() -> list[str]:
    """Those that only give and take bytes; no terminals, for the machine has so many and no more."""
    words = ["--tmpfs", "/dev"]
    for name in ("null", "zero", "full", "random", "urandom"):
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        words += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
    return [*words, "--remount-ro", "/dev"]


def _python(found: Runtime) -> list[str]:
    """The interpreter at its own path, for it knows where it was built; the library; no other packages."""
    words = ["--ro-bind", str(found.site), SITE]
    if not found.prefix.is_relative_to("/usr"):
        words += ["--ro-bind", str(found.source), str(found.prefix)]
    if found.hidden:
        words += ["--tmpfs", str(found.hidden), "--remount-ro", str(found.hidden)]
    return words


def _tools(homes: list[Path]) -> list[str]:
    """Runtimes that lie outside /usr, each at its own path."""
    return [word for home in homes for word in ("--ro-bind", str(home), str(home))]


def _environment(found: Runtime, tools: list[Path]) -> list[str]:
    pairs = environment(found, SITE, tools).items()
    return ["--clearenv", *(word for key, value in pairs for word in ("--setenv", key, value))]
