"""House rules of variants of one's own, by which any deal may be played."""

from typing import Any

from maumau.game import Rules, load_text

HEAD = 'title = "House"\nsource = "a house rule"\nextends = "{}"\n'
CARD = '[[card]]\non = ["{}"]\n{}\n'
OPTIONS = "[options]\ncut_on = { values = [false], default = false }\n"
SETS = '[[together]]\nranks = "any"\n'
DOUBLING = CARD.format("7", 'doubles = true\nanswer = ["7"]')
TWINS = CARD.format("any", "twin = true")
LADIES = CARD.format("Q", 'swap = ["Q"]')
JACKS = CARD.format("J", 'last = "chain"\nchain = 2\nanswer = ["J"]')
UNTIL = CARD.format("A", 'cover = "draw_until"\nlast = "draw_until"')
COVERED = CARD.format("8", 'cover = "draw_until"')
SHIELD = CARD.format("7", 'answer = ["7", "8"]') + CARD.format("8", "cancel = true")
PODIUM = "[[score]]\nplace = [5, 3, 1]\n"
PLACES = "places = { values = [true], default = true }\n"
ORIGINAL = 'king_turn = { values = ["original"], default = "original" }\n'
TWO = "packs = { values = [2], default = 2 }\n"
HOUSES: dict[str, tuple[str, dict[str, Any]]] = {
    "doubling": (HEAD.format("mau_mau") + DOUBLING + OPTIONS, {}),
    "doubling kept": (HEAD.format("mau_mau") + DOUBLING + OPTIONS, {"reshuffle_keep": "top_and_chain"}),
    "doubling sets": (
        HEAD.format("prsi") + SETS + DOUBLING + CARD.format("7", "each = true"), {},
    ),
    "twins": (HEAD.format("mau_mau") + TWINS + OPTIONS + TWO, {}),
    "twins, original turn": (HEAD.format("mau_mau") + TWINS + OPTIONS + TWO + ORIGINAL, {}),
    "twins, accusing": (HEAD.format("mau_mau") + TWINS + OPTIONS + TWO, {"detection": "accuse"}),
    "twins, sets": (HEAD.format("prsi") + SETS + TWINS + "[options]\n" + TWO, {}),
    "twins, law": (HEAD.format("schweizer") + TWINS + "[options]\n" + TWO, {"violations": "full"}),
    "twins, start": (HEAD.format("pesten") + TWINS + "[options]\n" + TWO, {}),
    "ladies": (HEAD.format("mau_mau") + LADIES + OPTIONS, {}),
    "ladies, accusing": (HEAD.format("mau_mau") + LADIES + OPTIONS, {"detection": "accuse"}),
    "ladies, places": (HEAD.format("mau_mau") + LADIES + OPTIONS, {"places": True}),
    "ladies that wish": (HEAD.format("prsi") + LADIES, {}),
    "ladies, locked": (HEAD.format("shop_extended") + LADIES, {}),
    "ladies and twins": (HEAD.format("mau_mau") + TWINS + LADIES + OPTIONS + TWO, {}),
    "jacks": (HEAD.format("mau_mau") + JACKS + OPTIONS, {}),
    "jacks without a price": (
        HEAD.format("mau_mau") + CARD.format("J", 'last = "chain"\nanswer = ["J"]') + OPTIONS, {},
    ),
    "aces": (HEAD.format("mau_mau") + UNTIL + OPTIONS, {}),
    "aces, when empty": (HEAD.format("mau_mau") + UNTIL + OPTIONS, {"reshuffle_when": "when_empty"}),
    "shield": (HEAD.format("mau_mau") + SHIELD + OPTIONS, {}),
    "covered, raced": (HEAD.format("prsi") + COVERED + CARD.format("8", "fine = 2\ntouch = true"), {}),
    "covered, comeback": (HEAD.format("prsi") + COVERED, {"comeback": True}),
    "podium": (HEAD.format("mau_mau") + PODIUM + OPTIONS + PLACES, {}),
    "hands and places": (HEAD.format("mau_mau") + OPTIONS, {"places": True, "scoring": True}),
    "all": (
        HEAD.format("mau_mau") + DOUBLING + TWINS + LADIES + UNTIL + PODIUM + OPTIONS + PLACES + TWO, {},
    ),
}  # fmt: skip


def load_house_rules(name: str) -> Rules:
    text, options = HOUSES[name]
    return load_text("house", text, **options)
