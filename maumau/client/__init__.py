"""Clients of an arena's services, and their answers as plain structs.

`Arena` is imported when it is first asked for: the answers can be had without gRPC, which is an extra.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maumau.client.arena import Arena as Arena


def __getattr__(name: str) -> Any:
    if name != "Arena":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from maumau.client.arena import Arena

    return Arena
