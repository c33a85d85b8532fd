"""German for sentences that other services write in English: reasons of pairings, waits and ends. Pure.

A service sends a reason as one sentence or several. Each, or each part of one, has a pattern here, as
decision 25 has for rules. What they do not cover from its first letter to its last, such as the words of a
worker within it, is left in English as a whole. Why a table ended has a key of the catalogue, since it stands
within a sentence of the page in each language. A test makes every one of these sentences with the services'
own functions, so that none is changed without its German.
"""

import re
from typing import Final

from services.web.words import TONGUES, WRITTEN_LANGUAGES, mystery
from services.web.words.people import login, webhook
from services.web.words.services import refusal

STATES: Final = {
    "uploaded": "hochgeladen",
    "validating": "in Prüfung",
    "valid": "geprüft",
    "refused": "abgelehnt",
    "retired": "abgelöst",
    "stalled": "ungeprüft",
    "suspended": "ausgesetzt",
}
"""The states of a bot's newest version while none is active, and what they are in German."""

NAME: Final = r"\S+(?: v\d+)?"
"""The pattern of a bot's name, with the number of its version where two versions of one bot meet."""

PAIRINGS: Final = (
    (
        r"Taken back before it began: one of its bots has left or plays another version\.",
        r"Vor dem Beginn zurückgenommen: einer ihrer Bots ist gegangen oder spielt mit einer anderen Version.",
    ),
    (
        rf"Taken back before it began: this version of ({NAME}) is not active any more\.",
        r"Vor dem Beginn zurückgenommen: diese Version von \1 ist nicht mehr aktiv.",
    ),
    (
        r"Taken back before it began: a newcomer was paired first\.",
        r"Vor dem Beginn zurückgenommen: ein Neuer wurde zuerst gepaart.",
    ),
    (
        rf"({NAME}) and ({NAME}) join groups of players that have never met\.",
        r"\1 und \2 verbinden Gruppen von Spielern, die sich noch nie begegnet sind.",
    ),
    (
        rf"({NAME}) has waited for (\d+) s; of all others it met ({NAME}) least\.",
        r"\1 hat \2 s gewartet; von allen anderen hat er \3 am seltensten getroffen.",
    ),
    (
        rf"({NAME}) and ({NAME}) may both be the best: their chances are (\d+)% and (\d+)%\.",
        r"\1 und \2 können beide der Beste sein: ihre Chancen sind \3 % und \4 %.",
    ),
    (
        rf"({NAME}) and ({NAME}) have played least against each other: (\d+) sets\.",
        r"\1 und \2 haben am seltensten gegeneinander gespielt: \3 Sätze.",
    ),
    (
        rf"({NAME}) and ({NAME}) tell most about the order: they are (\d+) Elo apart\.",
        r"\1 und \2 sagen am meisten über die Reihenfolge: zwischen ihnen liegen \3 Elo.",
    ),
    (
        rf"({NAME}) is new, with (\d+) sets, and is compared with the version before it, ({NAME})\.",
        r"\1 ist neu, mit \2 Sätzen, und wird mit der Version davor verglichen, \3.",
    ),
    (
        rf"({NAME}) is new, with (\d+) sets, and ({NAME}) is next to it: (\d+) Elo apart\.",
        r"\1 ist neu, mit \2 Sätzen, und \3 ist ihm am nächsten: \4 Elo entfernt.",
    ),
    (
        rf"({NAME}) sat with them least and takes the rest of the table\.",
        r"\1 saß am seltensten mit ihnen zusammen und füllt den Tisch auf.",
    ),
    (
        rf"({NAME}(?:, {NAME})*) and ({NAME}) sat with them least and take the rest of the table\.",
        r"\1 und \2 saßen am seltensten mit ihnen zusammen und füllen den Tisch auf.",
    ),
)
"""Patterns of the reasons of pairings, and what they are in German."""

LADDERS: Final = (
    (r"It rests: ", "Sie ruht: "),
    (r", with (\d+)% confidence\.", r", mit einer Sicherheit von \1 %."),
    (
        r"A bot that joins, leaves or activates another version wakes it\.",
        "Ein Bot, der beitritt, austritt oder eine andere Version aktiviert, weckt sie.",
    ),
    (r"the two bots are told apart", "die Reihenfolge der beiden Bots steht fest"),
    (
        r"(\d+) of (\d+) pairs (?:is|are) told apart and (\d+) known to ±(\d+) Elo",
        r"von \2 Nachbarpaaren steht bei \1 die Reihenfolge fest, bei \3 ist der Abstand auf ±\4 Elo bekannt",
    ),
    (
        r"all (\d+) pairs of neighbours are told apart",
        r"die Reihenfolge aller \1 Nachbarpaare steht fest",
    ),
    (
        r"all (\d+) pairs of neighbours are known to ±(\d+) Elo",
        r"alle \1 Nachbarpaare sind auf ±\2 Elo bekannt",
    ),
    (r"1 pair of neighbours is known to ±(\d+) Elo", r"1 Nachbarpaar ist auf ±\1 Elo bekannt"),
    (r"It takes (\d+) bots; (\d+) can play\.", r"Nötig sind \1 Bots; \2 können spielen."),
    (
        r"No author has two bots at a table: it takes bots of (\d+) authors, not (\d+)\.",
        r"Kein Autor hat zwei Bots an einem Tisch: Nötig sind Bots von \1 Autoren, nicht \2.",
    ),
)
"""Patterns of the reasons why nobody is paired on a ladder."""

BOTS: Final = (
    (r"The bot (\S+) has no version yet; ", r"Der Bot \1 hat noch keine Version; "),
    *(
        (
            rf"The bot (\S+) has no active version; its newest, (\d+), is {state}",
            rf"Der Bot \1 hat keine aktive Version; seine neueste, \2, ist {german}",
        )
        for state, german in STATES.items()
    ),
    (r", and the bot is retired\.", ", und der Bot ist stillgelegt."),
    (
        r"It becomes active when it passes its validation; (`[^`]+`) shows how far it is\.",
        r"Sie wird aktiv, sobald sie ihre Prüfung besteht; \1 zeigt, wie weit sie ist.",
    ),
    (r"Once it has passed, (`[^`]+`) lets it play\.", r"Sobald sie bestanden hat, lässt \1 sie spielen."),
    (r"(`[^`]+`) says why", r"\1 sagt, warum"),
    (r"(`[^`]+`) uploads one\.", r"\1 lädt eine hoch."),
    (r"(`[^`]+`) uploads a better one\.", r"\1 lädt eine bessere hoch."),
    (r"(`[^`]+`) with the same files tries again\.", r"\1 mit denselben Dateien versucht es erneut."),
    (r"(`[^`]+`) lets it play\.", r"\1 lässt sie spielen."),
    (r"(`[^`]+`) lets version (\d+) play\.", r"\1 lässt Version \2 spielen."),
    (
        r"(\S+) was not validated for (\d+) seats, only for (\d+(?:, \d+)*)\.",
        r"\1 wurde nicht für \2 Plätze geprüft, nur für \3.",
    ),
    (
        r"(\S+) was not validated for (\S+), only for ([\w-]+(?:, [\w-]+)*)\.",
        r"\1 wurde nicht für \2 geprüft, nur für \3.",
    ),
)
"""Patterns of the reasons why a bot does not play."""

TABLES: Final = (
    (r"the arena has lost this table", "end_lost"),
    (r"it was closed", "end_closed"),
    (r"the player left", "end_player_left"),
    (r"(?P<seat>[A-J]) left", "end_left"),
    (r"no house bot came", "end_no_bot"),
    (r"nobody came to (?P<seats>[A-J](?:, [A-J])*)", "end_nobody"),
)
"""Patterns of the reasons why a live table ended, and their keys in the catalogue: they end a sentence."""

CONTESTS: Final = (
    (r"its entries are closed", "seine Anmeldung ist geschlossen"),
    (
        r", and (\d+) of (\d+) authors still (?:has|have) to confirm \(for (\S+(?:, \S+)*)\)",
        r", und noch fehlt die Bestätigung von \1 der \2 Autoren (für \3)",
    ),
    (
        r"any maumau command of theirs does it, or opening the arena's page while logged in",
        "dafür genügt ein beliebiger Befehl von maumau oder, angemeldet, ein Aufruf der Seite der Arena",
    ),
    (
        r"(\S+) may not play without a sandbox unless the arena is started with --trust",
        r"\1 darf ohne Sandbox nur spielen, wenn die Arena mit --trust gestartet wurde",
    ),
    (
        r"(\S+(?:, \S+)+) may not play without a sandbox unless the arena is started with --trust",
        r"\1 dürfen ohne Sandbox nur spielen, wenn die Arena mit --trust gestartet wurde",
    ),
    (r"no worker can play it: ", "kein Worker kann es spielen: "),
    (
        r"The rules (\S+) ordered are not those of this worker\.",
        r"Die bestellten Regeln \1 sind nicht die dieses Workers.",
    ),
    (
        r"(\S+) was built for (\S+), and this worker is (\S+?)\.(?=;|$)",
        r"\1 wurde für \2 gebaut, und dieser Worker ist \3.",
    ),
    (
        r"match (\S+) is paused: block (\d+) was tried (\d+) times without a result",
        r"Begegnung \1 ist angehalten: Block \2 wurde \3-mal ohne Ergebnis versucht",
    ),
    (r" \(its workers said nothing\)", " (seine Worker sagten nichts)"),
)
"""Patterns of the reasons why a contest waits."""

GAPS: Final = ((r"; |\. | |\.$", r"\g<0>"),)
"""Separators of sentences and of their parts."""

_COMPILED: Final = tuple(
    (re.compile(pattern), german)
    for pattern, german in (
        *PAIRINGS,
        *LADDERS,
        *BOTS,
        *CONTESTS,
        *webhook.PATTERNS,
        *login.PATTERNS,
        *mystery.PATTERNS,
        *refusal.PATTERNS,
        *GAPS,
    )
)


def translate_words(words: str, language: str) -> tuple[str, bool]:
    """Return what another service wrote in a page's language, and True if it is in that language.

    If patterns do not cover all of it, or there are none for the language, it is returned as it is.
    """
    for pattern, key in TABLES:
        if ended := re.fullmatch(pattern, words):
            return TONGUES[language](key, **ended.groupdict()), True
    if language not in WRITTEN_LANGUAGES[1:]:
        return words, language == WRITTEN_LANGUAGES[0]
    told, at = "", 0
    while at < len(words):
        found = _find_pattern(words, at)
        if not found:
            return words, False
        match, german = found
        told, at = told + match.expand(german), match.end()
    return told, True


def _find_pattern(words: str, at: int) -> tuple[re.Match[str], str] | None:
    """Return the first pattern that fits from this letter on, with its German; None if none does."""
    fitting = ((pattern.match(words, at), german) for pattern, german in _COMPILED)
    return next(((match, german) for match, german in fitting if match), None)
