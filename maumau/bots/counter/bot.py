"""counter: counts cards, remembers what others lacked, and plays what the next seat can follow least."""

from maumau.bot import Bot, View, fits, laid, run, top_of, wished

# ranks after which the same seat goes on: it must, or pays for it; it may, if it plays against one other
GOES_ON = {"mau_mau": ("A", "8"), "prsi": ("", "A"), "app": ("", "8")}
ATTACKS = "7"
SEATS = "ABCDEFGHIJ"
NEAR = 2  # with so few cards a seat is about to go out

# what counts how much, found by playing thousands of mirrored deals against hoarder
WILD, FOLLOWS, FOLLOWED, ALONE, STUCK, STUCK_NEAR, ATTACK = 1.5, 1.0, 0.35, 0.5, 1.5, 1.35, 1.7


class Counter(Bot):
    """Weighs its own next card against the chance that the next seat has none that fits."""

    name = "counter"

    def start(self) -> None:
        self.must, self.may = GOES_ON.get(self.rules.name, ("", ""))
        if self.seats > 2:
            self.may = ""
        self.wild: set[str] = set()
        self.pile: list[str] = []
        self.wish: str | None = None
        self.hidden: list[str] = []
        self.drawn = [0] * self.seats
        self.lacks: list[dict[str, int]] = [{} for _ in range(self.seats)]  # card: drawn when it was lacking

    def seen(self, events: list[str]) -> None:
        for event in events:
            who, _, said = event.partition(" ")
            if who == "up":
                self.pile = [said]
            elif who == "shuffle":
                self.pile = self.pile[-1:]
            elif len(who) == 1:
                self.acted(SEATS.index(who), said)

    def acted(self, seat: int, said: str) -> None:
        """A card tells what lies there, a draw what its seat does not hold."""
        cards, wish = laid(said), wished(said)
        if cards:
            self.pile += cards
        if cards or wish:
            self.wish = wish
        if cards and wish:
            self.wild.add(said[0])
        if said.startswith("draw"):
            lacking = [card for card in self.rules.cards if self.fits(card, self.pile[-1], self.wish)]
            self.lacks[seat].update(dict.fromkeys(lacking, self.drawn[seat]))
            self.drawn[seat] += 1
        elif said.startswith("+"):
            self.drawn[seat] += int(said[1:].partition(" ")[0])

    def act(self, view: View) -> str:
        if len(view.legal) == 1:
            return view.legal[0]
        self.wild |= {action[0] for action in view.plays if wished(action)}
        self.hidden = without(self.rules.cards, view.hand + self.pile)
        return max(view.legal, key=lambda action: self.worth(view, action))

    def worth(self, view: View, action: str) -> float:
        """Higher is better; any card is better than none."""
        cards, wish, top = laid(action), wished(action), top_of(action)
        if not top:
            suit = sum(card[1] == wish for card in view.hand)
            return suit + len(action) / 10 - 10 - (view.owed if action == "take" else 0)
        rest = without(view.hand, cards)
        if not rest:
            return 100.0
        near = view.counts[view.next] <= NEAR
        own = sum(self.fits(card, top, wish) for card in rest)
        value = FOLLOWED * own - ALONE * (not own) + FOLLOWS * self.further(rest, top, wish)
        value += (STUCK_NEAR if near else 0.0) * self.stuck(view, top, wish)
        value += STUCK * self.stuck(view, top, wish) + ATTACK * (near and top[0] in ATTACKS + self.may)
        return value - WILD * (wish is not None)

    def stuck(self, view: View, top: str, wish: str | None) -> float:
        """How likely it is that the next seat holds nothing that fits."""
        seat, chance = view.next, 1.0
        count = view.counts[seat]
        for card in self.hidden:
            if self.fits(card, top, wish):
                since = self.lacks[seat].get(card)
                places = count if since is None else min(count, self.drawn[seat] - since)
                chance *= 1 - min(1.0, places / len(self.hidden))
        return chance

    def further(self, rest: list[str], top: str, wish: str | None) -> int:
        """How many more cards go in the same turn; -1 if one must and none does."""
        if wish or top[0] not in self.must + self.may:
            return 0
        following = [card for card in rest if self.fits(card, top)]
        runs = [1 + self.further(without(rest, [card]), card, None) for card in following]
        return max(runs, default=-1 if top[0] in self.must else 0)

    def fits(self, card: str, top: str, wish: str | None = None) -> bool:
        return card[0] in self.wild or fits(card, top, wish)


def without(hand: list[str], cards: list[str]) -> list[str]:
    """The hand when these cards have left it; of cards that are not in it nothing is taken."""
    rest = list(hand)
    for card in cards:
        if card in rest:
            rest.remove(card)
    return rest


if __name__ == "__main__":
    run(Counter)
