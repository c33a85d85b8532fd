"""The templates of the pages."""

import re
from pathlib import Path

from services.web import delivery
from services.web.delivery.render import Renderer

TEMPLATES = Path(delivery.__file__).parents[1] / "templates"
CHOICE = re.compile(r"{% if on_axis\([^%]*%}(.*?){% else %}(.*?){% endif %}", re.DOTALL)


def test_a_second_renderer_compiles_no_template_again() -> None:
    first, second = (Renderer("/static/a")._env.get_template("base.html") for _ in range(2))
    assert first is second


def test_renderers_with_other_assets_name_their_own() -> None:
    names = [Renderer(assets)._env.get_template("base.html").globals["assets"] for assets in ("/a", "/b")]
    assert names == ["/a", "/b"]


def test_a_line_that_is_not_drawn_has_the_cells_of_one_that_is() -> None:
    """The column of the axis is hidden on narrow screens: its cell is in every line."""
    choices = [found for path in TEMPLATES.rglob("*.html") for found in CHOICE.findall(path.read_text())]
    tables = [found for found in choices if "<td" in found[0]]
    assert len(tables) >= 3
    for drawn, not_drawn in tables:
        cells = [["axis" in cell for cell in re.findall(r"<td[^>]*>", one)] for one in (drawn, not_drawn)]
        assert cells[0] == cells[1]
