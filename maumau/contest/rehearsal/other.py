"""Other formats for the same bots: a contest of each registered format that costs as much.

The cost is the mean number of deal sets. It is met by the length of a match: block and cap are multiplied by
a factor, and delta divided by its root, so that a match between equal bots goes on for that much longer and
is otherwise the same. The factor is found with some of the contests, then checked with all.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from maumau.contest.format import FORMATS
from maumau.contest.format.stage import Stage
from maumau.contest.match_rule import MatchRule
from maumau.contest.rehearsal.play import make_entrants
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.score import SEATINGS
from maumau.contest.spec.spec import Spec, build_spec, check_start
from maumau.contest.strict import write_table
from maumau.errors import BadSpec, MaumauError

TOLERANCE: Final = 0.05
"""By how much mean costs may differ and still be called equal."""

MOST_BLOCK: Final = 1000
MOST_CAP: Final = 100_000
MOST_DELTA: Final = 0.49
"""The bounds of a spec's keys."""

PILOTS: Final = 6
CLOSE: Final = 0.02
"""The most corrections of a factor, and the relative distance from the cost that is near enough."""

FLATTEST: Final = 0.4
"""The exponent of cost by factor is at least this; between equal bots it is 1."""


def scale_match(match: MatchRule, factor: float) -> MatchRule:
    """Return the rule of matches that are this many times as long, as far as a spec can say it."""
    block = min(max(round(match.block * factor), 1), MOST_BLOCK)
    blocks = min(max(round(match.cap * factor / block), 1), MOST_CAP // block)
    cap = block * blocks
    longer = msgspec.structs.replace(match, block=block, cap=cap)
    if match.kind == "fixed":
        return msgspec.structs.replace(longer, sets=cap)
    if match.wins is not None:
        return msgspec.structs.replace(longer, wins=min(max(round(match.wins * factor), 1), cap))
    delta = min(float(f"{match.delta / math.sqrt(factor):.3g}"), MOST_DELTA)
    return msgspec.structs.replace(longer, delta=delta)


def find_equal_match(match: MatchRule, wanted: float, measure: Callable[[MatchRule], float]) -> MatchRule:
    """Return the scaled rule with which a contest costs what is wanted, or the nearest that was found.

    measure: the mean cost of contests with such a rule.
    """
    factor, slope = 1.0, 1.0
    tried: list[tuple[float, float, MatchRule]] = []
    for _ in range(PILOTS):
        rule = scale_match(match, factor)
        tried.append((math.log(factor), math.log(measure(rule) / wanted), rule))
        if abs(tried[-1][1]) < CLOSE:
            break
        if len(tried) > 1 and tried[-1][0] != tried[-2][0]:
            slope = (tried[-1][1] - tried[-2][1]) / (tried[-1][0] - tried[-2][0])
        factor = math.exp(tried[-1][0] - tried[-1][1] / min(max(slope, FLATTEST), 1.5))
    return min(tried, key=lambda one: abs(one[1]))[2]


def list_others(spec: Spec, bots: int) -> Iterator[tuple[str, Spec | MaumauError]]:
    """Yield every registered format with a contest of it, or with the reason why the field cannot play one.

    The contest's own format is left out, if it has a single stage with the keys that it would have here.
    """
    for name in FORMATS:
        try:
            other = _choose_keys(spec, name, bots)
        except MaumauError as error:
            yield name, error
            continue
        if [stage.shown for stage in spec.stages] != [stage.shown for stage in other.stages]:
            yield name, other


def _choose_keys(spec: Spec, name: str, bots: int) -> Spec:
    """Return a contest of one stage of this format with its usual keys; raise its error if it has none."""
    keys = {"format": name, **FORMATS[name].usual}
    if spec.most_seats > SEATINGS and spec.most_seats in FORMATS[name].seats:
        keys["seats"] = spec.most_seats
    found = replace_stages(spec, [keys], bots)
    if found.most_seats != spec.most_seats:
        words = f"{found.most_seats} sit at its tables, not {spec.most_seats}, so the two cannot be compared"
        raise BadSpec(f"stage: {words}.", field="stage")
    check_playable(found, bots)
    return found


def replace_stages(spec: Spec, stages: list[dict[str, Any]], bots: int) -> Spec:
    """Return the spec with these stages for exactly this many bots; raise what a spec's checks raise."""
    table = tomllib.loads(spec.to_toml())
    table["stage"] = stages
    table.setdefault("entries", {})["most"] = bots
    return build_spec(table)


def check_playable(spec: Spec, bots: int) -> None:
    """Raise an error if a field of this size cannot begin, or plays whole games."""
    if spec.plays_games:
        raise BadSpec(
            "game: a rehearsal draws single deals; whole games cannot be rehearsed yet.", field="game"
        )
    check_start(spec, bots)
    advance_schedule(spec, make_entrants(bots), [])


def say_keys(stage: Stage) -> str:
    """Return what a stage has beside its format, as a spec says it, "" for nothing."""
    keys = {key: value for key, value in stage.shown.items() if key != "format"}
    defaults = {"seeds": "entry", "third_place": False}
    table = {key: value for key, value in keys.items() if defaults.get(key) != value}
    return ", ".join(write_table(table).splitlines())
