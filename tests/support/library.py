"""Stand-ins for functions of libraries."""

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


def replace_functions(patch: pytest.MonkeyPatch, module: ModuleType, library: str, **functions: Any) -> None:
    """Replace functions of a library that a module has imported, for that module alone.

    Changed in the library itself they would be changed for all threads of the process: services of other
    tests run there.
    """
    known = vars(getattr(module, library))
    patch.setattr(module, library, SimpleNamespace(**{**known, **functions}))
