"""Guesses the hidden cards at every turn, with what hello said of the rules and nothing else."""

from maumau.bot import Bot, run
from maumau.errors import BadGuess


class Guesser(Bot):
    def act(self, view):
        rules = self.rules.load()
        try:
            deal = view.deal_like_this(self.rng)
        except BadGuess:
            return view.legal[0]
        assert deal.rules.hash == rules.hash == self.rules.hash
        assert self.seat in deal.to_act
        self.note = f"seven takes {rules.number('seven_n')}"
        return view.legal[0]


run(Guesser)
