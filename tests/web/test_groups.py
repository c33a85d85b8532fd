"""Groups on the page of a contest: side by side, with a crosstable each, and who goes on."""

import re

import pytest

from tests.web.browser import find_serious, opened
from tests.web.grouped import CUP, GROUPS, ROBIN, hold_groups


def read_groups(page):
    """Return for each group its name, and for each bot its name, its counts and whether it goes on."""
    found = {}
    for name, table in re.findall(r"<section><h3>(.*?)</h3>(.*?)</section>", page, re.DOTALL):
        row = r'<tr( class="goes-on")?><th.*?<bdi>(.*?)</bdi>.*?<td class="number">(.*?)</td>'
        rows = re.findall(row, table)
        found[name] = [(bot, counts.replace("\N{EN DASH}", ":"), bool(goes)) for goes, bot, counts in rows]
    return found


@pytest.mark.long
def test_groups_stand_side_by_side_with_those_who_go_on(site):
    """Nine in groups of four at most: 1 6 7, 2 5 8, 3 4 9; six places for two of each."""
    hold_groups(site.arena, GROUPS, CUP.format(take=6), rounds=3)
    page = site.get("/contests/cup").text
    assert read_groups(page) == {
        "Group A": [("greedy", "2:0", True), ("random", "1:1", True), ("bot-7", "0:2", False)],
        "Group B": [("rollout", "2:0", True), ("first", "1:1", True), ("bot-8", "0:2", False)],
        "Group C": [
            ("a-bot-with-a-name-as-long-as-they-may-be", "2:0", True),
            ("counter", "1:1", True),
            ("bot-9", "0:2", False),
        ],
    }
    assert "✓ goes on." in page
    german = site.get("/contests/cup", accept_language="de").text
    assert "<h2>Gruppen" in german
    assert "Gruppe A" in german
    assert "✓ kommt weiter." in german


@pytest.mark.long
def test_before_the_end_of_the_groups_the_mark_is_provisional(site):
    hold_groups(site.arena, rounds=1)
    assert "✓ would go on as it stands." in site.get("/contests/cup").text
    assert "✓ käme nach dem jetzigen Stand weiter." in site.get("/contests/cup", accept_language="de").text


@pytest.mark.long
def test_groups_stay_as_they_ended_while_the_bracket_is_played(site):
    hold_groups(site.arena, GROUPS, CUP.format(take=6), rounds=9)
    page = site.get("/contests/cup").text
    assert [bot for bot, _, goes in read_groups(page)["Group B"] if goes] == ["rollout", "first"]
    assert "Cut: the bots below do not play in the stages that follow." in page
    assert "Schnitt: Die Bots darunter" in site.get("/contests/cup", accept_language="de").text


def test_the_api_has_the_table_after_a_stage(site):
    plan = hold_groups(site.arena, GROUPS, CUP.format(take=6), rounds=9)
    site.arena.stage_tables["cup", 1].reverse()
    order = [row.entrant for row in plan.tables[0]]
    for stage, entrants in ((1, order[::-1]), (2, [row.entrant for row in plan.table])):
        found = site.get(f"/api/v1/contests/cup/standings?stage={stage}").json
        assert [line["entrant"] for line in found["items"]] == entrants
    assert site.get("/api/v1/contests/cup/standings?stage=17").status == 400


def test_a_crosstable_has_both_legs(site):
    hold_groups(site.arena, ROBIN, count=3, rounds=9)
    page = site.get("/contests/cup").text
    cells = re.findall(r'<td class="number">(.*?)</td>', page)
    labels = [re.findall(r"/matches/([\d.]+)", cell) for cell in cells]
    assert [both for both in labels if both] == [
        ["1.2.1", "1.5.1"], ["1.3.1", "1.6.1"], ["1.2.1", "1.5.1"], ["1.1.1", "1.4.1"],
        ["1.3.1", "1.6.1"], ["1.1.1", "1.4.1"],
    ]  # fmt: skip


@pytest.mark.long
def test_each_round_robin_has_a_crosstable_of_its_own(site):
    hold_groups(site.arena, ROBIN, f'{ROBIN}\nseeds = "previous"\ntake = 2', count=4, rounds=20)
    page = site.get("/contests/cup").text
    assert re.findall(r"<h2>Crosstable(.*?)</h2>", page) == [", stage 1", ", stage 2"]


@pytest.mark.long
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_groups_fit_every_screen(chromium, site, width):
    hold_groups(site.arena, GROUPS, CUP.format(take=6), rounds=9)
    with opened(chromium, site, "/contests/cup", viewport={"width": width, "height": 900}) as page:
        page.wait_for_selector(".groups")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not find_serious(page)
