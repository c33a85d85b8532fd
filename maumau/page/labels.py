"""What a replay says beside its events, in English and German: on the page and in the file alike. Pure."""

from __future__ import annotations

from typing import Final

from maumau.page.words import LANGUAGES

ASKED: Final = {
    "turn": ("{n} is to play", "{n} ist am Zug"),
    "answer": ("{n} may still answer", "{n} kann noch kontern"),
    "cover": ("{n} must cover the card", "{n} muss die Karte decken"),
    "again": ("{n} may lay another card", "{n} darf noch eine Karte legen"),
    "keep": ("{n} may keep cards of the cut", "{n} darf Karten vom Abheben behalten"),
    "wish": ("{n} names a suit", "{n} wünscht eine Farbe"),
    "doubt": ("{n} believes or doubts it", "{n} glaubt es oder zweifelt"),
    "rescue": ("{n} may lay the card just drawn", "{n} darf die gezogene Karte legen"),
    "window": ("{n} may react", "{n} kann eingreifen"),
    "chain": ("{n} may lay another seven", "{n} darf noch eine Sieben legen"),
    "appeal": ("{n} accepts the penalty or appeals", "{n} nimmt die Strafe an oder beruft das Plenum ein"),
    "vote": ("{n} votes: guilty or innocent", "{n} stimmt ab: schuldig oder unschuldig"),
    "react": ("{n} touches the table", "{n} schlägt auf den Tisch"),
    "rule": ("{n} may add a rule", "{n} darf eine Regel hinzufügen"),
}
"""What seats are to decide, by the `ask` of docs/protocol.md."""
WORDS: Final[dict[str, tuple[str, str]]] = {
    "replay": ("Replay", "Wiedergabe"),
    "stock_n": ("stock: {n}", "Stock: {n}"),
    "owed_n": ("{n} to take", "{n} zu nehmen"),
    "skips_n": ("skips {n}", "{n} aussetzen"),
    "begins": ("The deal begins.", "Das Spiel beginnt."),
    "place_n": ("place {n}", "Platz {n}"),
    "play": ("▶ Play", "▶ Abspielen"),
    "pause": ("❚❚ Pause", "❚❚ Pause"),
    "seat_n": ("seat {n}", "Platz {n}"),
    "to_first": ("to the beginning", "zum Anfang"),
    "step_back": ("one step back", "einen Schritt zurück"),
    "step_on": ("one step forward", "einen Schritt weiter"),
    "to_last": ("to the end", "zum Ende"),
    "step": ("step", "Schritt"),
    "where_they_part": ("Where they differ", "Wo sie sich trennen"),
    "view": ("Cards", "Karten"),
    "open_cards": ("all open", "alle offen"),
    "speed": ("Speed", "Tempo"),
    "keys": ("Keys", "Tasten"),
    "seating_n": ("seating {n}", "Sitzordnung {n}"),
    "cards_n": ("{n} cards", "{n} Karten"),
    "cards_one": ("1 card", "1 Karte"),
    "claimed": ("claimed:", "angesagt:"),
    "wish": ("wish", "Wunsch"),
    "suits": ("French or German suits", "Französisch oder deutsch"),
    "light_dark": ("Light or dark", "Hell oder dunkel"),
    "other_language": ("Deutsch", "English"),
    "keys_say": (
        (
            "← → step · space: play · Home, End · a, b, …: that seat's view · o: all cards open"
            " · p: where seatings differ · n, N: next and previous deal of a file · ?: this help"
        ),
        (
            "← → Schritt · Leertaste: abspielen · Pos1, Ende · a, b, …: von diesem Platz · o: alle offen"
            " · p: wo sich Sitzordnungen trennen · n, N: nächstes, voriges Spiel einer Datei · ?: diese Hilfe"
        ),
    ),
    "events": ("What happened", "Was geschah"),
    **{f"ask_{kind}": said for kind, said in ASKED.items()},
    "or": ("or", "oder"),
    "is_out": ("out", "fertig"),
    "points_n": ("points: {n}", "Punkte: {n}"),
    "deals": ("Deal", "Spiel"),
    "deal_n": ("deal {n}", "Spiel {n}"),
    "log_of": ("log of #", "Log von #"),
    "blamed": ("# lost this deal:", "# hat dieses Spiel verloren:"),
    "stands_in": (
        "From then on a stand-in plays #'s cards.",
        "Von da an spielt ein Ersatz die Karten von #.",
    ),
    "no_scripts": (
        (
            "This file shows the table if your browser runs JavaScript; it loads nothing from the network."
            " Without it, this is what happened:"
        ),
        (
            "Diese Datei zeigt den Tisch, wenn der Browser JavaScript ausführt. Sie lädt nichts aus dem Netz."
            " Ohne JavaScript ist dies, was geschah:"
        ),
    ),
}


def list_labels(language: str) -> dict[str, str]:
    """For the scripts: "#" stands for the number or the name that they put in."""
    column = LANGUAGES.index(language)
    return {key: both[column].replace("{n}", "#") for key, both in WORDS.items()}
