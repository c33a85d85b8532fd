"""The ladders of a demonstration: open from its start, played by the house bots when it is decided."""

from pathlib import Path

import pytest

from maumau.answer import GetLeaderboardResponse, Ladder, LeaderboardLine, RuleSet
from maumau.client import Arena
from maumau.errors import NotValidated
from maumau.matchmaking import Matchmaking
from services.supervisor import demo, ladders
from tests.supervisor.embedded import Running
from tests.supervisor.polling import until


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


@pytest.mark.long
def test_a_ladder_is_there_while_the_demonstration_plays(house_data: Path, tmp_path: Path) -> None:
    """Authors may join it; the house bots do when they have played the demonstration."""
    with Running(tmp_path / "data", "--programme", "tour", like=house_data) as arena:
        arena.wait_for("Ctrl-C stops everything")
        card = arena.card()
        with (
            Matchmaking(card["matchmaking"], card["token"]) as link,
            Arena(card["registry"], card["tournament"], card["token"]) as client,
        ):
            until("they are open", lambda: {each.name for each in link.ladders()} == set(ladders.RULES), 60)
            decided = {each.name for each in client.tournaments() if each.state in ("decided", "finished")}
            assert demo.PROGRAMMES["tour"][-1].name not in decided
            assert link.leaderboard("prsi").lines == ()
