"""The texts of deals that are played on or again."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "from_title": "The same deal again",
    "from_title_on": "Play on from here",
    "from_says": "You get the cards that {who} had at seat {seat}; all other hands and the stock are the same, too.",
    "from_says_on": "You take the cards of {who} at seat {seat} as they were after {n} events, and play on; all other hands and the stock are the same, too.",
    "from_analysis": "Whoever has seen this deal knows its cards. So this is analysis: it counts for no rating and no board.",
    "from_champion": "the champion that plays people",
    "from_no_champion": "No bot of the ladders or contests of this game plays people at present; house bots do.",
    "from_here": "play on from here",
    "from_champion_link": "Play the same deal against the champion",
    "from_again": "Once more from the same place",
    "from_mark": "Analysis: this deal counts nowhere.",
    "from_wrong": "This address names no moment of a deal; go back to the review and follow its link.",
    "from_over": "Nothing is left to play there: the deal is over, or its record cannot be played again here.",
    "from_lost": "The deal is lost for this seat at that moment, by leaving or by the clock.",
}
