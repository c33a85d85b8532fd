"""The arena's status in words: what is late, what is away, how long things wait. Pure."""

from maumau.client.answer import StateCount, WaitCount
from maumau.client.arena_status import ArenaStatus, StatusRow, say_span
from services.web.words import WORDS, Tongue


def state_words(t: Tongue, thing: str, state: str) -> str:
    """Return the name of a state; one that this release does not know keeps its own name."""
    key = f"state_{thing}_{state}"
    return t(key) if key in WORDS else f"{thing} {state}"


def bound_words(t: Tongue, row: StatusRow) -> str:
    """Return when a state is late, and the start of its age unless its name says so; "" for neither."""
    found, hint = row.found, f"since_{row.thing}_{row.state}"
    parts = []
    if found and found.bound_ms is not None:
        span = say_span(found.bound_ms)
        kind = "is_late" if found.is_late else "late_after"
        parts.append(t(kind, span=span) if found.bound_ms else t(f"{kind}_at_once"))
    if hint in WORDS:
        parts.append(t(hint))
    return " · ".join(parts)


def count_words(t: Tongue, one: StateCount | WaitCount | None) -> str:
    """Return a count, or that it is not known."""
    if one is None:
        return t("unknown")
    return t("at_least", n=t.number(one.count)) if one.has_more else t.number(one.count)


def verdict_words(t: Tongue, arena_status: ArenaStatus) -> str:
    """Return a sentence that all is well, or a list of the problems."""
    silent = [t(name) for name, how in arena_status.services.items() if how == "silent"]
    unread = [t(name) for name, how in arena_status.services.items() if how == "unread"]
    away = [need_words(t, need) for need in dict.fromkeys(need for _, need in arena_status.away)]
    late = [_in_sentence(t, state_words(t, one.thing, one.state)) for one in arena_status.late]
    kinds = {"status_silent": silent, "status_unread": unread, "status_away": away, "status_late": late}
    said = [t(kind, names=", ".join(names)) for kind, names in kinds.items() if names]
    return " ".join([t("status_ill"), *said]) if said else t("status_well")


def _in_sentence(t: Tongue, words: str) -> str:
    return words if t.language == "de" else words[:1].lower() + words[1:]


def needs_line(t: Tongue, arena_status: ArenaStatus, service: str) -> str:
    """Return whether the needs of a service answer, as a sentence."""
    if away := arena_status.away_of(service):
        return t("needs_away", names=", ".join(need_words(t, need) for need in away))
    return t("needs_answer") if arena_status.needs.get(service) else t("needs_unknown")


def need_words(t: Tongue, need: str) -> str:
    """Return the name of a need; one that the page does not know keeps the service's name for it."""
    key = f"need_{need}"
    return t(key) if key in WORDS else need


def wait_words(t: Tongue, one: WaitCount) -> str:
    """Return how long these blocks have waited, as text."""
    return t("waits_less", span=say_span(one.up_to_ms)) if one.up_to_ms else t("waits_longer")
