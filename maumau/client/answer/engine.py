"""Answers of the engine about its tables."""

from __future__ import annotations

from msgspec import Struct


class TablePlayer(Struct, frozen=True):
    """The player at a seat of a live table; bot_name: "" for a person."""

    account_id: str
    account_name: str
    bot_name: str
