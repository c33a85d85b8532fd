"""Local times of a form in a time zone; times that its clocks skip or show twice are refused. Pure."""

from datetime import UTC, datetime, timedelta, timezone
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from maumau.errors import BadSpec

DEFAULT_ZONE = "UTC"


@cache
def list_zones() -> tuple[str, ...]:
    """Return the zones to choose from: those of places, and UTC."""
    places = (one for one in available_timezones() if "/" in one and not one.startswith("Etc/"))
    return (DEFAULT_ZONE, *sorted(places))


def read_zone(name: str) -> ZoneInfo:
    """Return the zone of an IANA name; raise BadSpec with similar names."""
    if name in _all_zones():
        return ZoneInfo(name)
    near = get_close_matches(name[:80], list_zones(), 3, 0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else "known: UTC and places such as Europe/Berlin."
    raise BadSpec(f"zone: {name[:80]!r} is an unknown time zone; {hint}", field="zone")


@cache
def _all_zones() -> frozenset[str]:
    return frozenset((DEFAULT_ZONE, *available_timezones()))


def place_moment(key: str, local: datetime, zone: ZoneInfo) -> datetime:
    """Return a local time with its offset from UTC; raise BadSpec if there is none, or if there are two."""
    early, late = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if early.utcoffset() == late.utcoffset():
        return _fix_offset(early)
    said = f"{key}: {local:%Y-%m-%d %H:%M}"
    if early.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != local:
        after = early.astimezone(UTC).astimezone(zone)
        raise BadSpec(
            f"{said} does not exist in {zone.key}, because its clocks are put forward then; they show"
            f" {after:%H:%M} at that moment.",
            field=key,
        )
    either = " or ".join(_fix_offset(one).isoformat() for one in (early, late))
    table, _, name = key.rpartition(".")
    raise BadSpec(
        f"{said} comes twice in {zone.key}, because its clocks are put back then. Choose another time, or"
        f" leave this field empty and write under the further keys, below [{table}], {name} = {either}.",
        field=key,
    )


def _fix_offset(moment: datetime) -> datetime:
    """Return it with a plain offset, as TOML can say it: in whole minutes, else in UTC."""
    offset = moment.utcoffset() or timedelta()
    whole = offset % timedelta(minutes=1) == timedelta()
    return moment.astimezone(timezone(offset) if whole else UTC)
