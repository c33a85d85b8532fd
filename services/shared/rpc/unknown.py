"""The answer to a call of a service that is not on this server: which ones are, and what to type."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc

SHOWN_METHOD = 100  # characters of a method's name
COMMON = ("ActionService", "StatusService")  # on every server


def refuse_unknown(method: str, services: Sequence[str]) -> Any:
    """Return a handler that refuses the call, of any kind."""
    words = explain_unknown(method, services)

    async def refuse(_requests: Any, context: Any) -> AsyncIterator[bytes]:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, words)
        yield b""

    return grpc.stream_stream_rpc_method_handler(refuse)


def explain_unknown(method: str, services: Sequence[str]) -> str:
    """Return why there is no such method: another service answers here, or this one is of another release."""
    wanted, _, name = method[1 : SHOWN_METHOD + 1].partition("/")
    if wanted in services:
        return f"{wanted} of this arena has no {name}: its release is another one than yours"
    here = [one.rpartition(".")[2] for one in services]
    named = " and ".join(one for one in here if one not in COMMON) or "no service"
    return (
        f"{named} answers here, and not {wanted.rpartition('.')[2]}: name the address of the arena's page"
        " or of its RegistryService, as in --arena http://HOST:7100; the arena tells the other ports"
    )
