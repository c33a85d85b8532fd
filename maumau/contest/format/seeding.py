"""Keys of stages about seeds, and guests: the check that the formats have a use for them."""

from __future__ import annotations

from collections.abc import Sequence

from maumau.contest.format import FORMATS
from maumau.contest.format.stage import Stage
from maumau.contest.strict import name_field
from maumau.errors import BadSpec


def check_seeds(stages: Sequence[Stage], guests: Sequence[str]) -> None:
    """Raise BadSpec for lists, accounts and guests that a stage has no use for."""
    for number, stage in enumerate(stages, start=1):
        _check_given(stage, f"stage {number}.given")
        its_format = FORMATS[stage.format]
        if stage.apart and not (its_format.has_bracket or its_format.has_groups):
            where = f"stage {number}.apart"
            possible = ", ".join(one.name for one in FORMATS.values() if one.has_bracket or one.has_groups)
            words = (
                f"seeds do not decide in {stage.format} who meets late, so bots cannot be"
                f" kept apart; they can in {possible}"
            )
            raise BadSpec(f"{where}: {words}.", field=name_field(where))
    if guests and FORMATS[stages[0].format].has_bracket:
        words = "stage 1 is a knock-out, in which no guest plays; let them play in an earlier stage"
        raise BadSpec(f"entries.guests: {words}.", field="entries.guests")


def _check_given(stage: Stage, where: str) -> None:
    """Raise BadSpec unless there are names exactly where seeds are given, each once."""
    if (stage.seeds == "given") != bool(stage.given):
        words = 'seeds = "given" needs the names of the best seeds in `given`, and `given` needs it'
        raise BadSpec(f"{where}: {words}.", field=name_field(where))
    if len(set(stage.given)) < len(stage.given):
        raise BadSpec(f"{where}: a bot is named twice.", field=name_field(where))
