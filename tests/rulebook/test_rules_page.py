"""docs/reference/rules.md tells each variant in full, though some by their differences."""

import re
from pathlib import Path

import pytest

from maumau.game import load, variants
from maumau.rulebook import build_page

PAGE, VARIANT = (
    (Path(__file__).parents[2] / "docs/reference" / name).read_text(encoding="utf-8")
    for name in ("rules.md", "variant.md")
)
CHAPTERS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
GONE = "These do not hold:"


def list_rules(text: str) -> set[str]:
    for name, told in re.findall(r"^- `(\w+)`: (.*)", CHAPTERS["Values of cards"], re.MULTILINE):
        text = text.replace(f"Cards left in hand count by `{name}`.", told)
    return set(re.findall(r"^- (.*)", text, re.MULTILINE))


def tell(name: str) -> set[str]:
    """Return the rules that a reader finds for a variant."""
    own, _, gone = CHAPTERS[name].partition(GONE)
    base = load(name).variant.extends
    told = tell(base) if base else list_rules(CHAPTERS["Usual rules"])
    return (told - list_rules(gone)) | list_rules(own)


def read_options(name: str) -> dict[str, str]:
    base = load(name).variant.extends
    found = read_options(base) if base else read_list(CHAPTERS["Usual rules"])
    return found | read_list(CHAPTERS[name])


def read_list(chapter: str) -> dict[str, str]:
    line = re.search(r"^Options[^:]*: (.*)\.$", chapter, re.MULTILINE)
    if not line:
        return {}
    return dict(re.findall(r"`(\w+)` (.*?)(?: \(.*\))?$", each)[0] for each in line[1].split("; "))


@pytest.mark.parametrize("name", variants())
def test_the_page_has_every_rule_and_option_of_a_variant(name: str) -> None:
    told = build_page(load(name))
    assert tell(name) == {line.text for _, lines in told.sections for line in lines}
    assert read_options(name) == {each.name: each.default for each in told.options}


@pytest.mark.parametrize("option", sorted({each for name in variants() for each in load(name).options}))
def test_a_page_says_what_each_option_decides(option: str) -> None:
    row = rf"^\| `{option}` \| .+ \| .+\. \|$"
    assert len(re.findall(row, CHAPTERS["Options"] + VARIANT, re.MULTILINE)) >= 1
