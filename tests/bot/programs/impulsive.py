"""Knows nothing, and never plays a deal twice alike: now and then it lays anything, by chance of the host."""

from random import SystemRandom

from greedy import Greedy

from maumau.bot import run

CHANCE = SystemRandom()


class Impulsive(Greedy):
    name = "impulsive"

    def act(self, view):
        return CHANCE.choice(view.legal) if CHANCE.random() < 0.1 else super().act(view)


run(Impulsive)
