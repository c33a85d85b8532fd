"""Previews as messages."""

from maumau.v1 import tournament_pb2 as pb
from services.tournament import wire
from services.tournament.models import Tournament
from services.tournament.organise.preview import MATCHES, Preview

AS_THEY_ARE = (*MATCHES, "sets_lost")


def preview_message(found: Preview, tournament: Tournament) -> pb.Preview:
    """tournament: as it stands, so that no nonce is shown that the change would publish."""
    return pb.Preview(
        state=f"TOURNAMENT_STATE_{found.state.upper()}",
        due_at=wire.past(found.due_at) if found.state in wire.WAITING else None,
        entries=[wire.entry(one, tournament) for one in found.entries],
        entries_gone=[wire.entry(one, tournament) for one in found.entries_gone],
        left=pb.WorkLeft(**found.left._asdict()),
        left_now=pb.WorkLeft(**found.left_now._asdict()),
        spec=[pb.SpecKeyChange(**one._asdict()) for one in found.spec],
        **{name: getattr(found, name) for name in AS_THEY_ARE},
    )
