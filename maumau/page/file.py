"""The replay as one self-contained file: with the page's modules, styles and words."""

from __future__ import annotations

import hashlib
import html
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from maumau.errors import BadFile
from maumau.page.bundle import bundle_modules
from maumau.page.catalogue import LANGUAGES, NAMES
from maumau.page.drawn import Drawn, draw_deal
from maumau.page.labels import list_labels
from maumau.page.page import STATIC, PageDeal

MAX_DEALS: Final = 100  # deals in one file
TEMPLATE: Final = Path(__file__).with_name("replay.html")
STYLES: Final = ("base.css", "table.css", "replay.css", "file.css")
POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:"


def build_file(deals: Sequence[PageDeal]) -> str:
    """Return the whole file; raise BadFile for more deals than one file holds."""
    if not deals or len(deals) > MAX_DEALS:
        raise BadFile(
            f"a page holds 1 to {MAX_DEALS} deals, not {len(deals)}; choose some with --match and --deal"
        )
    drawn = [draw_deal(deal, LANGUAGES) for deal in deals]
    labels = {one: list_labels(one) for one in LANGUAGES}
    style = "".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES)
    script = bundle_modules(STATIC, "file")
    parts = {
        "POLICY": f"{POLICY}; style-src '{_digest(style)}'; script-src '{_digest(script)}'",
        "STYLE": style,
        "SCRIPT": script,
        "TOLD": _tell_without_scripts(drawn, labels),
        "DATA": _quote_data({"names": NAMES, "labels": labels, "deals": drawn}),
    }
    # in one pass, so that no part is searched for the names of others
    head, *rest = TEMPLATE.read_text(encoding="utf-8").split("__")
    return head + "".join(parts[part] if at % 2 == 0 else part for at, part in enumerate(rest))


def write_file(path: Path, deals: Sequence[PageDeal]) -> None:
    """Write the page as a file."""
    text = build_file(deals)
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror}") from None


def _digest(text: str) -> str:
    """Return the digest by which the file's policy allows only this text."""
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _quote_data(data: object) -> str:
    """Return JSON for a script element, unable to end the element or to begin another."""
    safe = msgspec.json.encode(data).decode()
    for sign in "&<>\u2028\u2029":
        safe = safe.replace(sign, f"\\u{ord(sign):04x}")
    return safe


def _tell_without_scripts(deals: Sequence[Drawn], labels: Mapping[str, Mapping[str, str]]) -> str:
    """Return the events in words, for browsers without scripts: in English, with a note in all languages."""
    said = "".join(f'<p lang="{one}">{html.escape(words["no_scripts"])}</p>' for one, words in labels.items())
    return said + "".join(map(_tell_deal, deals))


def _tell_deal(deal: Drawn) -> str:
    words = deal.words[LANGUAGES[0]]
    lines = [words[event] for stage in deal.stages for event in stage.open]
    ended = [deal.error] if deal.error else []
    listed = "".join(f"<li>{_show(line)}</li>" for line in lines + ended)
    return f"<h2>{_show(deal.title)}</h2><ol>{listed}</ol>"


def _show(text: str) -> str:
    """Return untrusted text as markup, without characters that markup cannot have."""
    return html.escape(text).replace("\0", "\ufffd")
