"""QR codes of links."""

from functools import lru_cache
from typing import Final

from markupsafe import Markup

KEPT: Final = 256  # QR codes


@lru_cache(KEPT)
def draw_code(link: str) -> Markup:
    """Return the QR code of a link, as SVG of the size that the page gives it."""
    import segno  # not at a start: few are invited

    drawn = segno.make(link, error="m", micro=False).svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True, svgclass=None, lineclass=None
    )
    return Markup(drawn)  # noqa: S704 - it has nothing of the link but squares
