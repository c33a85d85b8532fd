"""The fields of a form from the spec of an earlier contest. Pure."""

import re
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from maumau.contest.length import OPTION
from maumau.contest.spec.bound import bound_spec
from maumau.contest.spec.spec import Spec
from maumau.contest.strict import write_table
from maumau.contest.whole_game import PLACES
from services.web.private.spec_form import COUNTED, DEFAULTS, GROUP_PREFIX, MOMENTS, NUMBERS, OWN_RULES
from services.web.private.stage_form import find_stage_fields
from services.web.private.zone import DEFAULT_ZONE

NUMBER: Final = re.compile(r"(.*?)(?:-(\d{1,6}))?")
LONGEST_NAME: Final = 64


def copy_fields(earlier: Spec, now: datetime) -> dict[str, str]:
    """Return the fields that draw a copy of a spec; what has no field stands among the further keys."""
    spec = earlier.copy_as(_next_name(earlier.name), now)
    fields = {**DEFAULTS, "name": spec.name, "rules": spec.rules, "release": spec.release}
    fields["audience"] = f"{GROUP_PREFIX}{spec.group}" if spec.group else spec.visibility
    if spec.variant_toml is not None:
        own = {"rules": OWN_RULES, "variant_name": spec.rules, "variant_toml": spec.variant_toml}
        fields |= own
    table = msgspec.to_builtins(spec, builtin_types=(datetime,))
    for field, (part, key) in NUMBERS.items():
        fields[field] = str(table[part].pop(key))
    for field, (part, key) in MOMENTS.items():
        if moment := table[part].pop(key):
            fields |= {field: f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M}", "zone": DEFAULT_ZONE}
    fields["decide"] = "1" if table["match"].pop("decide") else ""
    fields["kind"] = table["match"].pop("kind")
    counts = [table["match"].pop(key) for key, _ in COUNTED.values()]
    fields["count"] = next((str(count) for count in counts if count is not None), "")
    fields |= _take_stages(spec, table)
    for key in ("name", "rules", "release", "visibility", "group", "secret", "mystery", "variant_toml"):
        table.pop(key, None)
    if bound_spec(msgspec.structs.replace(spec, options=_unbind_spec(spec))).options == spec.options:
        table["options"] = _unbind_spec(spec)
    more = _drop_defaults(table)
    if spec.mystery:
        more["mystery"] = {}
    fields["more"] = write_table(more)
    return fields


def _next_name(name: str) -> str:
    """Return the name with the next number: cup, cup-2, cup-3."""
    found = NUMBER.fullmatch(name)
    stem, number = (found[1], int(found[2] or 1)) if found else (name, 1)
    end = f"-{number + 1}"
    return stem[: LONGEST_NAME - len(end)].rstrip("-_") + end


def _take_stages(spec: Spec, table: dict[str, Any]) -> dict[str, str]:
    """Return the fields of the stages, and take them out of the table; none if no field can say them."""
    usual = {"seeds": "entry", "third_place": False}
    stages = [_drop_equal(one.shown, usual) for one in spec.stages]
    found = find_stage_fields(stages)
    if found is None:
        table["stage"] = stages
        return {}
    table.pop("stage")
    return found


def _unbind_spec(spec: Spec) -> dict[str, Any]:
    chosen = {OPTION, PLACES} if spec.most_seats > spec.seats else {OPTION}
    return {key: value for key, value in spec.options.items() if key not in chosen}


def _drop_defaults(table: dict[str, Any]) -> dict[str, Any]:
    """Return a spec's table without what it has anyway."""
    least = Spec(name="", rules="", stages=())
    default = msgspec.to_builtins(least)
    kept = _drop_equal(table, default)
    parts = {key: _drop_equal(value, default[key]) for key, value in kept.items() if isinstance(value, dict)}
    return {key: value for key, value in (kept | parts).items() if value not in (None, {}, ())}


def _drop_equal(table: dict[str, Any], default: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in default or value != default[key]}
