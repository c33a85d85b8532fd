"""Texts of the pages of webhooks, and German for what the registry says of them. Pure."""

from typing import Final

WORDS: Final[dict[str, str]] = {
    "webhooks": "Webhooks",
    "webhooks_say": "The arena tells you about your bots, your contests and your places on ladders: by webhook, by mail, or in a chat.",
    "webhook_none": "You have no webhooks yet.",
    "webhook_new": "New webhook",
    "webhook_url": "Address (https://…)",
    "webhook_url_hint": "Or mailto:ana@example.org, or a room of Discord, Slack or Matrix, such as discord://ID/TOKEN.",
    "webhook_language": "Language of mails and chat messages",
    "webhook_unconfirmed": "not confirmed",
    "webhook_unconfirmed_says": "A mail with a link was sent to this address; nothing else is sent until its owner has confirmed it.",
    "webhook_ask_again": "Send the mail again",
    "event_confirm": "confirmation of the address",
    "webhook_kinds": "Events",
    "webhook_contests": "Contests to follow, one per line",
    "webhook_add": "Add webhook",
    "webhook_secret": "This secret is shown only this once; events are signed with it:",
    "webhook_test": "Send a test event",
    "webhook_remove": "Remove webhook",
    "webhook_active": "active",
    "webhook_failing": "failing",
    "webhook_disabled": "disabled",
    "webhook_disabled_says": "It gets no more events; a test event enables it again.",
    "webhook_waiting_one": "1 event waits",
    "webhook_waiting_n": "{n} events wait",
    "webhook_follows": "Contests followed: {names}",
    "deliveries": "Latest deliveries",
    "delivery_none": "Nothing has been sent yet.",
    "delivery_event": "Event",
    "delivery_at": "Happened (UTC)",
    "delivery_attempts": "Attempts",
    "delivery_status": "Answer",
    "delivery_done": "Delivered (UTC)",
    "event_bot.active": "a version plays",
    "event_bot.fault": "faults in a match",
    "event_bot.refused": "a version is refused",
    "event_bot.stalled": "a version could not be validated",
    "event_bot.suspended": "a bot is suspended",
    "event_contest.cancelled": "a contest is cancelled",
    "event_contest.decided": "a contest is decided",
    "event_contest.finished": "a result is final",
    "event_contest.opened": "a contest opens for entries",
    "event_contest.started": "a contest starts",
    "event_ladder.overtaken": "a bot is overtaken on a ladder",
    "event_webhook.disabled": "a webhook is disabled",
    "event_test": "test",
}

EVENTS: Final = tuple(key.removeprefix("event_") for key in WORDS if key.startswith("event_") and "." in key)

PATTERNS: Final = (
    (
        r"it answers (\d+): redirects are not followed",
        r"sie antwortet mit \1; Weiterleitungen folgt die Arena nicht",
    ),
    (r"it answers (\d+)", r"sie antwortet mit \1"),
    (r"no answer within ([\d.]+) s", r"keine Antwort innerhalb von \1 s"),
    (r"the answer is not HTTP", "die Antwort ist nicht HTTP"),
    (r"webhooks may not use port (\d+) here", r"Port \1 ist für Webhooks hier nicht erlaubt"),
    (
        r"its host is not a public address, and the arena tells no others",
        "ihr Rechner hat keine öffentliche Adresse, und anderen meldet die Arena nichts",
    ),
    (
        r"outside of the arena's own networks it must begin with https://",
        "außerhalb der eigenen Netze der Arena muss sie mit https:// beginnen",
    ),
    (r"This cannot be the address of a webhook: ", "Das kann nicht die Adresse eines Webhooks sein: "),
    (r"it begins with https://", "sie beginnt mit https://"),
    (r"this arena sends no mail", "diese Arena verschickt keine Mails"),
    (r"the mail server did not take it", "der Mailserver hat die Nachricht nicht angenommen"),
    (r"no connection, or no valid answer", "keine Verbindung oder keine gültige Antwort"),
    (r"the arena's own sender has ended", "das Sendeprogramm der Arena hat sich beendet"),
    (
        r"it cannot be read; see docs/reference/webhooks\.md for its form",
        "sie ist nicht lesbar; die Form steht in docs/reference/webhooks.md",
    ),
    (
        r"outside of the arena's own networks it must have a scheme with TLS",
        "außerhalb der eigenen Netze der Arena muss sie ein Schema mit TLS haben",
    ),
    (
        r"The arena sends nothing to addresses that begin with '(\S*)'; it knows ([\w, ]+)\.",
        r"Adressen, die mit „\1“ beginnen, nimmt die Arena nicht an; sie kennt \2.",
    ),
    (
        r"An address begins with https://, mailto:, discord:// or the like\.",
        "Eine Adresse beginnt mit https://, mailto:, discord:// oder Ähnlichem.",
    ),
    (
        r"A mail address has the form mailto:ana@example\.org\.",
        "Eine Mailadresse hat die Form mailto:ana@example.org.",
    ),
    (
        r"(\S+) has asked for (\d+) confirmations within a day; wait until then\.",
        r"\1 hat an einem Tag \2 Bestätigungen angefordert, mehr sind nicht möglich; warte bis morgen.",
    ),
    (
        r"This link confirms nothing \(any more\): it was used, has expired, or a newer one was sent\.",
        "Dieser Link bestätigt nichts (mehr): Er wurde schon benutzt, ist abgelaufen, oder es gibt einen neueren.",
    ),
    (
        r"No mails are left to unsubscribe from with this link\.",
        "Mit diesem Link lassen sich keine Mails mehr abbestellen.",
    ),
    (r"it names no host", "sie nennt keinen Rechner"),
    (r"Choose at least one event\.", "Wähle mindestens ein Ereignis."),
    (r"You have a webhook with this address already\.", "Für diese Adresse hast du schon einen Webhook."),
    (
        r"(\S+) has (\d+) webhooks, as many as this arena allows an account; `maumau webhook remove ID` makes room\.",
        r"\1 hat \2 Webhooks, so viele, wie diese Arena einem Konto zulässt; lösche einen davon.",
    ),
)
"""Patterns of why an address is not told, or cannot be one."""
