"""A policy that was trained by self-play: docs/tutorial/train.md. The weights are in policy.json."""

import json
from pathlib import Path

from maumau.bot import Bot, View, laid, run

ASKS = (
    "turn", "answer", "cover", "again", "keep", "wish", "doubt", "rescue", "window", "chain", "appeal",
    "vote", "react",
)  # fmt: skip
SUITS = "CSHD"


class SelfPlay(Bot):
    """Does what its network thinks best; it reads the weights once for all deals."""

    name = "self-play"

    @classmethod
    def prepare(cls, _rules, _seats):
        cls.known = json.loads(Path(__file__).with_name("policy.json").read_text())
        cls.number = {name: at for at, name in enumerate(cls.known["actions"])}
        cls.card = {name: at for at, name in enumerate(cls.known["cards"])}
        cls.offset, size = {}, 0
        for field, length in cls.known["sizes"].items():
            cls.offset[field] = size
            size += length

    def start(self):
        self.pile = []

    def seen(self, events):
        """Follow which cards lie open in the pile."""
        for event in events:
            who, _, said = event.partition(" ")
            if who == "shuffle":
                del self.pile[: int(said)]
            elif who == "up":
                self.pile.append(said)
            elif len(who) == 1:
                self.pile += laid(said.partition(" ")[0])

    def act(self, view: View) -> str:
        """Choose step by step, as the environment asks: several cards are put one after the other."""
        begun: list[str] = []
        ways = {action: steps(action) for action in view.legal}
        while True:
            following = {}
            for action, way in ways.items():
                if way[: len(begun)] == begun:
                    following.setdefault(way[len(begun)], action)
            choice = self.best(view, list(following), begun)
            begun.append(choice)
            found = [action for action, way in ways.items() if way == begun]
            if found:
                return found[0]

    def best(self, view, names, begun):
        """Return the action with the highest logit among these."""
        if len(names) == 1:
            return names[0]
        w, hidden = self.known["w"], self.known["b"][:]
        for at, value in self.inputs(view, begun).items():
            row = w[at]
            hidden = [total + value * weight for total, weight in zip(hidden, row, strict=True)]
        hidden = [(at, value) for at, value in enumerate(hidden) if value > 0]
        policy, bias = self.known["policy"], self.known["bias"]

        def logit(name):
            at = self.number[name]
            row = policy[at]
            return bias[at] + sum(value * row[unit] for unit, value in hidden)

        return max(names, key=logit)

    def inputs(self, view, begun):
        """Return the numbers that the network sees, without the zeros."""
        found = {}

        def add(field, at=0, value=1):
            if field in self.offset and value:
                place = self.offset[field] + at
                found[place] = found.get(place, 0) + value / self.known["scale"].get(field, 1)

        add("ask", ASKS.index(view.ask))
        for field, cards in (("hand", view.hand), ("pile", self.pile), ("shown", view.shown)):
            for card in cards:
                add(field, self.card[card])
        for name in begun:
            add("put", self.card[name[4:]])
        if view.top:
            add("top", self.card[view.top])
        if view.wish:
            add("wish", SUITS.index(view.wish))
        add("owed", 0, view.owed)
        add("skips", 0, view.skips)
        add("stock", 0, view.stock)
        for distance in range(len(view.counts)):
            add("counts", distance, view.counts[(view.seat + distance) % len(view.counts)])
        return found


def steps(action):
    """Return an action as the environment's choices."""
    if not action.startswith("keep:"):
        return [action]
    cards = [] if action == "keep:-" else action[5:].split("+")
    return [*(f"put {card}" for card in cards), "keep"]


if __name__ == "__main__":
    run(SelfPlay)
