"""The documentation as a site that can be searched: `make docs`.

    python -m deploy.site            build it into build/site/site; broken links and orphans fail
    python -m deploy.site --serve    show it on 127.0.0.1:8000 and build it again after each change of a page

The pages keep their places in the repository: their links hold on the site, on GitHub and in an editor. Every
page that is reached from docs/README.md is part of it, and so is every file that one of them links to.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
INDEX: Final = Path("docs/README.md")
LINK: Final = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
FENCED: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
ADDRESS: Final = "127.0.0.1:8000"

SECTIONS: Final = {
    "Tutorial": "docs/tutorial",
    "How-to": "docs/how-to",
    "Reference": "docs/reference",
    "Explanation": "docs/explanation",
    "Decisions": "docs/decisions",
    "Operation": "deploy",
    "Project": ".",
}
"""Parts of the site, each with the folder of its pages."""

CONFIG: Final = """\
[project]
site_name = "Maumau Arena"
site_description = "Programs play Mau-Mau against each other, and the arena proves which one is best."
docs_dir = "source"
site_dir = "site"
dev_addr = "{address}"
nav = [
{nav}
]

[project.theme]
language = "en"
font = false
features = ["navigation.tabs", "navigation.top", "search.highlight", "content.code.copy"]
"""


def find_links(page: Path, root: Path) -> Iterator[Path]:
    """Yield the files of the repository that a page links to, missing ones included."""
    text = FENCED.sub("", (root / page).read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if "://" not in target and not target.startswith(("mailto:", "/")):
            found = (root / page.parent / target).resolve()
            if found.is_relative_to(root):
                yield found.relative_to(root)


def find_files(root: Path) -> set[Path]:
    """Return all files that are reached from the index through links."""
    found, waiting = {INDEX}, [INDEX]
    while waiting:
        page = waiting.pop()
        if page.suffix == ".md":
            fresh = {link for link in find_links(page, root) if (root / link).is_file()} - found
            found |= fresh
            waiting += fresh
    return found


def find_orphans(root: Path, found: set[Path]) -> list[Path]:
    """Return the pages below docs that no other page leads to."""
    pages = {path.relative_to(root) for path in (root / "docs").rglob("*.md")}
    return sorted(pages - found)


def write_config(files: set[Path]) -> str:
    """Return the site's settings, with its pages in order of sections."""
    lines = [f'  {{"Start" = "{INDEX}"}},']
    for section, folder in SECTIONS.items():
        pages = sorted(page for page in files if page.suffix == ".md" and str(page.parent) == folder)
        named = ", ".join(f'"{page}"' for page in pages if page != INDEX)
        if named:
            lines.append(f'  {{"{section}" = [{named}]}},')
    return CONFIG.format(address=ADDRESS, nav="\n".join(lines))


def prepare_site(root: Path, into: Path) -> list[Path]:
    """Copy the pages and write the settings; return the orphans."""
    files = find_files(root)
    shutil.rmtree(into, ignore_errors=True)
    for file in files:
        target = into / "source" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / file, target)
    (into / "zensical.toml").write_text(write_config(files), encoding="utf-8")
    return find_orphans(root, files)


def build_site(root: Path, into: Path) -> str:
    """Build the site; return what is wrong with it, "" if nothing is."""
    orphans = prepare_site(root, into)
    if orphans:
        return f"no page leads to {', '.join(map(str, orphans))}; link to it from {INDEX} or another page"
    words = [sys.executable, "-m", "zensical", "build", "--strict", "-f", str(into / "zensical.toml")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout.partition("Traceback")[0] + done.stderr[-2000:]


def main() -> None:
    """Build or show the site."""
    parser = argparse.ArgumentParser(prog="python -m deploy.site", description="The documentation as a site.")
    parser.add_argument("--serve", action="store_true", help=f"show it on {ADDRESS}")
    into = ROOT / "build/site"
    if parser.parse_args().serve:
        prepare_site(ROOT, into)
        words = [sys.executable, "-m", "zensical", "serve", "-f", str(into / "zensical.toml")]
        raise SystemExit(subprocess.run(words, check=False).returncode)
    if wrong := build_site(ROOT, into):
        raise SystemExit(f"the documentation does not build:\n{wrong}")


if __name__ == "__main__":
    main()
