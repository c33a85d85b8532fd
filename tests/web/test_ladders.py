"""Ladders as a reader of the pages sees them: the table, what is open of it, what was paired and why."""

from __future__ import annotations

import re

from maumau.answer import HeadToHead
from tests.web.fake import a_line, a_pairing

HOSTILE = "<script>alert(1)</script>"


def with_a_ladder(arena) -> None:
    arena.boards["prsi"] = [
        a_line(1, "rollout", 60.0, best=0.998, best_place=1, worst_place=1),
        a_line(2, "greedy", -8.4, best=0.001, pinned=True),
        a_line(3, "fresh", 0.0, sets=0, low=-90.0, high=90.0, words="its version is being validated"),
    ]
    arena.versus["greedy"] = (HeadToHead("rollout", "version_rollout", 120, 0.41, 0.36, 0.46),)
    pairs = [("rollout", "greedy"), ("greedy", "fresh")]
    arena.paired = [a_pairing(f"3.{n}", *pairs[n % 2]) for n in range(60, 0, -1)]


def test_a_table_says_place_strength_and_how_sure_it_is(site) -> None:
    with_a_ladder(site.arena)
    text = site.get("/ladders/prsi").text
    assert "60 Elo, 95 % interval 40 to 80" in text
    assert "\u22128 Elo, 95 % interval \u221228 to 12" in text
    assert "&gt; 99 %" in text
    assert "&lt; 1 %" in text
    assert "between 2 and 3" in text
    assert "no result yet" in text
    assert "its version is being validated" in text
    assert "the mean of the bots with ⚓ is 0" in text
    assert "das Mittel der Bots mit ⚓ ist 0" in site.get("/ladders/prsi?lang=de").text


def test_a_ladder_on_which_nobody_is_paired_says_why(site) -> None:
    with_a_ladder(site.arena)
    site.arena.boards["four"], site.arena.idle["four"] = [], "It takes 4 bots; 3 can play."
    said = '<span lang="en">It takes 4 bots; 3 can play.</span>'
    assert f"No pairings at the moment: {said}" in site.get("/ladders/four").text
    assert f"Zurzeit gibt es keine Paarungen: {said}" in site.get("/ladders/four?lang=de").text
    assert "No pairings" not in site.get("/ladders/prsi").text


def test_an_axis_holds_all_intervals_and_zero_where_it_belongs(site) -> None:
    """From -28.4 to 80 with 4 % of room on either side: -32.7 to 84.3, zero at 28 % and 60 at 79.2 %."""
    with_a_ladder(site.arena)
    text = site.get("/ladders/prsi").text
    assert 'class="half" x1="28.0%"' in text
    assert '<circle cx="79.2%"' in text


def test_a_row_opens_to_the_results_against_each(site) -> None:
    with_a_ladder(site.arena)
    assert "Share of the mirrored deals" not in site.get("/ladders/prsi").text
    text = site.get("/ladders/prsi?bot=greedy").text
    assert "greedy: 41.0 %, 95 % interval 36.0 to 46.0 %" in text
    assert "120 sets" in text
    assert "It has met nobody yet." in site.get("/ladders/prsi?bot=fresh").text


def test_the_bots_of_one_author_are_shown_alone(site) -> None:
    with_a_ladder(site.arena)
    text = site.get("/ladders/prsi?author=greedy-author").text
    assert text.count("<tr id=") == 1
    assert 'data-stream="/stream/ladders/prsi?author=greedy-author"' in text


def test_a_table_moves_while_one_watches(site) -> None:
    with_a_ladder(site.arena)
    with site.watching("/stream/ladders/prsi?seen=") as events:
        assert "60 Elo" in next(events)["data"]["ladder"]
        site.arena.boards["prsi"][0] = a_line(1, "rollout", 71.0)
        site.change()
        assert "71 Elo" in next(events)["data"]["ladder"]


def test_pairings_say_who_and_why_and_go_on_by_cursor(site) -> None:
    with_a_ladder(site.arena)
    text = site.get("/ladders/prsi/pairings").text
    assert "rollout and greedy may both be the best." in text
    assert "10 of 20 sets" in text
    seen = re.findall(r'<span class="number">(3\.\d+)', text)
    while more := re.search(r'href="\?after=([\d.]+)"', text):
        text = site.get(f"/ladders/prsi/pairings?after={more[1]}").text
        seen += re.findall(r'<span class="number">(3\.\d+)', text)
    assert seen == [f"3.{n}" for n in range(60, 0, -1)]
    assert "91" * 32 in text  # the secret of the epoch that is over
    assert "wer ist der Beste?" in site.get("/ladders/prsi/pairings?lang=de").text


def test_all_at_a_table_of_three_are_named_and_the_score_is_the_first_ones(site) -> None:
    with_a_ladder(site.arena)
    site.arena.paired = [a_pairing("3.61", "rollout", "greedy", others=("counter",), score=0.63)]
    text = site.get("/ladders/prsi/pairings").text
    assert re.findall(r'/bots/(\w+)"', text[text.index("versus") :])[:3] == ["rollout", "greedy", "counter"]
    assert "· 63.0</span>" in text
    assert " : " not in text[text.index("of 20 sets") :][:60]


def test_why_a_pair_was_made_is_asked_for_once_while_it_is_shown(site) -> None:
    with_a_ladder(site.arena)
    with site.watching("/stream/ladders/prsi/pairings?seen=") as events:
        next(events)
        asked = site.arena.asked.count("explain 3.60")
        site.arena.paired.insert(0, a_pairing("3.61", "fresh", "greedy"))
        assert "3.61" in next(events)["data"]["pairings"]
    assert site.arena.asked.count("explain 3.60") == asked
    assert site.arena.asked.count("explain 3.61") == 1


def test_the_best_of_each_ladder_are_on_the_first_page(site) -> None:
    with_a_ladder(site.arena)
    site.arena.boards["empty"] = []
    for path in ("/", "/ladders"):
        text = site.get(path).text
        assert "/ladders/prsi" in text
        assert "60 Elo" in text
        assert "No bot has joined yet." in text


def test_contests_are_shown_though_the_ladders_are_silent(site) -> None:
    with_a_ladder(site.arena)
    site.arena.ladders_down = True
    home = site.get("/")
    assert home.status == 200
    assert "The ladders do not answer at the moment." in home.text
    assert site.get("/ladders/prsi").status == 503


def test_without_a_ladder_one_reads_how_to_make_one(site) -> None:
    assert "maumau ladder create" in site.get("/ladders").text
    missing = site.get("/ladders/none")
    assert missing.status == 404
    assert "To the first page" in missing.text


def test_names_and_words_on_ladders_are_text(site) -> None:
    site.arena.boards["prsi"] = [a_line(1, HOSTILE, 1.0, words=HOSTILE), a_line(2, "greedy", 0.0)]
    site.arena.versus[HOSTILE] = (HeadToHead(HOSTILE, "v", 20, 0.5, 0.4, 0.6),)
    site.arena.paired = [a_pairing("3.1", HOSTILE, "greedy", kind=HOSTILE)]
    paths = ("/", "/ladders/prsi?bot=%3Cscript%3Ealert(1)%3C/script%3E", "/ladders/prsi/pairings")
    for path in paths:
        text = site.get(path).text
        assert "&lt;script&gt;alert" in text
        assert "<script>alert" not in text
