"""The ladders of a demonstration: open from its start, played by the house bots beside its tournaments."""

from pathlib import Path

import pytest

from maumau.bots import HOUSE
from maumau.client.answer import GetLeaderboardResponse, Ladder, LeaderboardLine, RuleSet
from maumau.client.arena import Arena
from maumau.client.matchmaking import Matchmaking
from maumau.errors import NotValidated
from services.supervisor.contests import demo, ladders
from tests.support.arenas.embedded import Running
from tests.support.polling import until

RESTING = ("It rests: a.", "It rests: b.", "It rests: c.")


class Link:
    """Notes what is asked of the service; the third bot is refused."""

    def __init__(self):
        self.joined = []

    def join(self, name, bot, *, pinned):
        if bot == "odd":
            raise NotValidated("odd was not validated.")
        self.joined.append((name, bot, pinned))


def test_every_house_bot_holds_the_scale_and_one_that_is_refused_keeps_nobody_away():
    link, said = Link(), []
    ladders.join_house(link, ["first", "odd", "greedy"], said.append)
    assert link.joined == [(rules, bot, True) for rules in ladders.RULES for bot in ("first", "greedy")]
    assert said[0] == "the house bot odd is not on the ladder mau_mau: odd was not validated."


def test_a_line_says_who_leads():
    places = enumerate((("rollout", 38.4), ("counter", 20.6), ("greedy", 3.0), ("random", -70.0)), 1)
    lines = tuple(
        LeaderboardLine(place, name, "house", "v", elo, elo - 9, elo + 9, 1, 2, 0.5, 400, 0, True, "")
        for place, (name, elo) in places
    )
    ladder = Ladder("prsi", RuleSet("prsi", "{}", "", ""), "win", None, 4, 1240, 1, 2, "")
    assert ladders.in_words("prsi", GetLeaderboardResponse(ladder, lines)) == (
        "ladder prsi: 1. rollout +38, 2. counter +21, 3. greedy +3; 1,240 deal sets"
    )


def test_a_line_leaves_out_a_rating_of_which_little_is_known():
    bounds = (("rollout", 38.4, 100.0), ("counter", 20.6, 100.5), ("greedy", -250.0, 240.0))
    lines = tuple(
        LeaderboardLine(place, name, "house", "v", elo, elo - to, elo + to, 1, 2, 0.5, 20, 0, True, "")
        for place, (name, elo, to) in enumerate(bounds, 1)
    )
    ladder = Ladder("prsi", RuleSet("prsi", "{}", "", ""), "win", None, 4, 20, 1, 2, "")
    assert ladders.in_words("prsi", GetLeaderboardResponse(ladder, lines)) == (
        "ladder prsi: 1. rollout +38, 2. counter, 3. greedy -250; 20 deal sets"
    )


def test_a_rest_is_told_once_and_again_after_the_ladder_has_woken():
    def table(name, words):
        rules, rests = RuleSet("prsi", "{}", "", ""), words in RESTING
        ladder = Ladder(name, rules, "win", None, 4, 1240, 1, 2, words, rests=rests)
        return GetLeaderboardResponse(ladder, ())

    resting = {}
    told = [
        ladders.note_rest(table(name, words), resting)
        for name, words in (
            ("prsi", ""), ("prsi", "It rests: a."), ("prsi", "It rests: a."), ("mau_mau", "It rests: b."),
            ("prsi", "It takes 2 bots; 1 can play."), ("prsi", "It rests: a."), ("pesten", "It rests: c."),
        )
    ]  # fmt: skip
    assert told == [
        "", "ladder prsi: It rests: a.", "", "ladder mau_mau: It rests: b.", "", "ladder prsi: It rests: a.",
        f"ladder pesten: It rests: c. {ladders.ALL_REST}",
    ]  # fmt: skip


def find_sets(link: Matchmaking, name: str) -> int:
    found = link.leaderboard(name)
    return found.ladder.sets if found.ladder else 0


@pytest.mark.long
def test_house_bots_play_on_ladders_while_the_demonstration_plays(house_data: Path, tmp_path: Path) -> None:
    """A newcomer meets somebody there, and need not wait for the end of three tournaments."""
    with Running(tmp_path / "data", "--programme", "tour", like=house_data) as arena:
        arena.wait_for("Ctrl-C stops everything")
        card = arena.card()
        with (
            Matchmaking(card["matchmaking"], card["token"]) as link,
            Arena(card["registry"], card["tournament"], card["token"]) as client,
        ):
            until("they are open", lambda: {each.name for each in link.ladders()} == set(ladders.RULES), 60)
            until("results of one", lambda: find_sets(link, "mau_mau") > 0, 120)
            decided = {each.name for each in client.tournaments() if each.state in ("decided", "finished")}
            assert demo.PROGRAMMES["tour"][-1].name not in decided
            assert {line.bot_name for line in link.leaderboard("mau_mau").lines} == set(HOUSE)
