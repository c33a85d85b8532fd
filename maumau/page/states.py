"""What the states of an arena are called, in English and German, on the page and in the terminal."""

from typing import Final

WORDS: Final[dict[str, tuple[str, str]]] = {
    "state_version_uploaded": ("Versions waiting for validation", "Versionen, die auf die Prüfung warten"),
    "state_version_validating": ("Versions being validated", "Versionen, die geprüft werden"),
    "state_block_queued": ("Blocks waiting", "Blöcke, die warten"),
    "state_block_claimed": ("Blocks being played", "Blöcke, die gespielt werden"),
    "state_block_void": ("Blocks given up", "Aufgegebene Blöcke"),
    "state_result_awaited": ("Results awaited", "Erwartete Ergebnisse"),
    "state_event_untold": ("Events not told yet", "Noch nicht gemeldete Ereignisse"),
    "state_worker_present": ("Workers present", "Anwesende Worker"),
    "state_worker_busy": ("Workers playing blocks", "Worker, die Blöcke spielen"),
    "state_worker_suspended": ("Workers suspended", "Ausgesetzte Worker"),
    "state_worker_missing": ("Contests without any worker", "Wettbewerbe ganz ohne Worker"),
    "state_tournament_running": ("Contests running", "Laufende Wettbewerbe"),
    "state_tournament_paused": ("Contests paused", "Angehaltene Wettbewerbe"),
    "state_pairing_new": ("Pairings not queued yet", "Paarungen, noch nicht eingereiht"),
    "state_pairing_open": ("Pairings queued or played", "Paarungen, eingereiht oder im Spiel"),
    "state_pairing_paused": ("Pairings paused", "Angehaltene Paarungen"),
    "state_bot_ready": ("Bots waiting for a pairing", "Bots, die auf eine Paarung warten"),
    "state_seek_open": ("Open seeks for a live table", "Offene Gesuche nach einem Live-Tisch"),
    "state_table_waiting": ("Live tables waiting for players", "Live-Tische, die auf Spieler warten"),
    "state_table_playing": ("Live tables being played", "Live-Tische, an denen gespielt wird"),
    "state_table_unreported": ("Live results not handed over", "Live-Ergebnisse, noch nicht übergeben"),
    # --- from when an age is counted ---
    "since_result_awaited": (
        "since one was last claimed or came",
        "seit zuletzt einer vergeben wurde oder eins kam",
    ),
    "since_bot_ready": ("since the last pairing", "seit der letzten Paarung"),
    "since_table_playing": ("since it was opened", "seit er eröffnet wurde"),
    "since_pairing_open": ("since it was made", "seit sie gemacht wurde"),
    "since_pairing_paused": ("since it was made", "seit sie gemacht wurde"),
}
