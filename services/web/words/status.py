"""The words of `/status`, in English and German."""

from typing import Final

WORDS: Final[dict[str, tuple[str, str]]] = {
    "status_well": ("All is well.", "Alles ist in Ordnung."),
    "status_ill": ("Not all is well.", "Nicht alles ist in Ordnung."),
    "status_silent": ("No answer from: {names}.", "Keine Antwort von: {names}."),
    "status_unread": ("No figures from: {names}.", "Keine Zahlen von: {names}."),
    "status_away": (
        "A service gets no answer from: {names}.",
        "Ein Dienst bekommt keine Antwort von: {names}.",
    ),
    "status_late": ("Late: {names}.", "Überfällig: {names}."),
    "status_says": (
        "The same counts and ages as on the dashboards. Something is late after the same time as in the"
        " arena's alerts.",
        "Die gleichen Zahlen und Zeiten wie auf den Dashboards. Überfällig ist etwas nach derselben Zeit wie"
        " in den Alarmen der Arena.",
    ),
    "answers": ("answers", "antwortet"),
    "silent_short": ("does not answer", "antwortet nicht"),
    "unread_short": ("answers, but gives no figures", "antwortet, nennt aber keine Zahlen"),
    "needs_answer": ("Everything that it needs answers.", "Alles, was gebraucht wird, antwortet."),
    "needs_away": ("It gets no answer from: {names}.", "Keine Antwort von: {names}."),
    "needs_unknown": (
        "Nothing is known of what it needs.",
        "Über das, was gebraucht wird, ist nichts bekannt.",
    ),
    "unknown": ("unknown", "unbekannt"),
    "watchers": ("People watching", "Zuschauer"),
    "registry": ("Registry", "Register"),
    "tournament": ("Tournament service", "Turnierdienst"),
    "what": ("What", "Was"),
    "count": ("Count", "Anzahl"),
    "oldest": ("Oldest", "Ältestes"),
    "at_least": ("{n}+", "{n}+"),
    "late_after": ("late after {span}", "überfällig nach {span}"),
    "late_after_at_once": ("late at once", "sofort überfällig"),
    "is_late": ("LATE: at most {span}", "ÜBERFÄLLIG: höchstens {span}"),
    "is_late_at_once": ("LATE: there must be none", "ÜBERFÄLLIG: es darf keine geben"),
    "pace": ("At a glance", "Auf einen Blick"),
    "pace_says": (
        "Blocks and decisions are averages of the last five minutes.",
        "Blöcke und Entscheidungen sind Mittelwerte der letzten fünf Minuten.",
    ),
    "blocks_a_minute": ("Blocks a minute", "Blöcke je Minute"),
    "decisions_a_second": ("Decisions a second", "Entscheidungen je Sekunde"),
    "queue_by_age": ("Waiting blocks by age", "Wartende Blöcke nach Alter"),
    "waiting_for": ("Waiting for", "Wartet seit"),
    "waits_less": ("less than {span}", "weniger als {span}"),
    "waits_longer": ("longer", "länger"),
    # --- needs ---
    "need_database": ("database", "Datenbank"),
    "need_redis": ("Redis", "Redis"),
    "need_broker": ("broker", "Broker"),
}
