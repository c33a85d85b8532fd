"""The table of attacks as docs/security.md has it; `python -m tests.attack.page` writes it there anew."""

from __future__ import annotations

import re
from pathlib import Path

from tests.attack.table import Attack, table

PAGE = Path(__file__).resolve().parents[2] / "docs/security.md"
BEGIN, END = "<!-- attacks -->\n", "<!-- end of attacks -->\n"


def lines() -> str:
    """Both tables, in Markdown."""
    found = table()
    rows = ["| attack | what it tries | in `bwrap` | in `process` |", "|---|---|---|---|"]
    rows += [f"| {a.name} | {a.tries} | {_behind(a)} | {_plain(a)} |" for a in found.attack]
    rows += ["", "| upload | what it tries | refused as |", "|---|---|---|"]
    rows += [
        f"| {u.name} | {u.tries} | {f'`{u.error}`' if u.error else 'not refused'} |" for u in found.upload
    ]
    return "\n".join(rows) + "\n"


def _behind(attack: Attack) -> str:
    words = _kinds(attack.fault) or "nothing gained"
    if attack.ungrouped:
        words += f" ({_kinds(attack.ungrouped)} without control groups)"
    return words + (", nor in a build step" if attack.build and not attack.fault else "")


def _plain(attack: Attack) -> str:
    if "process" not in attack.tiers:
        return "not promised"
    return _kinds(attack.process or attack.fault) or "nothing gained"


def _kinds(pattern: str) -> str:
    """The kinds of fault that a pattern allows."""
    return ", ".join(f"`{kind}`" for kind in dict.fromkeys(re.findall("[a-z]+", pattern)))


def shown(text: str) -> str:
    """The page with these tables in it."""
    head, _, rest = text.partition(BEGIN)
    return head + BEGIN + lines() + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(shown(PAGE.read_text()))
