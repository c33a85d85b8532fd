"""The modules of a page as one script, for a file that may load nothing. Pure but for reading them.

Each module becomes a function that is called once and returns its exports, so that private names of two
modules do not collide. Only the forms of our own modules are supported; any other is an error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

IMPORT: Final = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT: Final = re.compile(r"^export ((?:async )?function|const|class) (\w+)", re.MULTILINE)
UNKNOWN: Final = re.compile(r"^\s*(?:import|export)\b.*$|\bimport\s*\(.*$", re.MULTILINE)


def bundle_modules(folder: Path, entry: str) -> str:
    """Return the module `entry` with all its imports, each once and after its own imports."""
    made: dict[str, str] = {}
    _add(folder, entry, made, ())
    return "\n".join(made.values())


def _add(folder: Path, name: str, made: dict[str, str], above: tuple[str, ...]) -> None:
    if name in made:
        return
    if name in above:
        raise ValueError(f"modules import each other: {' -> '.join((*above, name))}")
    text = (folder / f"{name}.js").read_text(encoding="utf-8")
    for _, needed in IMPORT.findall(text):
        _add(folder, needed, made, (*above, name))
    made[name] = wrap_module(name, text)


def wrap_module(name: str, text: str) -> str:
    """Return a module as a constant with its exports."""
    exported = [found for _, found in EXPORT.findall(text)]
    body = EXPORT.sub(r"\1 \2", IMPORT.sub(r"const { \1 } = module_\2;", text))
    if found := UNKNOWN.search(body):
        raise ValueError(f"{name}.js has an import or export that cannot be bundled: {found[0].strip()}")
    return f"const module_{name} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"
