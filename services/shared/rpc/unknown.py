"""Answers to requests that no handler sees.

Those to a service that is not on this server tell which ones are, and what to type.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc

from services.shared.base.peer import read_peer
from services.shared.rpc.connection import Uses

SHOWN_METHOD = 100  # characters of a method's name
COMMON = ("ActionService", "StatusService")  # on every server


def refuse_unknown(method: str, services: Sequence[str]) -> Any:
    """Return a handler that refuses the call, of any kind."""
    words = explain_unknown(method, services)

    async def refuse(_requests: Any, context: Any) -> AsyncIterator[bytes]:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, words)
        yield b""

    return grpc.stream_stream_rpc_method_handler(refuse)


def refuse_fields(count: int, most: int, uses: Uses) -> Any:
    """Return a handler that refuses a call with too many header fields, and has its connection closed.

    gRPC bounds the bytes of a header, and passes it on all the same; a byte of HPACK may stand for a field.
    """

    async def refuse(_requests: Any, context: Any) -> AsyncIterator[bytes]:
        if peer := read_peer(context.peer()):
            uses.condemn(peer)
        words = f"the request has {count:,} header fields; {most} are the most"
        await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, words)
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
