"""The ladders with which an arena goes on when its demonstration is decided."""

from maumau.answer import GetLeaderboardResponse, Ladder, LeaderboardLine, RuleSet
from maumau.errors import NotValidated
from services.supervisor import ladders


class Link:
    """Notes what is asked of the service; the third bot is refused."""

    def __init__(self):
        self.made, self.joined = [], []

    def create(self, name, rules):
        self.made.append((name, rules))

    def join(self, name, bot, *, pinned):
        if bot == "odd":
            raise NotValidated("odd was not validated.")
        self.joined.append((name, bot, pinned))


def test_every_house_bot_holds_the_scale_and_one_that_is_refused_keeps_nobody_away():
    link, said = Link(), []
    ladders.begin(link, ["first", "odd", "greedy"], said.append)
    assert link.made == [(rules, rules) for rules in ladders.RULES]
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
        "ladder prsi: 1. rollout +38, 2. counter +21, 3. greedy +3; 1,240 deals"
    )
