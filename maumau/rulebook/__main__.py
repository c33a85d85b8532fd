"""Prints docs/rules.md: every variant in words (`make rules`)."""

from __future__ import annotations

import sys

from maumau.game import load, variants
from maumau.rulebook.page import markdown, page

HEAD = """# The rules

`make rules` writes this page from `maumau/variants/*.toml`, the files that the engine plays by. \
`maumau rules show NAME --option NAME=VALUE` tells a variant with other options, and \
`maumau rules check my.toml` checks one of your own. What the sources 000 to 003, ext and (R) are: \
[sources.md](sources.md).

"""


def text() -> str:
    """The whole page."""
    names = variants()
    contents = "".join(f"- [{name}](#{name}): {load(name).variant.title}\n" for name in names)
    return HEAD + contents + "".join("\n" + markdown(page(load(name))) for name in names)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a text file on a descriptor
    sys.stdout.write(text())
