"""The documentation as a site: a broken link or a page that nothing leads to ends its build."""

import json

import pytest

from deploy.site import ROOT, build_site, find_files, find_orphans

pytestmark = pytest.mark.long

PAGE = "# {title}\n\nA page on {title}.\n"


@pytest.fixture
def tree(tmp_path):
    """A repository of four pages."""
    pages = {
        "docs/README.md": "# Start\n\n[bots](tutorial/bots.md) · [run](../deploy/README.md)\n",
        "docs/tutorial/bots.md": (
            "# Bots\n\nOn bots, [one](../examples/a.py) and [rules](../reference/rules.md)\n"
        ),
        "docs/reference/rules.md": PAGE.format(title="prsi"),
        "docs/examples/a.py": "print()\n",
        "deploy/README.md": PAGE.format(title="running"),
    }
    for name, text in pages.items():
        (tmp_path / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / name).write_text(text)
    return tmp_path


def test_every_page_of_the_documentation_is_reached_from_its_index():
    found = find_files(ROOT)
    assert find_orphans(ROOT, found) == []
    assert len(found) > 50


def test_a_site_is_built_and_searched(tree):
    assert build_site(tree / "root", tree / "built") == ""
    assert "A page on prsi." in (tree / "built/site/docs/reference/rules/index.html").read_text()
    found = json.dumps(json.loads((tree / "built/site/search.json").read_text()))
    assert "On bots, " in found
    assert "fonts.googleapis" not in (tree / "built/site/docs/tutorial/bots/index.html").read_text()


def test_a_broken_link_ends_the_build(tree):
    page = tree / "root/docs/tutorial/bots.md"
    page.write_text(page.read_text() + "\n[gone](gone.md)\n")
    assert "page does not exist" in build_site(tree / "root", tree / "built")


def test_a_page_that_nothing_leads_to_ends_the_build(tree):
    (tree / "root/docs/reference" / "alone.md").write_text(PAGE.format(title="nothing"))
    assert "/reference/alone.md; link to it from" in build_site(tree / "root", tree / "built")
