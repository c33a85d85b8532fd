"""Environments for learners: PettingZoo's, Gymnasium's, and many tables at once.

    from maumau.env import env

    table = env("prsi", seats=3)

docs/tutorial/train.md goes from ten lines to a trained bot; docs/reference/env.md describes actions and
observations. It needs the extra `train`.
"""

from __future__ import annotations

from maumau.process.extra import say_install

try:
    import gymnasium  # noqa: F401
    import pettingzoo  # noqa: F401
except ImportError as error:
    raise ImportError(f"maumau.env needs the extra `train` ({error}): {say_install('train')}") from None

from maumau.env.aec import TableEnv, env, raw_env
from maumau.env.choices import Choices
from maumau.env.observation import Encoder
from maumau.env.seat import SeatEnv, seat_env
from maumau.env.vector import Step, VectorEnv, vector_env

__all__ = [
    "Choices",
    "Encoder",
    "SeatEnv",
    "Step",
    "TableEnv",
    "VectorEnv",
    "env",
    "raw_env",
    "seat_env",
    "vector_env",
]
