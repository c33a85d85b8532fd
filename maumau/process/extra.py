"""Words on adding an extra that is not installed: from the wheel, since no index has the package."""

from __future__ import annotations

import sys
from pathlib import Path

INSTALLERS = (("uv-receipt.toml", "uv tool install --force"), ("pipx_metadata.json", "pipx install --force"))
"""Files in the environment of an installed command, and what installs it again with other extras."""


def say_install(extra: str) -> str:
    """Return the command that adds an extra, such as `arena`, and say where its wheel comes from."""
    from importlib.metadata import version

    wheel = f"./maumau_arena-{version('maumau-arena')}-py3-none-any.whl"
    installer = next((words for name, words in INSTALLERS if Path(sys.prefix, name).is_file()), "pip install")
    extras = extra if extra == "arena" or installer == "pip install" else f"arena,{extra}"
    beside = ", and uv is .uv/bin/uv" if installer.startswith("uv") else ""
    return (
        f"{installer} '{wheel}[{extras}]' (every arena offers the wheel on its page /install;"
        f" in a checkout `make dist` puts it into dist/{beside})"
    )
