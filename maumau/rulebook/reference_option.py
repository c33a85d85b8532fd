"""The engine's options, with a sentence for each value: the tables in docs/reference/variant.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from maumau.errors import BadOption
from maumau.game import Rules
from maumau.game.ruleset.option import Option, Value, format_value
from maumau.game.ruleset.variant import every_option, list_names, load_variant
from maumau.rulebook.check import list_read_options
from maumau.rulebook.option import SENTENCES

# options with a number, or described with others on a variant's page
TOLD: Final = {
    "packs": "How many packs of cards are used; `auto`: as many as the key `packs` says.",
    "ranks": "The lowest and the highest rank of the pack.",
    "jokers": "How many jokers each pack has; a joker without a clause is wild.",
    "min_stock": "How many cards must be left to draw after the deal; otherwise another pack is used.",
    "deal": "How many cards each player is dealt; `by_players`: as many as the key `hands` says.",
    "after_penalty": "What a player may still do after taking cards, where a clause names this option; "
    "the words are those of `after` in `[[card]]`.",
    "seven_n": "How many cards a seven costs, where a clause names this option.",
    "seven_stacking": "Whether a seven may be answered by a seven, where a clause has this option "
    "in its `if`.",
    "call_penalty": "What a forgotten word costs, where a clause names this option; the words are those of "
    "`penalty` in `[[call.left]]`.",
    "cut_max_repeat": "How often the cut is repeated at most, where `cut_on` is true.",
    "deal_error_rate": "How many of a hundred cards dealt are misdealt.",
    "king_row_min": "How many kings a row needs before anybody drinks for it.",
    "max_decisions": "After how many decisions a deal is stopped.",
    "max_hands": "After how many deals a game is stopped.",
    "rounds": "How many deals a game has; 0: the points decide when it ends.",
    "scoring": "Whether the cards left in hand count as points of a game.",
    "score_table": "What each card left in hand counts; the words are those of `table` in `[[score]]`.",
    "target": "With how many points a game ends.",
}
# sentences missing on the pages of variants, or only part of others there
OWN_WORDS: Final = {
    ("start_wild", "printed_suit"): "If the card turned up is wild, its own suit counts.",
    ("start_wild", "dealer_chooses"): "If the card turned up is wild, the dealer names the suit.",
    ("start_wild", "free"): "If the card turned up is wild, any card may follow.",
    ("reshuffle_when", "on_demand"): "The pile is shuffled when a card must be drawn and there is none.",
    ("reshuffle_when", "when_empty"): "The pile is shuffled as soon as there is no card left to draw, or at "
    "the next draw if only its top card lies there then.",
    ("reshuffle_keep", "top"): "The top card stays when the pile is shuffled.",
    ("reshuffle_keep", "top_and_chain"): "The top card and the cards whose penalty is still owed stay.",
    ("cut_on", False): "The pack is not cut.",
    ("must_play_drawn", False): "A drawn card that fits may be kept.",
    ("qr_show_two", False): "Whoever begins a queen round shows one queen.",
    ("detection", "auto"): "A forgotten word is punished even if nobody accuses the player.",
    ("count_out", False): "A player may take as long as they like.",
}


def render_options() -> str:
    """Return a row for each value of the options that every variant has, and of those it may declare."""
    every = every_option()
    more = {name: _find_declared(name) for name in list_declared()}
    head = ["| option | value | meaning |", "|---|---|---|"]
    return "\n".join(
        [
            "Every variant has these options; their defaults are in bold:",
            "",
            *head,
            *(row for name, option in every.items() for row in _render_rows(name, option, option.default)),
            "",
            "A variant has these only if it declares them:",
            "",
            *head,
            *(row for name, option in more.items() for row in _render_rows(name, option, None)),
        ]
    )


def list_declared() -> list[str]:
    """Return the options that the engine reads where a variant declares them, and that no clause reads."""
    every = every_option()
    variants = [msgspec.structs.replace(load_variant(each), rule=[]) for each in list_names()]
    read = {name for variant in variants for name in list_read_options(variant)}
    return [name for name in SENTENCES if name not in every and name not in read]


def _find_declared(name: str) -> Option:
    """Return an option as declared by the known variant that gives it the most values."""
    found = [load_variant(each).options[name] for each in list_names() if name in load_variant(each).options]
    return max(found, key=lambda option: len(option.values))


def _render_rows(name: str, option: Option, default: Value | None) -> Iterator[str]:
    if name in TOLD:
        known = option.known() + ("" if default is None else f" (**{format_value(default)}**)")
        yield f"| `{name}` | {known} | {TOLD[name]} |"
        return
    for at, value in enumerate(option.values):
        word = f"**{format_value(value)}**" if value == default else format_value(value)
        yield f"| {f'`{name}`' if not at else ''} | {word} | {tell_option(name, value)} |"


def tell_option(name: str, value: Value) -> str:
    """Return the sentence about a value of an option, as on the page of a variant that has it."""
    if (name, value) in OWN_WORDS:
        return OWN_WORDS[name, value]
    for each in list_names():
        variant = load_variant(each)
        if name in variant.options:
            try:
                rules = Rules(each, variant, {name: value})
            except BadOption:  # this variant does not know the value
                continue
            text = SENTENCES[name][1](rules, rules.at(rules.seats[0]), value)
            if text:
                return text
    raise KeyError(f"the option {name} with the value {value} needs a sentence in OWN_WORDS")
