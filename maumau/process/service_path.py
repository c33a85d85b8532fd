"""Import path of the services in an installed wheel.

In the wheel `services` is below `maumau` (deploy/build_hook.py), so that an author's environment has no
package of that name, which any program may have; the commands that start an arena put the folder first in the
path of the processes that they start, and in a checkout its root.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "installed"
CHECKOUT: Final = Path(__file__).parents[2]


def add_services() -> None:
    """Let this process and those that it starts import our `services`, and no other package of that name.

    One may be in the current folder, which goes off the path, or on the user's path, where ours comes first.
    """
    path = str(FOLDER if FOLDER.is_dir() else CHECKOUT)
    given = os.environ.get("PYTHONPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    if not given:
        os.environ["PYTHONPATH"] = path
    elif given.split(os.pathsep)[0] != path:
        os.environ["PYTHONPATH"] = f"{path}{os.pathsep}{given}"
    if sys.path[0] != path:
        sys.path.insert(0, path)
