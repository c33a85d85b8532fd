"""my-bot: lays what most of its hand can follow, sevens and eights when somebody is about to go out."""

from maumau.bot import Bot, fits, laid, run, wished


class MyBot(Bot):
    """The arena makes one object for each deal, so what you keep on `self` is about this deal alone."""

    def start(self):
        self.danger = False

    def seen(self, events):
        """Handle the events since the last decision, such as `B 7S`; `self.history` has all of the deal."""

    def act(self, view):
        """Return one of `view.legal`; a call that an action owes ("Mau!") is added for you."""
        self.danger = any(0 < count <= 2 for seat, count in enumerate(view.counts) if seat != view.seat)
        return max(view.legal, key=lambda action: self.worth(view, action))

    def worth(self, view, action):
        """Return the value of an action; of equal ones `act` takes the first in the list."""
        cards, wish = laid(action), wished(action)
        if not cards:  # draw, take, pass: only when nothing can be laid
            return sum(card[1] == wish for card in view.hand) - 100
        rest = list(view.hand)
        for card in cards:
            rest.remove(card)
        followers = sum(fits(card, cards[-1], wish) for card in rest)
        return 10 * len(cards) + followers - (5 if wish and rest else 0) + self.attack(cards[-1])

    def attack(self, card):
        """Return a bonus for sevens and eights, which hurt the next player."""
        return 8 if self.danger and card[0] in "78" else 0

    def end(self, result):
        """Handle the result: `result.places` and `result.points`, by seat. `print` goes to your log."""


run(MyBot)
