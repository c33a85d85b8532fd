"""The examples of docs/reference/protocol.md, the table's own lines: `python -m tests.bot.write_examples`."""

from __future__ import annotations

import re
from pathlib import Path

from maumau.protocol import message
from maumau.submission.sample import find_sample

PAGE = Path(__file__).parents[2] / "docs/reference/protocol.md"
BLOCK = re.compile(r"<!-- ([\w-]+) -->\n```json\n(.*?)\n```")
BY_HAND = {"ready", "reply"}  # sent by programs


def examples(page: str) -> dict[str, str]:
    """Return the examples of the page by name."""
    return dict(BLOCK.findall(page))


def example(name: str) -> str:
    """Return the table's message: a deal's first question for `turn`, later ones for the other kinds."""
    lines = {
        "hello": lambda: find_sample("turn").hello(),
        "turn": lambda: find_sample("turn").ask(),
        "end": lambda: find_sample("turn").end(),
        "bye": lambda: message.BYE,
    }
    line = lines[name]() if name in lines else find_sample(name).later()
    return line.decode().strip()


def main() -> None:
    """Write every example of the page anew."""
    page = PAGE.read_text(encoding="utf-8")
    for name, old in examples(page).items():
        if name not in BY_HAND:
            page = page.replace(
                f"<!-- {name} -->\n```json\n{old}", f"<!-- {name} -->\n```json\n{example(name)}"
            )
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
