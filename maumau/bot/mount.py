"""What a program in `bwrap` finds, as words for bubblewrap: the system and a runtime, all read-only."""

from __future__ import annotations

from pathlib import Path

from maumau.bot import image
from maumau.bot.runtime import Runtime, build_environment

SITE = "/runtime/site"


def list_mounts(found: Runtime, tools: list[Path]) -> list[str]:
    """The machine's /usr and runtimes; `tools` are folders of runtimes outside /usr."""
    return [
        *_mount_system(),
        *_mount_python(found),
        *_mount_tools(tools),
        *_mount_common(),
        *_set_environment(found, tools),
    ]


def image_words(folder: Path, found: Runtime) -> list[str]:
    """The image (maumau/bot/image.py) in place of the machine's /usr."""
    site = ["--ro-bind", str(found.site), SITE]
    return [
        *image.list_mounts(folder),
        *site,
        *_link_folders(),
        *_mount_common(),
        *_set_environment(found, []),
    ]


def _mount_system() -> list[str]:
    """The host's programs and libraries, read-only."""
    words = ["--ro-bind", "/usr", "/usr", *_link_folders()]
    for path in _list_top_folders():
        if path.is_dir() and not path.is_symlink():
            words += ["--ro-bind", str(path), str(path)]
    java = [str(path) for path in Path("/etc").glob("java-*")]  # where Debian keeps a runtime's settings
    for name in ("/etc/alternatives", "/etc/ld.so.cache", *java):
        words += ["--ro-bind-try", name, name]
    return words


def _list_top_folders() -> list[Path]:
    return [Path("/", name) for name in ("bin", "sbin", "lib", "lib32", "lib64")]


def _link_folders() -> list[str]:
    """Where the machine has links into /usr, such as /lib."""
    links = [path for path in _list_top_folders() if path.is_symlink()]
    return [word for path in links for word in ("--symlink", str(path.readlink()), str(path))]


def _mount_common() -> list[str]:
    """Devices, a host name that says nothing, no rights."""
    return [*_mount_devices(), "--hostname", "bot", "--cap-drop", "ALL"]


def _mount_devices() -> list[str]:
    """Those that only give and take bytes; no terminals, of which the machine has a limited number."""
    words = ["--tmpfs", "/dev"]
    for name in ("null", "zero", "full", "random", "urandom"):
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        words += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
    return [*words, "--remount-ro", "/dev"]


def _mount_python(found: Runtime) -> list[str]:
    """The interpreter at its own path, for it knows where it was built; the library; no other packages."""
    words = ["--ro-bind", str(found.site), SITE]
    if not found.prefix.is_relative_to("/usr"):
        words += ["--ro-bind", str(found.source), str(found.prefix)]
    if found.hidden:
        words += ["--tmpfs", str(found.hidden), "--remount-ro", str(found.hidden)]
    return words


def _mount_tools(homes: list[Path]) -> list[str]:
    """Runtimes that lie outside /usr, each at its own path."""
    return [word for home in homes for word in ("--ro-bind", str(home), str(home))]


def _set_environment(found: Runtime, tools: list[Path]) -> list[str]:
    pairs = build_environment(found, SITE, tools).items()
    return ["--clearenv", *(word for key, value in pairs for word in ("--setenv", key, value))]
