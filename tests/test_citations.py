"""What the project cites is in the project."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = {".md", ".py", ".proto", ".toml", ".html", ".yml", ".yaml", ""}
FOREIGN = {ROOT / "docs/sources.md"}  # names pages of other projects
PAGE = re.compile(r"\bdocs/[\w/.-]*\w\.(?:md|json)")
LINK = re.compile(r"\]\((?!https?:)([\w/.-]*\w\.md)[)#]")


def tracked() -> list[Path]:
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [
        ROOT / name for name in names.splitlines() if Path(name).suffix in TEXT and (ROOT / name).is_file()
    ]


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    return {path: path.read_text(errors="replace") for path in tracked()}


def test_every_page_that_is_cited_exists(texts):
    missing = {
        f"{path.relative_to(ROOT)}: {page}"
        for path, text in texts.items() for page in PAGE.findall(text)
        if path not in FOREIGN and not (ROOT / page).exists()
    }  # fmt: skip
    assert not missing


def test_every_link_between_pages_leads_somewhere(texts):
    broken = {
        f"{path.relative_to(ROOT)}: {target}"
        for path, text in texts.items() if path.suffix == ".md"
        for target in LINK.findall(text) if not (path.parent / target).exists()
    }  # fmt: skip
    assert not broken


def test_nothing_cites_a_design_that_readers_do_not_have(texts):
    cited = re.compile(r"design §|\.\./shared|\b(?:ratings|options)\.md\b")
    own = Path(__file__)
    assert not [path for path, text in texts.items() if path != own and cited.search(text)]


def test_every_reading_that_is_cited_is_in_the_tables(texts):
    tables = (ROOT / "docs/readings.md").read_text()
    there = set(re.findall(r"(?:^\| |^#+ |^\*\*)((?:[VGLPH]\d|\d)[\d.]*)(?=[ .])", tables, re.MULTILINE))
    there |= set(re.findall(r"\bP\d+(?= `)", tables))  # several in one row
    cited = {
        number.rstrip(".") for text in texts.values()
        for line in re.findall(r"docs/readings\.md: ([^;'\n]*)", text)
        for number in re.findall(r"\b[VGLPH]\d[\d.]*", line)
    }  # fmt: skip
    assert len(cited) > 50
    assert cited - {number.rstrip(".") for number in there} == set()


def test_every_option_that_a_scenario_cites_is_described(texts):
    rules = (ROOT / "docs/rules.md").read_text()
    cited = {
        re.split(r"[^\w]", option, maxsplit=1)[0] for path, text in texts.items() if path.suffix == ".yaml"
        for option in re.findall(r"docs/rules\.md: ([^;'\n]*)", text)
    }  # fmt: skip
    assert len(cited) > 50
    assert {option for option in cited if f"`{option}`" not in rules} == {"schweizer_2016"}  # a variant


def test_every_decision_has_a_number_of_its_own_and_is_in_the_index():
    folder = ROOT / "docs/decisions"
    files = sorted(path.name for path in folder.glob("[0-9]*.md"))
    rows = re.findall(
        r"^\| (\d+) \| \[[^\]]+\]\(([\w-]+\.md)\) \|", (folder / "README.md").read_text(), re.MULTILINE
    )
    assert [name for _, name in rows] == files
    numbers = [int(number) for number, _ in rows]
    assert numbers == [int(name[:4]) for name in files]
    assert len(set(numbers)) == len(numbers)


def test_every_test_that_the_page_on_the_review_names_is_there():
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "service-review.md").read_text()))
    files = (path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    there = {name for text in files for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}
    assert named
    assert named - there == set()
