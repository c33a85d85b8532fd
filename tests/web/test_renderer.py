"""The templates of the pages."""

from services.web.delivery.render import Renderer


def test_a_second_renderer_compiles_no_template_again() -> None:
    first, second = (Renderer("/static/a")._env.get_template("base.html") for _ in range(2))
    assert first is second


def test_renderers_with_other_assets_name_their_own() -> None:
    names = [Renderer(assets)._env.get_template("base.html").globals["assets"] for assets in ("/a", "/b")]
    assert names == ["/a", "/b"]
