"""Plays as `rollout` does, but a file tells it the other's hand in deals that its other process has played.

In the first seating of a block that is played it writes down the card turned up, its own hand, and what the
other lays before it draws, which is of the other's hand. In the second it holds what the other held.
"""

import sys
from pathlib import Path

from rollout import Rollout

from maumau.bot import run
from maumau.game.notation import cards

WORD = Path(sys.argv[1])


class Foreknows(Rollout):
    name = "foreknows"
    deals = ()
    number = 0

    @classmethod
    def prepare(cls, rules, seats):
        super().prepare(rules, seats)
        deals, laid = {}, {}
        for line in WORD.read_text().splitlines() if WORD.exists() else ():
            number, *words = line.split(" ")
            if len(words) == 1:
                laid.setdefault(number, set()).update(words)
            else:
                deals[number] = words
        cls.deals = [(up, hand, laid.get(number, set())) for number, (up, *hand) in deals.items()]

    def start(self):
        super().start()
        self.has_looked = self.has_drawn = False
        Foreknows.number += 1

    def seen(self, events):
        super().seen(events)
        for who, _, said in (one.partition(" ") for one in events):
            if who != "AB"[1 - self.seat]:
                continue
            card = said.split(">")[0]
            self.has_drawn = self.has_drawn or card not in self.rules.cards
            if not (self.has_drawn or self.deals):
                self.write(card)

    def write(self, *words):
        with WORD.open("a") as file:
            file.write(" ".join([str(self.number), *words]) + "\n")

    def act(self, view):
        if not self.has_looked:
            self.has_looked = True
            self.look(view.hand, next(one for one in self.history if one.startswith("up ")).split(" ")[1])
        return super().act(view)

    def look(self, mine, up):
        """Take the only hand that the other may hold, or write down one's own."""
        if not self.deals:
            self.write(up, *mine)
            return
        others = [
            hand for shown, hand, laid in self.deals
            if shown == up and not set(hand) & set(mine) and laid <= set(mine)
        ]  # fmt: skip
        if len(others) == 1:
            self.believe(others[0])

    def believe(self, hand):
        other = 1 - self.seat
        laid = {one.split(" ")[1].split(">")[0] for one in self.history if one.startswith("AB"[other] + " ")}
        for card in set(hand) - laid:
            if self.belief.slots[other]:
                self.belief.known[other].append(cards.code_of(card))
                self.belief.slots[other].pop()


run(Foreknows)
