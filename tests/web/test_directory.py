"""Pages of authors and teams, and the search."""

from __future__ import annotations

from services.web.public.directory import SHOWN
from tests.support.fake import a_bot, a_tournament


def test_an_author_shows_bots_and_a_team_its_members(site) -> None:
    site.arena.all_bots = (a_bot("flash", "reds"), a_bot("greedy"), a_bot("solo", "ada"))
    site.arena.teams = {"reds": ("ada", "grace")}
    text = site.get("/authors/reds").text
    assert "/bots/flash" in text
    assert "/bots/solo" not in text
    assert "grace" in text
    assert "Leitung" not in site.get("/authors/ada").text
    assert "grace" not in site.get("/authors/ada").text
    assert site.get("/authors/nobody").status == 404
    assert 'href="/authors/reds"' in site.get("/bots").text


def test_a_search_finds_bots_contests_and_authors_by_a_part_of_their_names(site) -> None:
    site.arena.all_bots = (a_bot("flash", "redstart"), a_bot("redshift", "ada"))
    site.arena.teams = {"redstart": ("grace",)}
    site.arena.contests = [a_tournament("red-cup"), a_tournament("blue-cup")]
    text = site.get("/search?q=RED").text
    for address in ("/bots/redshift", "/contests/red-cup", "/authors/redstart"):
        assert f'href="{address}"' in text
    for address in ("/bots/flash", "/contests/blue-cup"):
        assert f'href="{address}"' not in text
    assert "Nothing here is called" in site.get("/search?q=green").text
    assert "<script>" not in site.get("/search?q=<script>").text.partition("<main")[2]
    assert "Nothing here" not in site.get("/search").text


def test_a_long_list_of_finds_is_shown_page_by_page(site) -> None:
    names = [f"bot-{number:03}" for number in range(2 * SHOWN + 1)]
    site.arena.all_bots = tuple(map(a_bot, names))
    seen, address = [], "/search?q=bot&kind=bots"
    while address:
        text = site.get(address).text
        seen += [name for name in names if f'href="/bots/{name}"' in text]
        more = text.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
        address = f"/search{more}" if more else ""
    assert seen == names
