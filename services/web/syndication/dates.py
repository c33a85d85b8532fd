"""Events of calendars: until when bots may enter a contest, when it starts and when it ended. Pure."""

import tomllib
from collections.abc import Iterator
from datetime import datetime

from maumau.client.answer import SpecChange, Tournament
from services.web.syndication.ical import Event
from services.web.syndication.news import find_page
from services.web.words import Tongue
from services.web.words.rules import get_rules_title

STARTS, CLOSES = "schedule.starts", "entries.closes"
"""The keys of a spec that have dates."""
ENTERING = ("created", "open")


def list_dates(
    t: Tongue, site: str, contest: Tournament, spec_changes: tuple[SpecChange, ...]
) -> Iterator[Event]:
    """Yield the dates of a contest. spec_changes: those of its spec, which lists of contests leave out.

    A planned date that comes true, or ends by a cancellation, counts as one more change of it.
    """
    if not contest.created_at:
        return
    page = find_page(site, contest.name)
    played = get_rules_title(contest.rules, t.language) if contest.rules else contest.name
    is_cancelled = contest.state == "cancelled"
    if contest.closes_at:
        changed = _list_changes(spec_changes, CLOSES)
        steps = [at for at in (contest.started_at, contest.ended_at if is_cancelled else None) if at]
        yield Event(
            ("closes", contest.id), contest.closes_at, None, t("calendar_closes", name=contest.name), played,
            page, len(changed) + len(steps), max([contest.created_at, *changed, *steps]), is_cancelled,
        )  # fmt: skip
    begins = contest.started_at or read_start(contest.spec_toml)
    if begins:
        changed = _list_changes(spec_changes, STARTS)
        steps = [at for at in (contest.started_at, contest.ended_at) if at]
        yield Event(
            ("starts", contest.id), begins, contest.ended_at if contest.started_at else None,
            t("calendar_starts", name=contest.name), played, page, len(changed) + len(steps),
            max([contest.created_at, *changed, *steps]), is_cancelled,
        )  # fmt: skip


def read_start(spec_toml: str) -> datetime | None:
    """Return when a contest starts by its spec; None if it does not say."""
    starts = tomllib.loads(spec_toml).get("schedule", {}).get("starts")
    return starts if isinstance(starts, datetime) and starts.tzinfo else None


def _list_changes(spec_changes: tuple[SpecChange, ...], key: str) -> list[datetime]:
    """Return the moments at which a key of the spec was changed."""
    return [one.at for one in spec_changes if one.at and any(each.key == key for each in one.keys)]
