"""hoarder: spends ordinary cards first; keeps the sevens, which answer, and what goes on anything."""

from maumau.bot import Bot, View, fits, laid, run, top_of, wished

# ranks after which the same seat goes on: it must, or pays for it; it may, if it plays against one other
GOES_ON = {"mau_mau": ("A", "8"), "prsi": ("", "A"), "app": ("", "8")}
ANSWERS = "7"


class Hoarder(Bot):
    """Lays what is cheapest to lose, then what lets it go on, then what leaves it most of one suit."""

    name = "hoarder"

    def start(self) -> None:
        self.must, self.may = GOES_ON.get(self.rules.name, ("", ""))
        if self.seats > 2:
            self.may = ""
        self.wild: set[str] = set()

    def act(self, view: View) -> str:
        self.wild |= {action[0] for action in view.plays if wished(action)}
        return max(view.legal, key=lambda action: self.worth(view, action))

    def worth(self, view: View, action: str) -> tuple[int, int, int, int]:
        """Cards before no cards, then the price, the cards that follow in the same turn, the suit left."""
        cards, wish = laid(action), wished(action)
        if not cards:
            return 0, -view.owed if action == "take" else 0, len(action), of_suit(view.hand, wish)
        rest = without(view.hand, cards)
        top = top_of(action) or cards[-1]
        return 1, -self.price(cards, wish), self.further(rest, top, wish), of_suit(rest, wish or top[1])

    def price(self, cards: list[str], wish: str | None) -> int:
        """What the hand loses: nothing with an ordinary card, most with one that may be laid on anything."""
        return 2 if wish else sum(card[0] in ANSWERS for card in cards)

    def further(self, rest: list[str], top: str, wish: str | None) -> int:
        """How many more cards go in the same turn; -1 if one must and none does."""
        if wish or top[0] not in self.must + self.may:
            return 0
        following = [card for card in rest if card[0] in self.wild or fits(card, top)]
        runs = [1 + self.further(without(rest, [card]), card, None) for card in following]
        return max(runs, default=-1 if top[0] in self.must else 0)


def of_suit(hand: list[str], suit: str | None) -> int:
    """How many cards of the hand have this suit."""
    return sum(card[1] == suit for card in hand)


def without(hand: list[str], cards: list[str]) -> list[str]:
    """The hand when these cards have left it."""
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return rest


if __name__ == "__main__":
    run(Hoarder)
