"""What the pages of ladders say, in English and German."""

from typing import Final

WORDS: Final[dict[str, tuple[str, str]]] = {
    "ladders": ("Ladders", "Ranglisten"),
    "ladder": ("Ladder", "Rangliste"),
    "no_ladders": ("There is no ladder yet.", "Es gibt noch keine Rangliste."),
    "no_ladders_text": (
        "A ladder rates all bots that have joined it, all the time. An admin makes one:",
        "Eine Rangliste bewertet dauernd alle Bots, die ihr beigetreten sind. Ein Administrator legt sie an:",
    ),
    "ladder_empty": ("No bot has joined yet.", "Noch ist kein Bot dabei."),
    "ladder_empty_text": ("Yours can be the first:", "Deiner kann der erste sein:"),
    "ladder_facts": ("{bots}, {sets}, epoch {epoch}", "{bots}, {sets}, Epoche {epoch}"),
    "bots_one": ("1 bot", "1 Bot"),
    "bots_n": ("{n} bots", "{n} Bots"),
    "deal_sets_one": ("1 deal set", "1 Satz"),
    "deal_sets_n": ("{n} deal sets", "{n} Sätze"),
    "ladder_idle": ("No pairings at the moment:", "Zurzeit gibt es keine Paarungen:"),
    "ladder_says": (
        "The dot is the estimated strength in Elo, the bar its 95 % interval; the mean of {scale} is 0. Where two"
        " bars overlap, the order of the two is not certain. Each deal is played twice with the seats exchanged.",
        "Der Punkt ist die geschätzte Stärke in Elo, der Balken das 95-%-Intervall; das Mittel {scale} ist 0. Wo zwei"
        " Balken sich überlappen, ist die Reihenfolge der beiden nicht sicher. Jedes Spiel wird zweimal gespielt, mit"
        " vertauschten Plätzen.",
    ),
    "scale_pinned": ("the bots with ⚓", "der Bots mit ⚓"),
    "scale_all": ("all bots", "aller Bots"),
    "pinned": ("holds the scale", "hält die Skala fest"),
    "place": ("Place", "Platz"),
    "places_span": ("between {best} and {worst}", "zwischen {best} und {worst}"),
    "author": ("Author", "Autor"),
    "all_authors": ("all authors", "alle Autoren"),
    "show_author": ("Show", "Zeigen"),
    "p_best": ("Best?", "Bester?"),
    "p_best_title": (
        "chance that it is the best of all",
        "Wahrscheinlichkeit, dass er der beste von allen ist",
    ),
    "less_than": ("< {n}", "< {n}"),
    "more_than": ("> {n}", "> {n}"),
    "versus": ("Against each", "Gegen jeden"),
    "open_versus": ("{name} against each of the others", "{name} gegen jeden der anderen"),
    "close_versus": ("close: {name} against the others", "schließen: {name} gegen die anderen"),
    "versus_says": (
        "Share of the mirrored deals that {name} wins, with its 95 % interval.",
        "Anteil der gespiegelten Spiele, die {name} gewinnt, mit dem 95-%-Intervall.",
    ),
    "sets_one": ("1 set", "1 Satz"),
    "sets_n": ("{n} sets", "{n} Sätze"),
    "versus_none": ("It has met nobody yet.", "Noch hat er gegen niemanden gespielt."),
    "opponent": ("Opponent", "Gegner"),
    "not_rated": ("no result yet", "noch kein Ergebnis"),
    "pairings": ("Pairings", "Paarungen"),
    "pairings_link": ("What is paired, and why", "Was gepaart wird, und warum"),
    "pairings_say": (
        "Nobody chooses opponents. The arena pairs whoever tells most: about who is best, about the order, about"
        " newcomers.",
        "Niemand sucht sich Gegner aus. Die Arena paart, was am meisten sagt: wer der Beste ist, wie die Reihenfolge"
        " ist, wo Neue stehen.",
    ),
    "no_pairings": ("Nobody has been paired yet.", "Noch wurde niemand gepaart."),
    "pairing": ("Pairing", "Paarung"),
    "why": ("Why", "Warum"),
    "played_of": ("{played} of {sets} sets", "{played} von {sets} Sätzen"),
    "older": ("Older ones", "Ältere"),
    "newest": ("Newest ones", "Neueste"),
    "kind_groups": ("joins two groups", "verbindet zwei Gruppen"),
    "kind_waiting": ("waited long", "hat lange gewartet"),
    "kind_top two": ("who is the best?", "wer ist der Beste?"),
    "kind_least played": ("met least", "am seltensten gespielt"),
    "kind_order": ("who is ahead?", "wer liegt vorn?"),
    "kind_new": ("newcomer", "neu dabei"),
    "pairing_open": ("under way", "im Gange"),
    "pairing_paused": ("paused", "angehalten"),
    "pairing_cancelled": ("cancelled", "abgesagt"),
    "pairing_over": ("played", "gespielt"),
    "epochs": ("Epochs and proof", "Epochen und Beweis"),
    "epoch": ("Epoch", "Epoche"),
    "epochs_say": (
        "All deals of an epoch follow from a secret. Its commitment is published when the epoch begins, the secret"
        " when it is over; then anybody can check every deal:",
        "Alle Spiele einer Epoche folgen aus einem Geheimnis. Die Festlegung wird zu Beginn veröffentlicht, das"
        " Geheimnis am Ende; dann kann jeder alle Spiele nachprüfen:",
    ),
    "epoch_running": ("running", "läuft"),
    "epoch_closed": ("closed", "geschlossen"),
    "epoch_over": ("over", "vorbei"),
    "secret_at_end": ("shown when it is over", "wird am Ende gezeigt"),
    "whole_ladder": ("Whole ladder", "Ganze Rangliste"),
    "join_it": ("Join with your bot", "Mit eigenem Bot beitreten"),
    "ladders_silent": (
        "The ladders do not answer at the moment.",
        "Die Ranglisten antworten im Augenblick nicht.",
    ),
    "matchmaking": ("Ladders (matchmaking)", "Ranglisten (Matchmaking)"),
    "engine": ("Live tables (engine)", "Live-Tische (Engine)"),
}
