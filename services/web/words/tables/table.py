"""The texts of the pages of live tables."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "tables": "Tables",
    "live_tables": "Live tables",
    "live_table": "Live table",
    "tables_say": "Here people and programs play single deals against the clock. Watchers see what lies open; the hands are shown when the deal is over.",
    "no_tables": "No table is open at the moment.",
    "no_tables_text": "In a terminal you play like this:",
    "tables_ended": "Ended lately",
    "table_waiting": "waiting",
    "table_playing": "being played",
    "table_over": "over",
    "table_void": "void",
    "table_waits": "{here} of {seats} have come; the deal begins when all are there.",
    "table_is_void": "It ended without a result: {words}",
    "end_lost": "the arena has lost this table",
    "end_closed": "it was closed",
    "end_player_left": "the player left",
    "end_left": "{seat} left",
    "end_no_bot": "no house bot came",
    "end_nobody": "nobody came to {seats}",
    "table_since": "since {time} UTC",
    "made_by": "made by",
    "table_result": "Result",
    "player": "Player",
    "table_record": "The record of the deal",
    "table_proof_says": "The deal follows from a secret; what was published before is its SHA-256.",
    "table_proof": "Proof",
}
