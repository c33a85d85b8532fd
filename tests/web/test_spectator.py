"""Pages for spectators say who won or is ahead, in words that claim no more than is known."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec import structs

from maumau.cli.shared.told_address import ask_page
from maumau.errors import NotReleased
from services.web.public.bot import BotMatch, join_meetings
from tests.support.fake import NOW, a_bot, a_line, a_match, a_standing, a_table, a_tournament

DECIDED = {"state": "decided", "rule": "cap", "winner": 2, "estimate": 0.47, "low": 0.43, "high": 0.51}


def with_a_finished_cup(arena, **changes) -> None:
    arena.contests = [a_tournament("cup", "finished", ended_at=NOW + timedelta(days=1))]
    arena.games["cup"] = [a_match(**{**DECIDED, **changes})]
    arena.ranks["cup"] = [a_standing(1, 2, "rollout", 12.0), a_standing(2, 1, "greedy", -12.0)]


def test_the_first_page_does_not_call_a_decided_match_open(site) -> None:
    with_a_finished_cup(site.arena)
    text = site.get("/").text
    assert "not separated yet" not in text
    assert "rollout has won" in text


def test_the_list_of_contests_names_winner_and_date(site) -> None:
    with_a_finished_cup(site.arena)
    text = " ".join(site.get("/contests").text.split())
    assert "<b><bdi>rollout</bdi></b>" in text
    assert 'datetime="2026-11-24T00:00:00+00:00"' in text


def test_a_contest_that_all_have_left_names_no_winner(site) -> None:
    with_a_finished_cup(site.arena)
    (cup,) = site.arena.contests
    gone = tuple(structs.replace(entry, withdrawn=True) for entry in cup.entries)
    site.arena.contests = [structs.replace(cup, entries=gone)]
    assert "<b><bdi>rollout" not in site.get("/contests").text


def test_a_contest_that_hides_its_results_names_no_winner(site, monkeypatch) -> None:
    with_a_finished_cup(site.arena)

    async def refuse(name: str) -> None:
        raise NotReleased

    monkeypatch.setattr(site.arena, "get_standings", refuse)
    text = site.get("/contests").text
    assert "cup" in text
    assert "<b><bdi>rollout" not in text


def with_one_line(arena, sets: int, half: float = 900) -> None:
    arena.contests = [a_tournament("cup", "running")]
    arena.games["cup"] = []
    arena.ranks["cup"] = [a_standing(1, 1, "greedy", 0.0, sets=sets, low=-half, high=half)]


def read_standings(site) -> str:
    """Return a contest's table; entrants are listed above it, whether they have played or not."""
    return site.get("/contests/cup").text.partition('<section id="standings"')[2].partition("</section>")[0]


def test_a_table_without_a_deal_is_not_shown(site) -> None:
    with_one_line(site.arena, 0)
    standings = read_standings(site)
    assert standings
    assert "<bdi>greedy</bdi>" not in standings


def test_a_rating_that_deals_do_not_narrow_needs_opponents(site) -> None:
    with_one_line(site.arena, 1200)
    standings = read_standings(site)
    assert "<bdi>greedy</bdi>" in standings
    assert "needs more opponents" in standings


@pytest.mark.parametrize(
    ("sets", "half", "words"),
    [
        (100, 240, "needs more deals"),  # 476 more of them: 100 * (2.4² - 1)
        (100, 250, "needs more opponents"),  # 525
        (60, 800, "needs more opponents"),
    ],
)
def test_a_rating_lacks_what_the_terminal_says_it_lacks(site, sets, half, words) -> None:
    with_one_line(site.arena, sets, half)
    assert words in read_standings(site)


ORDER = "Elo alone does not decide the places. What puts a bot above one with a higher Elo here: "


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([(40.0, "final"), (12.0, "bracket"), (-7.0, "bracket")], ""),
        ([(40.0, "final"), (-34.0, "bracket"), (9.0, "")], "how far it came in the bracket."),
        ([(-34.0, "final"), (9.0, "bracket"), (40.0, "")], "the final, how far it came in the bracket."),
        ([(-34.0, "cut"), (9.0, "")], "the later stage that it reached."),
        ([(40.0, "cut"), (-34.0, "rating"), (9.0, "")], "its place at the cut."),  # ratings change after it
        ([(-34.0, "Buchholz"), (9.0, "")], "Buchholz."),
        ([(-34.0, "disqualified"), (9.0, "")], "the disqualification of the other."),
        ([(12.0, "rating"), (12.0, "direct encounter"), (12.0, "")], ""),
        ([(-34.0, "by the moon"), (9.0, "")], "by the moon."),
    ],
)
def test_a_table_whose_places_are_not_by_rating_says_what_they_are_by(site, lines, says) -> None:
    site.arena.contests = [a_tournament("cup", bots=("ant", "bee", "cat"))]
    site.arena.ranks["cup"] = [
        a_standing(n, n, "bot", rating, rule=rule) for n, (rating, rule) in enumerate(lines, 1)
    ]
    told = read_standings(site)
    assert (ORDER + says in told) if says else "a higher Elo here" not in told


@pytest.mark.parametrize(("last", "says"), [(-40.0, ""), (9.0, "how far it came in the bracket.")])
def test_a_rating_that_is_not_shown_is_not_compared_but_its_reason_counts(site, last, says) -> None:
    site.arena.contests = [a_tournament("cup", bots=("ant", "bee", "cat"))]
    unrated = a_standing(2, 2, "bee", 0.0, sets=1, low=-900, high=900, rule="bracket")
    rated = a_standing(1, 1, "ant", -34.0, rule="rating"), a_standing(3, 3, "cat", last, rule="")
    site.arena.ranks["cup"] = [rated[0], unrated, rated[1]]
    told = read_standings(site)
    assert (ORDER + says in told) if says else "a higher Elo here" not in told


EARLY = {"rule": "sequential", "winner": 2, "sets": 10, "estimate": 0.075, "low": 0.124, "high": 0.379}


@pytest.mark.parametrize("path", ["/contests/cup/matches/1.1.1", "/contests/cup", "/bots/greedy", "/"])
@pytest.mark.parametrize(("low", "times"), [(0.124, 1), (0.07, 0)])
def test_a_score_outside_its_interval_is_explained_and_no_other(site, path, low, times) -> None:
    site.arena.all_bots = (a_bot("greedy"), a_bot("rollout"))
    with_a_finished_cup(site.arena, **{**EARLY, "low": low})
    assert site.get(path).text.count("the interval allows for the early stop") == times


def test_a_list_of_matches_says_how_each_was_decided_and_blocks_name_no_worker(site) -> None:
    with_a_finished_cup(site.arena, rule="cap: not separated", winner=0)
    assert "cap reached, not separated" in site.get("/contests/cup").text
    assert "Worker" not in site.get("/contests/cup/matches/1.1.1").text


@pytest.mark.parametrize("state", ["running", "finished"])
def test_a_match_without_a_deal_says_who_won_it_and_offers_no_replay(site, state) -> None:
    with_a_finished_cup(site.arena, sets=0, winner=2, rule="withdrawn", estimate=0.0, low=0.0, high=0.0)
    site.arena.contests = [structs.replace(site.arena.contests[0], state=state)]
    text = site.get("/contests/cup/matches/1.1.1").text
    assert "rollout wins against greedy without a deal (withdrawal)." in text
    assert "Replays" not in text
    assert "Decided by" not in text


def test_whoever_has_withdrawn_is_not_counted_among_the_entrants(site) -> None:
    cup = a_tournament("cup", "starting", bots=("greedy", "rollout", "first"))
    gone = structs.replace(cup.entries[0], withdrawn=True)
    site.arena.contests = [structs.replace(cup, entries=(gone, *cup.entries[1:]))]
    assert "2 entrants" in site.get("/contests/cup").text
    assert "2 entrants" in site.get("/contests").text


def test_meetings_with_one_opponent_are_told_together() -> None:
    """Won 60 % of 100 sets and lost with 45 % of 300: (60 + 135) / 400."""

    def met(opponent: str, score: float, sets: int, *, won: bool, winner: int) -> BotMatch:
        match = a_match(sets=sets, state="decided", winner=winner)
        return BotMatch("cup", match, opponent, score, score - 0.1, score + 0.1, won)

    meetings = [
        met("counter", 0.6, 100, won=True, winner=1), met("first", 0.9, 50, won=True, winner=1),
        met("counter", 0.45, 300, won=False, winner=2), met("counter", 0.5, 0, won=False, winner=0),
    ]  # fmt: skip
    counter, first = join_meetings(meetings)
    assert (counter.opponent, counter.sets, counter.matches) == ("counter", 400, (1, 1, 1))
    assert abs(counter.score - 0.4875) < 1e-9
    assert (first.opponent, first.matches) == ("first", (1, 0, 0))


def test_an_ended_table_says_who_won(site) -> None:
    site.arena.live["table_1"] = [a_table(state="over", places=(2, 1), points=(3, 0))]
    assert "<bdi>greedy</bdi>" in site.get("/tables").text


def test_what_browsers_and_programs_ask_for_unasked_is_there(site) -> None:
    assert "Disallow: /me" in site.get("/robots.txt").text
    assert site.get("/favicon.ico").status == 302
    index = site.get("/api/v1")
    assert index.json["openapi"] == "/api/v1/openapi.json"
    assert index.json["arena"] == "http://127.0.0.1"
    assert ask_page(f"{site.url}/") == "http://127.0.0.1"


def test_the_list_of_bots_has_places_and_sets_those_aside_that_do_not_play(site) -> None:
    site.arena.all_bots = (a_bot("greedy"), a_bot("broken", state="refused"))
    site.arena.boards["prsi"] = [a_line(1, "rollout", 40.0), a_line(2, "greedy", -8.0)]
    text = " ".join(site.get("/bots").text.split())
    assert "place 2 of 2, \u22128 Elo" in text
    assert text.index("greedy") < text.index("Without an active version: 1") < text.index("broken")


def test_the_list_of_bots_does_without_ladders(site) -> None:
    site.arena.all_bots = (a_bot("greedy"),)
    site.arena.ladders_down = True
    assert "greedy" in site.get("/bots").text
