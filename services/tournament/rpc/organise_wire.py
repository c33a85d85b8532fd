"""Previews as messages, and what callers say that they have seen."""

from typing import Any

from maumau.errors import BadRequest
from maumau.v1 import tournament_pb2 as pb
from services.shared.rpc.timestamp import to_past_timestamp
from services.tournament.models import Tournament
from services.tournament.organising.preview import MATCHES, Preview
from services.tournament.rpc import wire

AS_THEY_ARE = (*MATCHES, "sets_lost")


def preview_message(found: Preview, tournament: Tournament) -> pb.Preview:
    """Return a preview as a message. tournament: unchanged, so that no nonce is shown before its time."""
    return pb.Preview(
        state=f"TOURNAMENT_STATE_{found.state.upper()}",
        starting=found.starting,
        due_at=to_past_timestamp(found.due_at) if found.state in wire.WAITING else None,
        entries=[wire.build_entry(one, tournament) for one in found.entries],
        entries_gone=[wire.build_entry(one, tournament) for one in found.entries_gone],
        left=pb.WorkLeft(**found.left._asdict()),
        left_now=pb.WorkLeft(**found.left_now._asdict()),
        spec=[pb.SpecKeyChange(**one._asdict()) for one in found.spec],
        **{name: getattr(found, name) for name in AS_THEY_ARE},
    )


def read_seen_state(request: Any) -> str:
    """Return the state that a caller has seen, in the store's words; "" if it says none.

    Raises:
        BadRequest: if there is no such state.
    """
    if not request.state:
        return ""
    known = request.DESCRIPTOR.fields_by_name["state"].enum_type.values_by_number
    if request.state not in known:
        raise BadRequest(f"There is no state {request.state}.", field="state")
    name: str = known[request.state].name
    return name.rpartition("_STATE_")[2].lower()
