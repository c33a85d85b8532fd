"""my-bot: lays the card that leaves it the most to follow with, and keeps wild cards for later."""

from maumau.bot import Bot, fits, laid, run, top_of, wished


class MyBot(Bot):
    """The arena makes one object for each deal, so what you keep on `self` is about this deal alone."""

    def start(self):
        self.danger = False

    def seen(self, events):
        """What happened since the last decision, such as `B 7S` or `A draw`; `self.history` has it all."""

    def act(self, view):
        """Return one of `view.legal`; a call that an action owes ("Mau!") is added for you."""
        self.danger = view.counts[view.next] <= 2
        return max(view.legal, key=lambda action: self.worth(view, action))

    def worth(self, view, action):
        cards = laid(action)
        if not cards:
            return -100  # draw, take, pass: only when nothing can be laid
        rest = list(view.hand)
        for card in cards:
            rest.remove(card)
        suit = wished(action)
        followers = sum(fits(card, top_of(action), suit) for card in rest)
        return 10 * len(cards) + followers - (5 if suit and rest else 0) + self.attack(cards[-1])

    def attack(self, card):
        """Sevens and eights trouble the next player: lay them when he is about to win."""
        return 8 if self.danger and card[0] in "78" else 0

    def end(self, result):
        """The deal is over: `result.places` and `result.points` by seat. `print` goes to your log."""


run(MyBot)
