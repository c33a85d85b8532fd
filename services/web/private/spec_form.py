"""A contest's spec from a form: the TOML that `maumau tournament create` reads. Pure."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from maumau.contest.format import FORMATS
from maumau.contest.rehearsal.worth import Worth, weigh_match
from maumau.contest.spec.bound import bound_spec
from maumau.contest.spec.spec import build_spec, check_order
from maumau.errors import BadSpec, BadVariant, MaumauError
from maumau.game.ruleset.own import check_name, load_text, refuse_known_name
from maumau.game.ruleset.toml import load_toml
from services.web.private.stage_form import STAGE_DEFAULTS, STAGE_FIELDS, read_stages
from services.web.private.zone import DEFAULT_ZONE, place_moment, read_zone

OWN_RULES: Final = "own"
"""The choice of a custom variant, whose name and text are fields of the form."""
CHOICES: Final = tuple(FORMATS)
"""The formats that the form offers, for either stage."""

NUMBERS: Final = {
    "cap": ("match", "cap"),
    "block": ("match", "block"),
    "deal_ms": ("bot", "deal_ms"),
    "most": ("entries", "most"),
    "per_account": ("entries", "per_account"),
    "protest_minutes": ("schedule", "protest_minutes"),
}
WHOLE: Final = re.compile(r"-?[0-9]{1,100}")
"""A whole number, whose range the spec checks; Python converts no more than some thousand digits."""
LONGEST: Final = 20_000  # characters of additional keys
DEFAULTS: Final = {
    "name": "",
    "rules": "mau_mau",
    "variant_name": "",
    "variant_toml": "",
    "zone": DEFAULT_ZONE,
    **STAGE_DEFAULTS,
    "kind": "sequential",
    "count": "",
    "decide": "",
    "cap": "2000",
    "block": "100",
    "deal_ms": "100",
    "most": "64",
    "per_account": "3",
    "protest_minutes": "0",
    "closes": "",
    "starts": "",
    "release": "public",
    "audience": "public",
    "more": "",
}
COUNTED: Final = {"fixed": ("sets", ("cap",)), "first_to": ("wins", ())}
"""Kinds of matches that end by a count: its key, and the keys that follow from it."""
GROUP_PREFIX: Final = "group:"
"""The beginning of the choice of an audience that is a group."""
MOMENTS: Final = {"closes": ("entries", "closes"), "starts": ("schedule", "starts")}


class Drawn(NamedTuple):
    """The result of a form: the TOML, or the errors, by field ("" for the whole).

    moments: those that the spec has, by field, with the offset of the form's zone. worth: of its matches.
    plays_games: a stage plays whole games.
    """

    toml: str
    wrong: dict[str, str]
    moments: Mapping[str, datetime] = {}
    worth: Worth | None = None
    plays_games: bool = False


def draw_spec(fields: Mapping[str, str]) -> Drawn:
    """Return the spec of these fields, with defaults, checked as the arena checks it."""
    try:
        table = make_table(fields)
        spec = bound_spec(build_spec(table))
        check_order(spec)
        found = {field: table.get(part, {}).get(key) for field, (part, key) in MOMENTS.items()}
        moments = {field: at for field, at in found.items() if at}
        return Drawn(spec.to_toml(), {}, moments, weigh_match(spec), spec.plays_games)
    except BadVariant as error:
        return Drawn("", {"variant_toml": str(error)})
    except MaumauError as error:
        found = {FIELD_OF.get(one.field, ""): one.sentence for one in error.violations}
        return Drawn("", found or {"": str(error)})


def make_table(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the table, checked only for valid numbers and times."""
    table: dict[str, Any] = {"name": fields["name"], **_read_rules(fields)}
    table["stage"] = read_stages(fields)
    table["release"] = fields["release"]
    table |= _read_audience(fields["audience"])
    for field, (part, key) in NUMBERS.items():
        table.setdefault(part, {})[key] = _parse_number(field, fields[field])
    table["match"] = _read_kind(fields, table["match"])
    if fields["decide"]:
        table["match"]["decide"] = "better"
    zone = fields["zone"] or DEFAULT_ZONE
    read_zone(zone)
    for field, (part, key) in MOMENTS.items():
        if fields[field]:
            table.setdefault(part, {})[key] = _parse_moment(field, fields[field], zone)
    return _merge_tables(table, _parse_more(fields["more"]))


def _read_kind(fields: Mapping[str, str], match: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of `[match]` with its kind: a counted match has a block and cap that suit it."""
    kind = fields["kind"]
    if kind not in COUNTED:
        return match if kind == DEFAULTS["kind"] else {**match, "kind": kind}
    left_out = {key for key in ("block", "cap") if fields[key] == DEFAULTS[key] or key in COUNTED[kind][1]}
    kept = {key: value for key, value in match.items() if key not in left_out}
    key = COUNTED[kind][0]
    count = {key: _read_whole(f"match.{key}", fields["count"])} if fields["count"] else {}
    return {**kept, "kind": kind, **count}


def _read_audience(chosen: str) -> dict[str, str]:
    """Return the keys that say who sees the contest; none for everybody."""
    if chosen.startswith(GROUP_PREFIX):
        return {"visibility": "group", "group": chosen.removeprefix(GROUP_PREFIX)}
    return {} if chosen == DEFAULTS["audience"] else {"visibility": chosen}


def _read_rules(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of the variant; a custom one is checked as `maumau tournament create` does."""
    if fields["rules"] != OWN_RULES:
        return {"rules": fields["rules"]}
    name, text = fields["variant_name"], fields["variant_toml"].replace("\r\n", "\n").strip()
    if not text:
        raise BadVariant("variant_toml: choose the file of your variant, or paste its text.")
    _check_variant_name(name)
    return {"rules": name, "variant_toml": load_text(name, f"{text}\n").text}


def _check_variant_name(name: str) -> None:
    """Raise BadSpec, with the field of the name, if no variant may have it or one of the arena has it."""
    try:
        check_name(name)
        refuse_known_name(name)
    except BadVariant as error:
        raise BadSpec(f"variant_name: {error}", field="variant_name") from None


FIELD_OF: Final = {
    "name": "name",
    "rules": "rules",
    **STAGE_FIELDS,
    "release": "release",
    "visibility": "audience",
    "group": "audience",
    "options": "more",
    "spec_toml": "more",
    "match.decide": "more",
    "match.kind": "kind",
    "match.sets": "count",
    "match.wins": "count",
    "zone": "zone",
    "variant_name": "variant_name",
    **{f"{part}.{key}": field for field, (part, key) in {**NUMBERS, **MOMENTS}.items()},
}
"""The form's field for a key of the spec."""


def _parse_number(field: str, text: str) -> int:
    return _read_whole(".".join(NUMBERS[field]), text)


def _read_whole(key: str, text: str) -> int:
    if not WHOLE.fullmatch(text):
        raise BadSpec(f"{key}: {text[:40]!r} is not a whole number.", field=key)
    return int(text)


def _parse_moment(field: str, text: str, zone: str) -> Any:
    """Return the time of a browser's field, which is local in this zone, with its offset."""
    key = ".".join(MOMENTS[field])
    try:
        found = datetime.fromisoformat(text)
        moment = found if found.tzinfo else place_moment(key, found, read_zone(zone))
        moment.astimezone(UTC)
    except (ValueError, OverflowError):
        words = f"{key}: {text[:40]!r} is not a time such as 2026-11-30T18:00 ({zone})."
        raise BadSpec(words, field=key) from None
    return moment


def _parse_more(text: str) -> dict[str, Any]:
    if len(text) > LONGEST:
        raise BadSpec(f"The further keys have more than {LONGEST} characters.", field="spec_toml")
    try:
        return load_toml(text)
    except (ValueError, RecursionError) as error:
        raise BadSpec(f"The further keys are not TOML: {error}.", field="spec_toml") from None


def _merge_tables(table: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Merge the typed TOML into the table, with priority, table by table."""
    for key, value in more.items():
        known = table.get(key)
        table[key] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    return table
