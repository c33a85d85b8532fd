"""Everything that the project cites is in the project."""

import ast
import importlib
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = {".md", ".py", ".proto", ".toml", ".html", ".yml", ".yaml", ""}
FOREIGN = {ROOT / "docs/reference/sources.md"}  # names pages of other projects
PAGE = re.compile(r"\bdocs/[\w/.-]*\w\.(?:md|json)")
LINK = re.compile(r"\]\((?!https?:)([\w/.-]*\w\.md)[)#]")
FILE = re.compile(
    r"(?<![\w/.:*@-])(?:\.\./)*((?:\.?[\w-][\w.-]*/)*[\w-]+\.(?:py|proto|html|js|mjs|css|yaml|yml|toml))(?![\w/-])"
)
IMPORT = re.compile(
    r"(?:^|[;\"'])[ \t]*from ((?:maumau|services|bench|tests|deploy)[\w.]*) import ([\w, ]+)", re.MULTILINE
)
MODULE = re.compile(r"\b(?!maumau\.v1\.)(?:maumau|services|bench|tests|deploy)(?:\.(?!py\b)\w+)+")
OF_READERS = {
    "Node.js", "deal.html", "fault.html", "chance.mjs", "cup.toml", "kitchen.toml", "my.toml", "wasp.toml",
    "my-bot/bot.js", "my-bot/bot.py", "deploy/images.yml", "alertmanager.yml", "class.toml", "class-9b.html",
    "mystery.toml",
    "deploy/monitoring/alertmanager.yml", "deploy/monitoring/alertmanagers.yml",
}  # fmt: skip
"""Names of files that are not the project's: readers make them as the pages say."""
NO_MODULES = {f"maumau.{name}" for name in ("arena", "block", "match", "request_id", "svc", "table")}
"""Names of hosts, and of attributes of traces."""
WITHOUT_TABLE = {"maumau/bots", "maumau/errors", "maumau/templates", "maumau/v1", "services/shared"}
"""Packages whose name says enough, or which consist of packages."""


def list_files() -> list[Path]:
    """Return the project's files, relative to its root."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in names.splitlines() if (ROOT / name).is_file()]


def tracked() -> list[Path]:
    return [ROOT / path for path in list_files() if path.suffix in TEXT]


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


def test_every_page_is_listed_for_a_reader_in_the_index(texts):
    index = ROOT / "docs/README.md"
    listed = {(index.parent / target).resolve() for target in LINK.findall(texts[index])}
    folders = ("tutorial", "how-to", "reference", "explanation")
    pages = {path for path in texts if path.suffix == ".md" and path.parent.name in folders}
    assert len(pages) > 15
    assert pages - listed == set()


def find_anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(
        r"^#+ (.*)", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_to_a_heading_finds_it(texts):
    link = re.compile(r"\]\((?!https?:)([\w/.-]*\.md)?#([\w-]+)\)")
    broken = {
        f"{path.relative_to(ROOT)}: {target}#{anchor}"
        for path, text in texts.items()
        if path.suffix == ".md"
        for target, anchor in link.findall(text)
        if anchor not in find_anchors(texts[(path.parent / target).resolve() if target else path])
    }
    assert not broken


def test_every_file_that_a_page_names_exists(texts):
    """A name may leave out the folders at its beginning, which its sentence or its table gives."""
    tails = {"/".join(path.parts[start:]) for path in list_files() for start in range(len(path.parts))}
    named = {
        (str(path.relative_to(ROOT)), name)
        for path, text in texts.items()
        if path.suffix == ".md" and path not in FOREIGN
        for name in FILE.findall(text)
        if name not in OF_READERS
    }
    assert len(named) > 300
    assert {(page, name) for page, name in named if name not in tails and "NAME" not in name} == set()


def test_every_file_of_code_that_is_cited_exists(texts):
    """In code, tests and configuration, too."""
    cited = re.compile(r"\b(?:maumau|services|tests|bench|deploy)/[\w/]+\.py\b")
    named = {
        (str(path.relative_to(ROOT)), name) for path, text in texts.items() for name in cited.findall(text)
    }
    assert len(named) > 100
    assert {(page, name) for page, name in named if not (ROOT / name).exists()} == set()


def test_every_module_that_a_page_names_exists(texts):
    named = {
        (str(path.relative_to(ROOT)), name)
        for path, text in texts.items()
        if path.suffix == ".md" and path not in FOREIGN
        for name in MODULE.findall(text)
        if name not in NO_MODULES
    }
    assert len(named) > 20
    assert {(page, name) for page, name in named if not has_module(name.split("."))} == set()


def has_module(parts: list[str]) -> bool:
    """Return True for a package, a module, and a name that stands in either."""
    path = ROOT.joinpath(*parts)
    if path.is_dir() or path.with_suffix(".py").exists():
        return True
    homes = path.parent / "__init__.py", path.parent.with_suffix(".py"), path.parent.parent.with_suffix(".py")
    home = next((each for each in homes if each.exists()), None)
    return home is not None and re.search(rf"\b{parts[-1]}\b", home.read_text()) is not None


@pytest.mark.parametrize(
    ("name", "exists"),
    [
        ("maumau.referee.block", True),
        ("maumau.game.deal", True),
        ("maumau.contest.schedule.advance.advance_schedule", True),
        ("maumau.referee.wall", False),
        ("maumau.contest.schedule.advance.retreat", False),
        ("services.shared.settings", False),
    ],
)
def test_a_module_that_is_not_there_is_found(name: str, exists: bool) -> None:
    assert has_module(name.split(".")) is exists


def list_programs(path: Path, text: str) -> list[str]:
    """Return the texts of a file in which a program may stand: strings of Python, and whole pages."""
    if path.suffix != ".py":
        return [text]
    nodes = ast.walk(ast.parse(text))
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def find_imports(program: str) -> list[tuple[str, str]]:
    """Return each module from which a program imports, with a name that it takes from there."""
    found = IMPORT.findall(program)
    return [(home, name.split()[0]) for home, names in found for name in names.split(",") if name.strip()]


def has_name(home: str, name: str) -> bool:
    """Return True if the module exists and has the name, or is a package with a module of that name."""
    try:
        return hasattr(importlib.import_module(home), name) or has_module([*home.split("."), name])
    except ModuleNotFoundError:
        return False


def test_every_import_of_a_program_in_a_text_finds_its_name(texts):
    """Programs for other processes and examples for readers are seen by no type checker."""
    named = {
        (str(path.relative_to(ROOT)), *found)
        for path, text in texts.items() if path != Path(__file__)
        for program in list_programs(path, text) for found in find_imports(program)
    }  # fmt: skip
    assert len(named) > 50
    assert {entry for entry in named if not has_name(*entry[1:])} == set()


def test_an_import_of_a_name_that_is_not_there_is_found():
    program = "x = 1; from maumau.process import trace, call as other"
    assert find_imports(program) == [("maumau.process", "trace"), ("maumau.process", "call")]
    assert [has_name(*found) for found in find_imports(program)] == [True, False]
    assert not has_name("maumau.call", "channel")


def list_tables() -> dict[str, list[set[str]]]:
    """Return the packages with a table, each with the files and folders that its rows name."""
    _, *sections = re.split(
        r"^### `", (ROOT / "docs/explanation/packages.md").read_text(), flags=re.MULTILINE
    )
    tables = {}
    for section in sections:
        package, _, table = section.partition("`")
        _, *rows = re.findall(r"^\| (.*) \|$", table, re.MULTILINE)
        tables[package] = [set(re.findall(r"`([\w/]+(?:\.py|/))`", row)) for row in rows]
    return tables


def test_what_a_table_of_a_package_names_is_in_the_package():
    tables = list_tables()
    assert len(tables) > 40
    missing = {
        f"{package}: {name}" for package, rows in tables.items() for row in rows for name in row
        if not (ROOT / package / name).exists()
    }  # fmt: skip
    assert missing == set()
    assert {package: len(rows) for package, rows in tables.items() if not 0 < len(rows) <= 12} == {}


def test_every_package_is_in_a_table():
    named = {Path(package) for package in list_tables()}
    named |= {
        Path(package, name if name.endswith("/") else Path(name).parent)
        for package, rows in list_tables().items() for row in rows for name in row
    }  # fmt: skip
    there = {path.parent for path in list_files() if path.name == "__init__.py"}
    there = {path for path in there if path.parts[0] in {"maumau", "services"} and len(path.parts) > 1}
    assert len(there) > 50
    assert {str(path) for path in there - named} == WITHOUT_TABLE


@pytest.mark.long
def test_nothing_cites_a_design_that_readers_do_not_have(texts):
    cited = re.compile(r"design §|\.\./shared|\b(?:ratings|options)\.md\b")
    own = Path(__file__)
    assert not [path for path, text in texts.items() if path != own and cited.search(text)]


def test_every_reading_that_is_cited_is_in_the_tables(texts):
    tables = (ROOT / "docs/reference/readings.md").read_text()
    there = set(re.findall(r"(?:^\| |^#+ |^\*\*)((?:[VGLPH]\d|\d)[\d.]*)(?=[ .])", tables, re.MULTILINE))
    there |= set(re.findall(r"\bP\d+(?= `)", tables))  # several in one row
    cited = {
        number.rstrip(".") for text in texts.values()
        for line in re.findall(r"docs/reference/readings\.md: ([^;'\n]*)", text)
        for number in re.findall(r"\b[VGLPH]\d[\d.]*", line)
    }  # fmt: skip
    assert len(cited) > 50
    assert cited - {number.rstrip(".") for number in there} == set()


def test_every_option_that_a_scenario_cites_is_described(texts):
    rules = (ROOT / "docs/reference/rules.md").read_text()
    cited = {
        re.split(r"[^\w]", option, maxsplit=1)[0] for path, text in texts.items() if path.suffix == ".yaml"
        for option in re.findall(r"docs/reference/rules\.md: ([^;'\n]*)", text)
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


def test_every_decision_that_is_cited_by_its_number_is_there(texts):
    folder = ROOT / "docs/decisions"
    there = {int(path.name[:4]) for path in folder.glob("[0-9]*.md")}
    number = re.compile(r"\b[Dd]ecision (\d{1,3})\b")
    cited = {
        (str(path.relative_to(ROOT)), int(found))
        for path, text in texts.items()
        for found in number.findall(text)
    }
    assert len(cited) > 20
    assert {(name, found) for name, found in cited if found not in there} == set()


def test_every_decision_has_a_date_a_status_and_its_three_parts(texts):
    part = re.compile(r"^(?:\*\*|## )(Context|Decision|Consequences)", re.MULTILINE)
    line = re.compile(r"\n\n(?:Date: )?\d{4}-\d\d-\d\d(?:, |\. Status: )accepted")
    records = {path.name: text for path, text in texts.items() if path.parent == ROOT / "docs/decisions"}
    wrong = {
        name
        for name, text in records.items()
        if name != "README.md" and not (line.search(text) and len(set(part.findall(text))) == 3)
    }
    assert len(records) > 20
    assert wrong == set()
