"""The spaces of actions and observations."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from maumau.env.observation import Encoder, Row
from maumau.env.table import EnvTable
from maumau.errors import BadOption

Form = Literal["flat", "dict"]
FORMS = ("flat", "dict")


def check_form(form: str) -> None:
    """Raise BadOption if observations have no such form."""
    if form not in FORMS:
        raise BadOption(f"observation = {form!r} is not known; known: {', '.join(FORMS)}")


def make_observation_space(encoder: Encoder, form: Form) -> spaces.Dict:
    """Return the space of what a seat sees, with the mask of its actions."""
    seen: spaces.Space[Any] = _make_box(encoder.most)
    if form == "dict":
        seen = spaces.Dict({name: _make_box(encoder.most[part]) for name, part in encoder.fields.items()})
    mask = spaces.Box(0, 1, (len(encoder.choices),), np.int8)
    return spaces.Dict({"observation": seen, "action_mask": mask})


def _make_box(most: Row) -> spaces.Box:
    return spaces.Box(np.zeros_like(most), most, dtype=np.uint8)


def observe(encoder: Encoder, table: EnvTable, seat: int, form: Form) -> dict[str, Any]:
    """Return what a seat sees; its mask is empty unless it must choose now."""
    row = encoder.encode([table], [seat])[0]
    chooses = seat == table.seat
    mask = np.frombuffer(table.row, dtype=np.int8).copy() if chooses else np.zeros(len(table.row), np.int8)
    seen = {name: part.copy() for name, part in encoder.split(row).items()} if form == "dict" else row
    return {"observation": seen, "action_mask": mask}
