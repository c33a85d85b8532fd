"""A page to print and cut up: a card for each code, with its QR code, in German and English."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from maumau.errors import MissingExtra

if TYPE_CHECKING:
    from datetime import datetime

COLUMNS, ROWS = 3, 8  # cards of a page
STYLE: Final = """
@page { size: A4; margin: 8mm }
* { box-sizing: border-box }
body { margin: 0; font: 6.5pt/1.2 sans-serif; color: #000; background: #fff }
section { display: grid; grid-template: repeat(8, 35mm) / repeat(3, 64.5mm); break-after: page }
section:last-child { break-after: auto }
article { border: 0.2mm dashed #777; padding: 1mm 2mm; overflow: hidden }
article > div { display: flex; align-items: center; height: 21mm }
article svg { width: 21mm; height: 21mm; flex: none }
p { margin: 0; overflow-wrap: anywhere }
code { font: bold 7pt/1.4 monospace; white-space: nowrap }
strong { font-size: 9pt }
"""


def check_drawer() -> None:
    """Raise MissingExtra if nothing here draws QR codes."""
    try:
        import segno  # noqa: F401 - the import is the check
    except ImportError:
        raise MissingExtra(
            "A sheet needs the package segno: `pip install 'maumau-arena[platform]'`. Without --sheet the"
            " codes are printed."
        ) from None


def find_payload(code: str, page: str) -> str:
    """Return the text of a QR code: a link that opens the form with the code, or the code alone."""
    return f"{page}/join/{code}" if page else code


def write_sheet(group: str, codes: Sequence[str], ends_at: datetime | None, page: str) -> str:
    """Return the sheet as a page without scripts. page: the address of the arena's page, or ""."""
    until = (f", bis {ends_at:%d.%m.%Y}", f", until {ends_at:%Y-%m-%d}") if ends_at else ("", "")
    cards = [_draw_card(group, code, until, page) for code in codes]
    step = COLUMNS * ROWS
    pages = ["".join(cards[at : at + step]) for at in range(0, len(cards), step)]
    sections = "\n".join(f"<section>\n{one}</section>" for one in pages)
    return (
        '<!doctype html>\n<html lang="de">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(group)}, Maumau Arena</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n{sections}\n</body>\n</html>\n"
    )


def _draw_card(group: str, code: str, until: tuple[str, str], page: str) -> str:
    import segno

    drawn = segno.make(find_payload(code, page), error="m", micro=False).svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True, svgclass=None, lineclass=None
    )
    where = escape(f"{page}/join" if page else "/join")
    return (
        f'<article data-code="{escape(code)}"><div>{drawn}<div>\n'
        f"<p><strong>{escape(group)}</strong></p>\n<p><code>{escape(code)}</code></p>\n<p>{where}</p>\n"
        f"</div></div>\n<p>Dein Konto: scannen, oder den Code dort eintippen. Gilt einmal{until[0]}.</p>\n"
        f'<p lang="en">Your account: scan, or type the code there. Works once{until[1]}.</p>\n'
        "</article>\n"
    )
