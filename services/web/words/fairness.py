"""The texts of the two reports for organisers."""

WORDS = {
    "fairness": "Fair play",
    "fairness_says": "Two reports that only you and the arena’s admins see: who seems to help whom, and who may have copied whom. Neither is a verdict. Look at the deals and ask the authors before you accuse anybody.",
    "fairness_later": "The reports appear once deals have been played.",
    "helps": "Who helps whom",
    "helps_says": "How much more a bot wins when a certain other one sits at its table than all other results suggest. Comparisons: {tests}; among honest bots, somebody is named in at most one contest in a hundred.",
    "helps_nothing": "Nothing can be said yet: other results do not show what to expect of any two bots, which is usual in a bracket.",
    "helper": "Helper",
    "helped": "Helped",
    "lead_over": "Gain over",
    "over_helper": "the helper",
    "over_others": "the others",
    "points_of_100": "Points of 100",
    "chance_at_most": "Chance at most",
    "fairness_named": "named",
    "matches_together": "Matches",
    "copies": "Who copied whom",
    "copies_says": "How often two bots made the same decision with the same cards in the same position, compared with what is usual in this field, and how much of their own code is the same. Pairs compared by their decisions: {pairs}.",
    "copies_nothing": "No two bots have played the same seat of the same deals yet.",
    "decided_alike": "Decided alike",
    "usual_share": "Usual",
    "deals_compared": "Deals",
    "sources_alike": "Code in common",
    "sources_unread": "Code not compared because too little of it is the author’s own, or readable: {names}.",
}
"""By key: English, German."""
