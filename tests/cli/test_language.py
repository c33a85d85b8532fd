"""User-visible texts are idiomatic English: phrases that were replaced before do not return."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PHRASES = (
    r"(?<!\bthere )(?<!\bThere )\b(is|are) no (?!longer\b|more\b)[a-z]+",
    r"\bhas not so\b",
    r"\bof above\b",
    r"\b[Oo]nly one's\b",
    r"\bfor who (needs|wants|trusts)\b",
    r"\bfor this it is\b",
)
KNOWN = re.compile("|".join(PHRASES))


def shown(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module: messages and help, and docstrings only where they are messages too."""
    tree = ast.parse(path.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and (path.parent.name == "errors" or id(node) not in docs)
        ):
            yield node.lineno, node.value


@pytest.mark.parametrize("text", ["'9X' is no card", "the pack has not so many KS", "Only one's own."])
def test_the_phrases_are_found(text: str) -> None:
    assert KNOWN.search(text)


@pytest.mark.parametrize("text", ["there is no variant 'x'", "it is not a card", "it is no longer open"])
def test_english_is_left_alone(text: str) -> None:
    assert not KNOWN.search(text)


@pytest.mark.long
def test_no_message_says_what_nobody_would_say() -> None:
    files = [path for part in ("maumau", "services") for path in (ROOT / part).rglob("*.py")]
    assert len(files) > 200
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text!r}"
        for path in files
        if "/v1/" not in str(path)
        for line, text in shown(path)
        if KNOWN.search(text)
    ]
    assert not found
