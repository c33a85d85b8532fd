"""greedy: gets rid of as many cards as it can, in this turn and its next, and thinks of nobody else."""

from maumau.bot import Bot, View, fits, laid, run, top_of, wished

# ranks after which the same seat goes on: it must, or pays for it; it may, if it plays against one other
GOES_ON = {"mau_mau": ("A", "8"), "prsi": ("", "A"), "app": ("", "8")}


class Greedy(Bot):
    """Lays the most cards; among equals the action after which most of its hand would fit."""

    name = "greedy"

    def start(self) -> None:
        self.must, self.may = GOES_ON.get(self.rules.name, ("", ""))
        if self.seats > 2:
            self.may = ""
        self.wild: set[str] = set()

    def act(self, view: View) -> str:
        self.wild |= {action[0] for action in view.plays if wished(action)}
        return max(view.legal, key=lambda action: self.shed(view, action))

    def shed(self, view: View, action: str) -> tuple[int, int]:
        """How many cards fewer this turn leaves, and how many of the rest fit on what then lies on top."""
        cards, wish = laid(action), wished(action)
        top = top_of(action) or view.top
        rest = without(view.hand, cards)
        fitting = sum(self.fits(card, top, wish) for card in rest)
        if not cards:
            return gained(view, action), fitting if wish else 0
        return len(cards) + self.further(rest, top, wish), fitting

    def further(self, rest: list[str], top: str | None, wish: str | None) -> int:
        """How many more cards go in the same turn; -1 if one must and none does."""
        if not top or wish or top[0] not in self.must + self.may:
            return 0
        runs = [1 + self.further(without(rest, [card]), card, None) for card in rest if self.fits(card, top)]
        return max(runs, default=-1 if top[0] in self.must else 0)

    def fits(self, card: str, top: str | None, wish: str | None = None) -> bool:
        return card[0] in self.wild or fits(card, top, wish)


def gained(view: View, action: str) -> int:
    """The hand's change, counted down, by an action that lays no card."""
    return {"take": -view.owed, "draw": -1}.get(action, 0)


def without(hand: list[str], cards: list[str]) -> list[str]:
    """The hand when these cards have left it."""
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return rest


if __name__ == "__main__":
    run(Greedy)
