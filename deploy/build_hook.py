"""Puts the compiled engine into the wheel if MAUMAU_COMPILED is set; hatchling calls it (pyproject.toml)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledEngine(BuildHookInterface[Any]):
    """What deploy/compiled.py made beside the sources goes along, and the wheel is for this platform only."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Hatchling's name for `before the wheel is written`; version is `standard` or `editable`."""
        if version != "standard" or not os.environ.get("MAUMAU_COMPILED"):
            return
        root = Path(self.root)
        modules = [*root.glob("maumau__mypyc*.so"), *root.glob("maumau/*/*.so")]
        if not modules:
            raise FileNotFoundError("nothing is compiled: run deploy/compiled.py first")
        build_data["force_include"] |= {str(path): str(path.relative_to(root)) for path in modules}
        build_data["pure_python"], build_data["infer_tag"] = False, True
