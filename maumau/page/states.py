"""Names of an arena's states, on the page and in the terminal."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "state_version_uploaded": "Versions waiting for validation",
    "state_version_validating": "Versions being validated",
    "state_block_queued": "Blocks waiting",
    "state_block_claimed": "Blocks being played",
    "state_block_void": "Blocks given up",
    "state_result_awaited": "Results awaited",
    "state_event_untold": "Events not told yet",
    "state_worker_present": "Workers present",
    "state_worker_busy": "Workers playing blocks",
    "state_worker_suspended": "Workers suspended",
    "state_worker_missing": "Contests without any worker",
    "state_tournament_running": "Contests running",
    "state_tournament_paused": "Contests paused",
    "state_pairing_new": "Pairings not queued yet",
    "state_pairing_open": "Pairings queued or played",
    "state_pairing_paused": "Pairings paused",
    "state_bot_ready": "Bots waiting for a pairing",
    "state_seek_open": "Open seeks for a live table",
    "state_table_waiting": "Live tables waiting for players",
    "state_table_playing": "Live tables being played",
    "state_table_unreported": "Live results not handed over",
    # --- from when an age is counted ---
    "since_result_awaited": "since one was last claimed or came",
    "since_bot_ready": "since the last pairing",
    "since_table_playing": "since it was opened",
    "since_pairing_open": "since it was made",
    "since_pairing_paused": "since it was made",
}
