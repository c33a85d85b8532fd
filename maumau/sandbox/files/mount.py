"""bubblewrap's arguments for the file system of a program: system and runtime, all read-only."""

from __future__ import annotations

from pathlib import Path

from maumau.sandbox.files import image
from maumau.sandbox.files.runtime import Runtime, build_environment
from maumau.sandbox.kernel import device

SITE = "/runtime/site"


def list_mounts(found: Runtime, tools: list[Path]) -> list[str]:
    """Return mounts of the machine's /usr and runtimes; `tools` are folders of runtimes outside /usr."""
    return [
        *_mount_system(),
        *_mount_python(found),
        *_mount_tools(tools),
        *_mount_common(),
        *_set_environment(found, tools),
    ]


def image_words(folder: Path, found: Runtime) -> list[str]:
    """Return mounts of the image (image.py) in place of the machine's /usr."""
    return [
        *image.list_mounts(folder),
        *_mount_site(found),
        *_link_folders(),
        *_mount_common(),
        *_set_environment(found, []),
    ]


def _mount_system() -> list[str]:
    """Return read-only mounts of the host's programs and libraries."""
    words = ["--ro-bind", "/usr", "/usr", *_link_folders()]
    for path in _list_top_folders():
        if path.is_dir() and not path.is_symlink():
            words += ["--ro-bind", str(path), str(path)]
    java = [str(path) for path in Path("/etc").glob("java-*")]  # Debian's folder of a runtime's settings
    for name in ("/etc/alternatives", "/etc/ld.so.cache", *java):
        words += ["--ro-bind-try", name, name]
    return words


def _list_top_folders() -> list[Path]:
    return [Path("/", name) for name in ("bin", "sbin", "lib", "lib32", "lib64")]


def _link_folders() -> list[str]:
    """Return the machine's links into /usr, such as /lib."""
    links = [path for path in _list_top_folders() if path.is_symlink()]
    return [word for path in links for word in ("--symlink", str(path.readlink()), str(path))]


def _mount_common() -> list[str]:
    """Return the options for devices, a neutral host name, and no capabilities."""
    return [*_mount_devices(), "--hostname", "bot", "--cap-drop", "ALL"]


def _mount_devices() -> list[str]:
    """Return mounts of devices that only read and write bytes; no terminals, which are limited in number."""
    words = ["--tmpfs", "/dev"]
    for name in device.NAMES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        words += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
    return [*words, "--remount-ro", "/dev"]


def _mount_python(found: Runtime) -> list[str]:
    """Return mounts of the interpreter at its own path, where it was built to be, and the library alone."""
    words = _mount_site(found)
    if not found.prefix.is_relative_to("/usr"):
        words += ["--ro-bind", str(found.source), str(found.prefix)]
    if found.hidden:
        words += ["--tmpfs", str(found.hidden), "--remount-ro", str(found.hidden)]
    return words


def _mount_site(found: Runtime) -> list[str]:
    """Return mounts of what is in the library's folder, whose own time tells of the last start."""
    return [
        word for top in sorted(found.site.iterdir()) for word in ("--ro-bind", str(top), f"{SITE}/{top.name}")
    ]


def _mount_tools(homes: list[Path]) -> list[str]:
    """Return mounts of the runtimes outside /usr, each at its own path."""
    return [word for home in homes for word in ("--ro-bind", str(home), str(home))]


def _set_environment(found: Runtime, tools: list[Path]) -> list[str]:
    pairs = build_environment(found, SITE, tools).items()
    return ["--clearenv", *(word for key, value in pairs for word in ("--setenv", key, value))]
