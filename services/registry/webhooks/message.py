"""Messages of mail and chat: an event in a sentence, with a link. Pure."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec

from services.registry.domain.channel import (
    CONFIRM,
    LANGUAGES,
    is_mail,
    make_key,
    name_confirmation,
    name_end,
)
from services.registry.store.notices.delivery import Due

WORDS: Final[dict[str, tuple[str, str]]] = {
    "bot.active": (
        "Version {version} of “{bot}” plays from now on.",
        "Version {version} von „{bot}“ spielt ab jetzt.",
    ),
    "bot.refused": (
        "Version {version} of “{bot}” was refused.",
        "Version {version} von „{bot}“ wurde abgelehnt.",
    ),
    "bot.stalled": (
        "Version {version} of “{bot}” could not be validated.",
        "Version {version} von „{bot}“ konnte nicht geprüft werden.",
    ),
    "bot.suspended": (
        "Version {version} of “{bot}” is suspended until it has been validated again.",
        "Version {version} von „{bot}“ ist ausgesetzt, bis sie erneut geprüft ist.",
    ),
    "bot.fault": (
        "“{bot}” made faults in a match of “{contest}”.",
        "„{bot}“ hat in einer Begegnung von „{contest}“ Fehler gemacht.",
    ),
    "contest.opened": ("“{contest}” is open for entries.", "„{contest}“ nimmt Anmeldungen an."),
    "contest.started": ("“{contest}” has started.", "„{contest}“ hat begonnen."),
    "contest.decided": ("“{contest}” is decided.", "„{contest}“ ist entschieden."),
    "contest.finished": (
        "The result of “{contest}” is final.",
        "Das Ergebnis von „{contest}“ ist endgültig.",
    ),
    "contest.cancelled": ("“{contest}” was cancelled.", "„{contest}“ wurde abgesagt."),
    "ladder.overtaken": (
        "“{by}” has overtaken “{bot}” on the ladder “{ladder}”: place {place} now, {before} before.",
        "„{by}“ hat „{bot}“ auf der Rangliste „{ladder}“ überholt: jetzt Platz {place}, vorher {before}.",
    ),
    "webhook.disabled": (
        "The arena has stopped sending to {url}: it could not be reached for too long.",
        "Die Arena sendet nichts mehr an {url}: Das Ziel war zu lange nicht erreichbar.",
    ),
    "test": (
        "This is a test: messages of the arena arrive here.",
        "Das ist ein Test: Nachrichten der Arena kommen hier an.",
    ),
    CONFIRM: (
        "Please confirm your mail address",
        "Bitte bestätige deine E-Mail-Adresse",
    ),
}
ASKED: Final = (
    "The account “{account}” of the arena {page} would like news to be sent to this address. If that was you,"
    " confirm it within two days:\n{link}\n\nIf you did not ask for this, there is nothing to do:"
    " without your confirmation, no news is sent.",
    "Das Konto „{account}“ der Arena {page} möchte Neuigkeiten an diese Adresse bekommen. Wenn du das bist,"
    " bestätige es innerhalb von zwei Tagen:\n{link}\n\nWenn du das nicht warst, musst du nichts tun: Ohne"
    " Bestätigung schicken wir keine Neuigkeiten.",
)
FOOT: Final = (
    "To stop these mails:\n{link}",
    "Wenn du diese Nachrichten nicht mehr möchtest:\n{link}",
)
MOST_NAME: Final = 100  # characters of a name in a message


class Message(NamedTuple):
    """A message as it is sent. headers: of a mail."""

    title: str
    body: str
    headers: dict[str, str]


class MessageWriter:
    """A writer of messages. page_url: public address of the page; empty: messages have no links."""

    def __init__(self, page_url: str) -> None:
        self.page_url = page_url

    def write(self, due: Due) -> Message:
        """Return the message about an event, in its reader's language."""
        column = LANGUAGES.index(due.language) if due.language in LANGUAGES else 0
        data = msgspec.json.decode(due.data, type=dict[str, Any])
        names = {name: _soften(value, mail=is_mail(due.url)) for name, value in data.items()}
        sentence = WORDS[due.kind][column].format_map(_Named(names))
        if due.kind == CONFIRM:
            link = self.confirm_link(due)
            body = ASKED[column].format(account=names.get("account", ""), page=self.page_url, link=link)
        else:
            body = "\n".join(filter(None, (sentence, self._link(due.kind, data))))
        if not is_mail(due.url):
            return Message("", body, {})
        end = self.end_link(due)
        headers = {
            "List-Unsubscribe": f"<{end}>",
            "Auto-Submitted": "auto-generated",
            "X-Maumau-Event": due.notice_id,
        }
        if end.startswith("https://"):  # RFC 8058 has it for no other address
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        return Message(sentence, f"{body}\n\n-- \n{FOOT[column].format(link=end)}", headers)

    def confirm_link(self, due: Due) -> str:
        """Return the address at which the owner of a mail address confirms it."""
        key = make_key(due.secret, name_confirmation(due.webhook_id, due.confirm_until))
        return f"{self.page_url}/mail/confirm/{due.webhook_id}/{key}"

    def end_link(self, due: Due) -> str:
        """Return the address at which a reader ends these mails."""
        return f"{self.page_url}/mail/stop/{due.webhook_id}/{make_key(due.secret, name_end(due.webhook_id))}"

    def _link(self, kind: str, data: Mapping[str, Any]) -> str:
        if not self.page_url:
            return ""
        path = ""
        if kind.startswith("contest.") or kind == "bot.fault":
            path = f"/contests/{quote(str(data.get('contest', '')), safe='')}"
        elif kind.startswith("bot."):
            path = f"/me/versions/{quote(str(data.get('version_id', '')), safe='')}"
        elif kind.startswith("ladder."):
            path = f"/ladders/{quote(str(data.get('ladder', '')), safe='')}"
        elif kind.startswith("webhook."):
            path = f"/me/webhooks/{quote(str(data.get('webhook', '')), safe='')}"
        return f"{self.page_url}{path}"


class _Named(dict[str, Any]):
    """Names for a sentence; one that an event of an earlier release lacks is a dash."""

    def __missing__(self, key: str) -> str:
        return "–"


def _soften(value: Any, *, mail: bool) -> str:
    """Return a name on one line; in a chat it calls nobody and marks nothing up."""
    text = " ".join("".join(one if one.isprintable() else " " for one in str(value)).split())[:MOST_NAME]
    if mail:
        return text
    for mark in "@<`*_[":
        text = text.replace(mark, f"{mark}\u200b")
    return text
