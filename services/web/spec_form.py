"""A contest's spec from a form: the same TOML that `maumau tournament create` reads. Pure."""

import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from maumau.contest.spec import build_spec
from maumau.errors import BadSpec, MaumauError

NUMBERS: Final = {
    "cap": ("match", "cap"), "block": ("match", "block"), "deal_ms": ("bot", "deal_ms"),
    "most": ("entries", "most"), "per_account": ("entries", "per_account"),
    "protest_minutes": ("schedule", "protest_minutes"),
}  # fmt: skip
LONGEST: Final = 20_000  # characters of further keys
DEFAULTS: Final = {
    "name": "", "rules": "mau_mau", "format": "single_elimination", "third_place": "", "cap": "2000",
    "block": "100", "deal_ms": "100", "most": "64", "per_account": "3", "protest_minutes": "0", "closes": "",
    "starts": "", "release": "public", "more": "",
}  # fmt: skip
MOMENTS: Final = {"closes": ("entries", "closes"), "starts": ("schedule", "starts")}


class Drawn(NamedTuple):
    """What came of a form: the TOML, or what is wrong with it, by field ("" for the whole)."""

    toml: str
    wrong: dict[str, str]


def draw_spec(fields: Mapping[str, str]) -> Drawn:
    """The spec of these fields, defaults too, checked as the arena checks it."""
    try:
        return Drawn(build_spec(make_table(fields)).to_toml(), {})
    except MaumauError as error:
        found = {FIELD_OF.get(one.field, ""): one.sentence for one in error.violations}
        return Drawn("", found or {"": str(error)})


def make_table(fields: Mapping[str, str]) -> dict[str, Any]:
    """The table, nothing in it checked but that numbers are numbers and moments are moments."""
    table: dict[str, Any] = {"name": fields["name"], "rules": fields["rules"]}
    stage: dict[str, Any] = {"format": fields["format"]}
    if fields["third_place"]:
        stage["third_place"] = True
    table["stage"], table["release"] = [stage], fields["release"]
    for field, (part, key) in NUMBERS.items():
        table.setdefault(part, {})[key] = _number(field, fields[field])
    for field, (part, key) in MOMENTS.items():
        if fields[field]:
            table.setdefault(part, {})[key] = _moment(field, fields[field])
    return _merge(table, _more(fields["more"]))


FIELD_OF: Final = {
    "name": "name", "rules": "rules", "stage": "format", "stage[1].format": "format",
    "stage[1].third_place": "third_place", "release": "release", "options": "more", "spec_toml": "more",
    **{f"{part}.{key}": field for field, (part, key) in {**NUMBERS, **MOMENTS}.items()},
}  # fmt: skip
"""The field of the form that a key of the spec is from."""


def _number(field: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        key = ".".join(NUMBERS[field])
        raise BadSpec(f"{key}: {text[:40]!r} is not a whole number.", field=key)
    return int(text)


def _moment(field: str, text: str) -> Any:
    """As a browser's field has it, in UTC."""
    key = ".".join(MOMENTS[field])
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        words = f"{key}: {text[:40]!r} is not a time such as 2026-11-30T18:00 (UTC)."
        raise BadSpec(words, field=key) from None


def _more(text: str) -> dict[str, Any]:
    if len(text) > LONGEST:
        raise BadSpec(f"The further keys have more than {LONGEST} characters.", field="spec_toml")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadSpec(f"The further keys are not TOML: {error}.", field="spec_toml") from None


def _merge(table: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """What was typed as TOML wins, table by table."""
    for key, value in more.items():
        known = table.get(key)
        table[key] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    return table
