"""What the pages of live tables say, in English and German."""

from typing import Final

WORDS: Final[dict[str, tuple[str, str]]] = {
    "tables": ("Tables", "Tische"),
    "live_tables": ("Live tables", "Live-Tische"),
    "live_table": ("Live table", "Live-Tisch"),
    "tables_say": (
        "Here people and programs play single deals against the clock. Watchers see what lies open; the hands are"
        " shown when the deal is over.",
        "Hier spielen Menschen und Programme einzelne Spiele gegen die Uhr. Zuschauer sehen, was offen liegt; die"
        " Hände werden gezeigt, wenn das Spiel vorbei ist.",
    ),
    "no_tables": ("No table is open at the moment.", "Im Augenblick ist kein Tisch offen."),
    "no_tables_text": ("Sit down against the arena's bots:", "So spielst du gegen die Bots der Arena:"),
    "tables_ended": ("Ended lately", "Zuletzt beendet"),
    "table_waiting": ("waiting", "wartet"),
    "table_playing": ("being played", "wird gespielt"),
    "table_over": ("over", "vorbei"),
    "table_void": ("void", "ohne Ergebnis"),
    "table_waits": (
        "{here} of {seats} have come; the deal begins when all are there.",
        "{here} von {seats} sind da; das Spiel beginnt, sobald alle da sind.",
    ),
    "table_is_void": ("It ended without a result: {words}", "Es endete ohne Ergebnis: {words}"),
    "table_since": ("since {time} UTC", "seit {time} UTC"),
    "made_by": ("made by", "eröffnet von"),
    "table_result": ("Result", "Ergebnis"),
    "points": ("Points", "Punkte"),
    "player": ("Player", "Spieler"),
    "table_record": ("The record of the deal", "Die Aufzeichnung des Spiels"),
    "table_proof_says": (
        "The deal follows from a secret; what was published before is its SHA-256.",
        "Das Spiel folgt aus einem Geheimnis; vorher veröffentlicht wurde dessen SHA-256.",
    ),
    "table_proof": ("Proof", "Beweis"),
}
