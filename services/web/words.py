"""What the pages say, in English and German: one catalogue. Pure."""

from typing import Any, Final

LANGUAGES: Final = ("en", "de")

WORDS: Final[dict[str, tuple[str, str]]] = {
    "title": ("Maumau Arena", "Maumau-Arena"),
    "skip": ("Skip to the content", "Zum Inhalt springen"),
    "nav": ("Main", "Hauptmenü"),
    "now": ("Now", "Jetzt"),
    "contests": ("Contests", "Wettbewerbe"),
    "rules": ("Rules", "Regeln"),
    "status": ("Status", "Zustand"),
    "api": ("API", "API"),
    "light_dark": ("Light or dark", "Hell oder dunkel"),
    "suits": ("French or German suits", "Französisch oder deutsch"),
    "wall": ("Projector view", "Projektor-Ansicht"),
    "other_language": ("Deutsch", "English"),
    # --- states ---
    "created": ("announced", "angekündigt"),
    "open": ("entries open", "offen zur Anmeldung"),
    "running": ("running", "läuft"),
    "paused": ("paused", "angehalten"),
    "finished": ("finished", "beendet"),
    "cancelled": ("cancelled", "abgesagt"),
    "playing": ("being played", "wird gespielt"),
    "decided": ("decided", "entschieden"),
    "withdrawn": ("taken back", "zurückgenommen"),
    # --- first page ---
    "at_the_table": ("At the table", "Am Tisch"),
    "empty_title": ("Nothing is being played yet", "Noch wird nichts gespielt"),
    "empty_text": (
        "A contest starts with three commands; this page shows it by itself as soon as the first deal is dealt.",
        "Ein Wettbewerb beginnt mit drei Befehlen; diese Seite zeigt ihn von selbst, sobald die ersten Karten"
        " gegeben sind.",
    ),
    "waiting_deal": ("Waiting for the next deal", "Gleich wird gegeben"),
    "no_deal": ("No deal is being played at the moment.", "Im Augenblick wird kein Spiel gespielt."),
    "score": ("Score", "Stand"),
    "score_none": ("No set has been counted yet.", "Noch zählt kein Satz."),
    "score_leads": (
        "{first} wins {percent} % of the mirrored deals against {second}.",
        "{first} gewinnt {percent} % der gespiegelten Spiele gegen {second}.",
    ),
    "score_interval": (
        "95 % interval {low} to {high} %, {sets} sets.",
        "95-%-Intervall {low} bis {high} %, {sets} Sätze.",
    ),
    "not_separated": (
        "The interval includes one half: not separated yet.",
        "Das Intervall enthält die Hälfte: noch nicht getrennt.",
    ),
    "separated": (
        "The interval excludes one half: {name} is better.",
        "Das Intervall schließt die Hälfte aus: {name} ist besser.",
    ),
    "whisker": (
        "{name}: {percent} %, 95 % interval {low} to {high} %",
        "{name}: {percent} %, 95-%-Intervall {low} bis {high} %",
    ),
    "running_or_open": ("Running and open", "Laufend und offen"),
    "earlier": ("Earlier", "Früher"),
    "last_decided": ("Decided last", "Zuletzt entschieden"),
    "all_contests": ("All contests", "Alle Wettbewerbe"),
    "no_contests": ("There is no contest yet.", "Es gibt noch keinen Wettbewerb."),
    "how_to_enter": ("Enter your bot", "Eigenen Bot anmelden"),
    "matches_of": ("{decided} of {known} matches decided", "{decided} von {known} Begegnungen entschieden"),
    "matches_so_far": (
        "{decided} matches decided, {known} known so far",
        "{decided} Begegnungen entschieden, {known} bisher bekannt",
    ),
    "entrants": ("{n} entrants", "{n} Teilnehmer"),
    "entrant_one": ("1 entrant", "1 Teilnehmer"),
    "match_won": (
        "{winner} wins against {loser}, {percent} % in {sets} sets",
        "{winner} gewinnt gegen {loser}, {percent} % in {sets} Sätzen",
    ),
    "match_better": (
        "{winner} is better than {loser}, {percent} % in {sets} sets",
        "{winner} ist besser als {loser}, {percent} % in {sets} Sätzen",
    ),
    "match_level": (
        "{first} and {second} are not separated after {sets} sets",
        "{first} und {second} sind nach {sets} Sätzen nicht getrennt",
    ),
    # --- trouble ---
    "silent": (
        "The {service} has not answered since {time} UTC. What you see is as it was then; the page goes on by"
        " itself.",
        "{service} antwortet seit {time} UTC nicht. Was hier steht, ist der Stand von damals; die Seite macht von"
        " selbst weiter.",
    ),
    "service_arena": ("arena's service", "Der Dienst der Arena"),
    "lost_page": (
        "What you see is no longer live: this page's server or the arena does not answer. It goes on by itself.",
        "Was hier steht, ist nicht mehr aktuell: Der Server dieser Seite oder die Arena antwortet nicht. Es geht von selbst weiter.",
    ),
    "not_found_title": ("There is no such page", "Diese Seite gibt es nicht"),
    "not_found_text": (
        "The address may be misspelt, or what it showed no longer exists.",
        "Die Adresse ist vielleicht verschrieben, oder es gibt nicht mehr, was sie zeigte.",
    ),
    "refused_title": ("Not now", "Jetzt nicht"),
    "down_title": ("A service does not answer", "Ein Dienst antwortet nicht"),
    "down_text": (
        "This page needs the tournament service or the registry, and it does not answer. The page is loaded again"
        " every five seconds.",
        "Diese Seite braucht den Turnierdienst oder das Register, und der Dienst antwortet nicht. Die Seite wird"
        " alle fünf Sekunden neu geladen.",
    ),
    "back_home": ("To the first page", "Zur ersten Seite"),
    # --- status ---
    "status_well": ("All services answer.", "Alle Dienste antworten."),
    "status_ill": ("Something does not answer.", "Etwas antwortet nicht."),
    "service": ("Service", "Dienst"),
    "answers": ("answers", "antwortet"),
    "silent_short": ("does not answer", "antwortet nicht"),
    "watchers": ("People watching", "Zuschauer"),
    "registry": ("Registry", "Register"),
    "tournament": ("Tournament service", "Turnierdienst"),
    # --- contest ---
    "winner_is": ("Winner:", "Sieger:"),
    "before_start": ("It has not started. These have entered:", "Noch nicht begonnen. Angemeldet sind:"),
    "no_entries": ("Nobody yet.", "Noch niemand."),
    "proof": ("Rules of this contest and proof", "Ausschreibung und Beweis"),
    "commitment": ("Commitment, published before play", "Festlegung, vor dem Spiel veröffentlicht"),
    "secret": ("Secret", "Geheimnis"),
    "compared": ("Hash of the result", "Prüfsumme des Ergebnisses"),
    "check_it": ("Anybody can check the result:", "Jeder kann das Ergebnis nachprüfen:"),
    "secret_later": (
        "All deals follow from a secret, which is revealed when the contest is over.",
        "Alle Spiele folgen aus einem Geheimnis, das am Ende offengelegt wird.",
    ),
    "spec": ("Specification", "Ausschreibung"),
    "final_table": ("Final table", "Endstand"),
    "table_now": ("Table as it stands", "Tabelle"),
    "ratings_say": (
        "Elo from one fit over all sets; the mean of all is 0. Where whiskers overlap, the order is not certain.",
        "Elo aus einer Anpassung über alle Sätze; das Mittel ist 0. Wo Balken sich überlappen, ist die Reihenfolge nicht sicher.",
    ),
    "bot": ("Bot", "Bot"),
    "rating": ("Elo", "Elo"),
    "interval_on_axis": ("95 % interval", "95-%-Intervall"),
    "interval": ("95 % interval", "95-%-Intervall"),
    "rating_whisker": (
        "{rating} Elo, 95 % interval {low} to {high}",
        "{rating} Elo, 95-%-Intervall {low} bis {high}",
    ),
    "too_wide": ("needs more deals", "noch zu wenige Spiele"),
    "won_lost": ("Won–lost", "Siege–Niederl."),
    "sets": ("Sets", "Sätze"),
    "faults": ("Faults", "Fehler"),
    "crosstable": ("Crosstable", "Kreuztabelle"),
    "crosstable_says": (
        "Percent of the mirrored deals that the bot of the row won against the bot of the column; + won, − lost, = not separated.",
        "Prozent der gespiegelten Spiele, die der Bot der Zeile gegen den der Spalte gewann; + Sieg, − Niederlage, = nicht getrennt.",
    ),
    "bracket": ("Bracket", "Turnierbaum"),
    "bye": ("bye", "Freilos"),
    "final": ("Final", "Finale"),
    "third place": ("Third place", "Spiel um Platz 3"),
    "semi-final": ("Semi-finals", "Halbfinale"),
    "quarter-final": ("Quarter-finals", "Viertelfinale"),
    "round_n": ("Round {n}", "Runde {n}"),
    "matches": ("Matches", "Begegnungen"),
    "match": ("Match", "Begegnung"),
    "first": ("First", "Erster"),
    "second": ("Second", "Zweiter"),
    "state": ("State", "Zustand"),
    "last_of": (
        "The last {n} of {all}; the table as CSV has all.",
        "Die letzten {n} von {all}; die Tabelle als CSV hat alle.",
    ),
    "decided_by": ("Decided by: {rule}.", "Entschieden durch: {rule}."),
    "take_n": ("Played again: take {n}.", "Neu gespielt: Durchgang {n}."),
    "walk": ("How close to a decision", "Wie nah an der Entscheidung"),
    "walk_says": (
        "Each set moves the dot; at a bound the match stops, because a lead is then 19 times as likely as a deficit.",
        "Jeder Satz bewegt den Punkt; an einer Grenze endet die Begegnung, denn ein Vorsprung ist dann 19-mal so wahrscheinlich wie ein Rückstand.",
    ),
    "walk_label": (
        "Log likelihood ratio {llr}; bounds ±2.94",
        "Log-Likelihood-Quotient {llr}; Grenzen ±2,94",
    ),
    "blocks": ("Blocks", "Blöcke"),
    "block": ("Block", "Block"),
    "no_blocks": ("None yet.", "Noch keine."),
    "worker": ("Worker", "Worker"),
    "attempts": ("Attempts", "Versuche"),
    "block_queued": ("waits", "wartet"),
    "block_claimed": ("being played", "wird gespielt"),
    "block_done": ("done", "gespielt"),
    "block_dropped": ("not needed", "nicht nötig"),
    "block_void": ("given up", "aufgegeben"),
    # --- replay ---
    "replay": ("Replay", "Wiedergabe"),
    "replays": ("Replays", "Wiedergaben"),
    "open_set": ("Set to open", "Welcher Satz?"),
    "open_it": ("Open", "Öffnen"),
    "replays_later": (
        "Every deal can be replayed here when the contest is over; until then it is for the bots' authors.",
        "Jedes Spiel kann man hier nach dem Ende des Wettbewerbs ansehen; bis dahin gehört es den Autoren der Bots.",
    ),
    "mirrored_says": (
        "The same cards in both seatings: who holds which hand is exchanged. Until the bots decide differently, both deals run alike.",
        "Dieselben Karten in beiden Sitzordnungen: getauscht ist nur, wer welche Hand hat. Bis die Bots anders entscheiden, laufen beide Spiele gleich.",
    ),
    "stock_n": ("stock: {n}", "Stock: {n}"),
    "owed_n": ("{n} to take", "{n} zu nehmen"),
    "skips_n": ("{n} to miss", "{n} aussetzen"),
    "begins": ("The deal begins.", "Das Spiel beginnt."),
    "place_n": ("place {n}", "Platz {n}"),
    "play": ("▶ Play", "▶ Abspielen"),
    "pause": ("❚❚ Pause", "❚❚ Pause"),
    "seat_n": ("seat {n}", "Platz {n}"),
    "to_first": ("to the beginning", "zum Anfang"),
    "step_back": ("one step back", "einen Schritt zurück"),
    "step_on": ("one step on", "einen Schritt weiter"),
    "to_last": ("to the end", "zum Ende"),
    "step": ("step", "Schritt"),
    "where_they_part": ("Where they part", "Wo sie sich trennen"),
    "view": ("Cards", "Karten"),
    "open_cards": ("all open", "alle offen"),
    "speed": ("Speed", "Tempo"),
    "keys": ("Keys", "Tasten"),
    "keys_say": (
        "step · space: play · Home, End · p: where they part",
        "Schritt · Leertaste: abspielen · Pos1, Ende · p: wo sie sich trennen",
    ),
    "notes": ("Notes of the bots", "Notizen der Bots"),
    "download_record": ("Download the record", "Aufzeichnung laden"),
    # --- rules ---
    "rules_intro": (
        "Every variant that the arena plays, as its referee knows it.",
        "Alle Varianten, die in der Arena gespielt werden, wie der Schiedsrichter sie kennt. Die Regeln selbst sind auf Englisch.",
    ),
    "players": ("{least} to {most} players", "{least} bis {most} Spieler"),
    "source": ("source: {source}", "Quelle: {source}"),
    "options": ("Options", "Optionen"),
    "option": ("Option", "Option"),
    "value": ("Value", "Wert"),
    "known": ("Known values", "Bekannte Werte"),
    # --- cards, for who does not see them ---
    "set_n": ("set {n}", "Satz {n}"),
    "seating_n": ("seating {n}", "Sitzordnung {n}"),
    "cards_n": ("{n} cards", "{n} Karten"),
    "card_one": ("1 card", "1 Karte"),
    "wish": ("wish", "Wunsch"),
}


class Tongue:
    """One language: `t("matches_of", decided=3, known=10)`. An unknown key is a KeyError."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._column = LANGUAGES.index(language)

    def __call__(self, key: str, **values: Any) -> str:
        return WORDS[key][self._column].format(**values)

    def number(self, value: float, digits: int = 0) -> str:
        """With the language's decimal point, and thin spaces between thousands."""
        text = f"{value:,.{digits}f}".replace(",", "\u2009")
        return text.replace(".", ",") if self.language == "de" else text

    def percent(self, share: float) -> str:
        """A share of one as percents with one decimal, without the sign."""
        return self.number(100 * share, 1)


TONGUES: Final = {language: Tongue(language) for language in LANGUAGES}


def choose(wanted: str, accepted: str) -> str:
    """The language of a page: the one asked for, else the first known of an Accept-Language, else English."""
    if wanted in LANGUAGES:
        return wanted
    ranked = []
    for place, part in enumerate(accepted[:200].split(",")):
        name, _, quality = part.partition(";q=")
        try:
            ranked.append((-float(quality or 1), place, name.strip()[:2].lower()))
        except ValueError:
            continue
    return next((name for _, _, name in sorted(ranked) if name in LANGUAGES), "en")
