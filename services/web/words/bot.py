"""What the pages of bots say, in English and German."""

from typing import Final

WORDS: Final[dict[str, tuple[str, str]]] = {
    "bots": ("Bots", "Bots"),
    "no_bots": ("Nobody has submitted a bot yet.", "Noch hat niemand einen Bot eingereicht."),
    "bot_by": ("by {author}", "von {author}"),
    "bot_faults": ("{n} deals lost by its own faults", "{n} Spiele durch eigene Fehler verloren"),
    "bot_no_faults": ("no fault in what is shown here", "kein Fehler in dem, was hier steht"),
    "on_ladders": ("On ladders", "Auf Ranglisten"),
    "on_no_ladder": ("It is on no ladder.", "Er ist auf keiner Rangliste."),
    "place_of": ("place {place} of {all}", "Platz {place} von {all}"),
    "history_says": (
        "Elo over time; the band is the 95 % interval, a vertical line a new version.",
        "Elo im Lauf der Zeit; das Band ist das 95-%-Intervall, eine senkrechte Linie eine neue Version.",
    ),
    "history_label": (
        "version {n}: now {rating} Elo, 95 % interval {low} to {high}.",
        "Version {n}: jetzt {rating} Elo, 95-%-Intervall {low} bis {high}.",
    ),
    "by_opponent": ("Results by opponent", "Ergebnisse nach Gegner"),
    "no_meetings": ("It has played no match of a contest yet.", "Noch hat er in keinem Wettbewerb gespielt."),
    "in_contests": ("Contests", "Wettbewerbe"),
    "in_no_contest": ("It has entered no contest.", "Er ist zu keinem Wettbewerb angemeldet."),
    "rank_n": ("rank {n}", "Rang {n}"),
    "versions": ("Versions", "Versionen"),
    "version": ("Version", "Version"),
    "no_versions": ("It has no version yet.", "Noch gibt es keine Version."),
    "submitted": ("Submitted", "Eingereicht"),
    "plays": ("Plays", "Spielt"),
    "any_rules": ("every variant", "jede Variante"),
    "content_hash": ("Hash of the program", "Prüfsumme des Programms"),
    "version_uploaded": ("waits for validation", "wartet auf Prüfung"),
    "version_validating": ("being validated", "wird geprüft"),
    "version_valid": ("validated", "geprüft"),
    "version_refused": ("refused", "abgelehnt"),
    "version_active": ("active", "aktiv"),
    "version_retired": ("was active", "war aktiv"),
    "version_stalled": ("could not be validated", "konnte nicht geprüft werden"),
    "version_suspended": ("suspended", "ausgesetzt"),
    "time_used": ("Time used", "Verbrauchte Zeit"),
    "time_says": (
        "CPU time for a deal, in milliseconds of the reference machine, of the bank that each deal has. The bar is the"
        " mean, the line ends where 99 of 100 deals stay below.",
        "CPU-Zeit je Spiel in Millisekunden der Referenzmaschine, von der Bank, die jedes Spiel hat. Der Balken ist der"
        " Mittelwert; die Linie endet, wo 99 von 100 Spielen darunter bleiben.",
    ),
    "time_none": ("No contest has measured it yet.", "Noch hat kein Wettbewerb etwas gemessen."),
    "mean_ms": ("Mean, ms", "Mittel, ms"),
    "p99_ms": ("99 %, ms", "99 %, ms"),
    "largest_ms": ("Most, ms", "Höchstens, ms"),
    "bank_ms": ("Bank, ms", "Bank, ms"),
    "time_label": (
        "mean {mean} ms, 99 % below {p99} ms, of {bank} ms",
        "Mittel {mean} ms, 99 % unter {p99} ms, von {bank} ms",
    ),
}
