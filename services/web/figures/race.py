"""The figure of a race: for each bot the line of its chance from batch to batch, in a box. Pure."""

from collections.abc import Sequence

WIDTH, HEIGHT = 1000, 100


def draw_chances(chances: Sequence[float]) -> str:
    """Return the path of chances from 0, at the bottom, to 1; the first batch is at the left edge."""
    steps = [*chances, chances[-1]] if len(chances) == 1 else list(chances)
    across = WIDTH / (len(steps) - 1)
    return "M" + "L".join(
        f"{round(number * across, 1)} {round(HEIGHT * (1 - chance), 1)}"
        for number, chance in enumerate(steps)
    )
