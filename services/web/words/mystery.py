"""The texts about mystery rules, and German for what services say of them."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "mystery_rules": "mystery rules",
    "mystery_until_start": "The rules are sealed and are revealed at the start.",
    "mystery_until": "The rules are sealed and are revealed at {at}.",
    "mystery_entry": "A bot enters once it has passed three variants that were made for this contest alone.",
    "mystery_commitment": "Commitment to the rules",
    "mystery_salt": "Salt of that commitment",
    "mystery_text": "Rules as they were sealed",
    "mystery_check": "The commitment is the SHA-256 of the salt, a line feed and this text.",
    "mystery_own": "Only its organisers see these rules before they are revealed:",
    "mystery_trials": "Variants that every bot passed before it entered",
    "mystery_trial": "Validation for this contest",
    "trial_none": "not begun; entering begins it",
    "trial_waiting": "waits for a worker",
    "trial_playing": "running",
    "trial_passed": "passed",
    "trial_refused": "not passed",
    "trial_stalled": "no worker finished it; entering begins it again",
}

PATTERNS: Final = (
    (
        r"The rules of (\S+) are sealed until they are revealed\.",
        r"Die Regeln von \1 sind versiegelt, bis sie enthüllt werden.",
    ),
    (
        r"(\S+) plays (\S+(?:, \S+)*) alone\. Where the rules are a mystery, bots play whose manifest names none:"
        r" they read those that they are given\.",
        r"\1 spielt nur \2. Wo die Regeln geheim sind, spielen Bots, deren Manifest keine nennt: Sie lesen die, die sie"
        r" bekommen.",
    ),
    (
        r"(\S+) is first validated in (\d+) variants that were made for (\S+)\. ",
        r"\1 wird zuerst mit \2 Varianten geprüft, die es nur für \3 gibt. ",
    ),
    (r"A worker plays it now; ", "Ein Worker spielt sie gerade; "),
    (r"Entering begins it; ", "Die Anmeldung beginnt das; "),
    (r"It waits for a worker; ", "Er wartet auf einen Worker; "),
    (r"enter it again when it has passed\.", "melde ihn noch einmal an, wenn er bestanden hat."),
    (r"(\S+) has not passed the validation for (\S+): ", r"\1 hat die Prüfung für \2 nicht bestanden: "),
    (r"an answer that is not allowed", "eine unerlaubte Antwort"),
    (r"an answer that cannot be read", "eine unlesbare Antwort"),
    (r"it ended by itself", "er beendete sich selbst"),
    (r"it was out of CPU time", "seine Rechenzeit war verbraucht"),
    (r"no answer in time", "keine rechtzeitige Antwort"),
    (r"too much output", "zu viel Ausgabe"),
    (r"too much memory", "zu viel Speicher"),
    (r"it did not start", "er startete nicht"),
    (r"it could not be started or built", "er ließ sich nicht starten oder bauen"),
    (r", in variant (\d+) of (\d+) at (\d+) seats", r", bei Variante \1 von \2 mit \3 Plätzen"),
    (
        r"The variants are published with the rules\. Another version of it may try again\.",
        "Die Varianten werden mit den Regeln veröffentlicht. Eine andere Version von ihm darf es versuchen.",
    ),
    (
        r"(\d+) validations of (\S+) for contests with mystery rules are not over, as many as one account may"
        r" have; enter (\S+) again when one of them is\.",
        r"\1 Prüfungen von \2 für Wettbewerbe mit geheimen Regeln sind noch nicht vorbei, und mehr darf ein Konto"
        r" nicht haben; melde \3 wieder an, sobald eine davon vorbei ist.",
    ),
)
"""Patterns of what is refused of bots and contests with mystery rules, and what they are in German."""
