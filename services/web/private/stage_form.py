"""The stages of a contest's form: one format, or two with a cut between them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from maumau.contest.format import FORMATS
from maumau.errors import BadSpec

BOTH: Final = "round_robin_single_elimination"
"""The format of a round robin that seeds a knock-out, as earlier forms had it."""
STAGE_DEFAULTS: Final = {
    "format": "single_elimination",
    "size": "4",
    "seats": "4",
    "then": "",
    "take": "",
    "third_place": "",
}
STAGE_FIELDS: Final = {
    "stage": "format",
    "stage[1].format": "format",
    "stage[2].format": "then",
    "stage[2].take": "take",
    **{f"stage[{number}].third_place": "third_place" for number in (1, 2)},
    **{f"stage[{number}].{key}": key for number in (1, 2) for key in ("size", "seats")},
}
"""The form's field for a key of a stage."""


def split_both(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields with the two formats of `BOTH` in their own fields."""
    if fields["format"] != BOTH:
        return dict(fields)
    return {**fields, "format": "round_robin", "then": "single_elimination"}


def read_stages(typed: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the stages of the form. The second has the order of the first; a third place is in the last."""
    fields = split_both(typed)
    stages = [_read_stage(name, fields) for name in (fields["format"], fields["then"]) if name]
    if fields["take"]:
        if not fields["then"]:
            words = "stage 2.take: a cut comes between two stages, and no second stage is chosen."
            raise BadSpec(words, field="stage[2].take")
        stages[-1]["take"] = _read_number(fields["take"], "stage 2.take", "stage[2].take")
    if fields["then"]:
        stages[-1]["seeds"] = "previous"
    if fields["third_place"]:
        stages[-1]["third_place"] = True
    return stages


def find_stage_fields(stages: Sequence[Mapping[str, Any]]) -> dict[str, str] | None:
    """Return the fields that give these stages, without defaults; None if no fields do."""
    if not 1 <= len(stages) <= 2:
        return None
    numbers = {
        key: next((str(one[key]) for one in stages if one.get(key)), STAGE_DEFAULTS[key])
        for key in ("size", "seats")
    }
    fields = {
        "format": str(stages[0]["format"]),
        **numbers,
        "then": str(stages[1]["format"]) if len(stages) > 1 else "",
        "take": str(stages[-1].get("take", "")),
        "third_place": "1" if stages[-1].get("third_place") else "",
    }
    try:
        return fields if read_stages(fields) == [dict(one) for one in stages] else None
    except BadSpec:
        return None


def _read_stage(name: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return a stage with the keys that it cannot do without, typed or as they usually are."""
    usual = FORMATS[name].usual if name in FORMATS else {}
    typed = {key: fields[key] for key in usual if fields.get(key)}
    read = {key: _read_number(text, key, f"stage[1].{key}") for key, text in typed.items()}
    return {"format": name, **usual, **read}


def _read_number(text: str, key: str, field: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,100}", text):
        raise BadSpec(f"{key}: {text[:40]!r} is not a whole number.", field=field)
    return int(text)
