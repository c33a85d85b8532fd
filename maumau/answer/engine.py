"""What the engine answers about its tables."""

from __future__ import annotations

from msgspec import Struct


class TablePlayer(Struct, frozen=True):
    """Who plays at a seat of a live table; bot_name: "" for a person."""

    account_id: str
    account_name: str
    bot_name: str
