"""The texts of feeds, calendars, frames for other sites, and previews."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    # --- feeds ---
    "feed_link": "Feed (Atom)",
    "calendar_link": "Calendar (iCalendar)",
    "feed_title": "{name} – Maumau Arena",
    "feed_announced": "{name} is announced",
    "feed_closes": "Bots may enter until {at} UTC.",
    "feed_started": "{name} has started",
    "feed_decided": "{name} is decided: {winner} wins",
    "feed_decided_nobody": "{name} is decided, without a winner",
    "feed_cancelled": "{name} is cancelled",
    "feed_see_page": "The table and all matches are on the contest's page.",
    "feed_round": "Stage {stage}, round {number} has begun",
    "feed_match": "{label}: {told}",
    "feed_podium": "{name}: the podium",
    "calendar_closes": "{name}: entries close",
    "calendar_starts": "{name} (Mau-Mau)",
    # --- frames for other sites ---
    "embed_how": "How to embed it",
    "embed_says": "This line of HTML shows it on a page of yours. Colours follow the reader's setting, unless theme=light or theme=dark is added to the address.",
    "embed_table": "Table",
    "embed_no_bracket": "There is no bracket: it has not been drawn yet, or every bot meets every other.",
    "embed_more": "{n} more in the arena",
    "embed_open": "{name} in the Maumau Arena",
    # --- previews ---
    "preview_contest": "Contest, {state}: {facts}",
    "preview_ladder": "Ladder: {facts}",
    "preview_leads": "{name} leads",
    "preview_bot": "Bot by {author}",
    "preview_place": "place {place} on the ladder {ladder}",
    "preview_set": "A deal set of Mau-Mau, card by card: the same deal from every seat",
}
