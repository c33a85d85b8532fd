"""Mystery rules and trials as messages."""

from maumau.v1 import game_pb2, registry_pb2
from maumau.v1 import tournament_pb2 as pb
from services.shared.base.auth import Identity
from services.shared.rpc.registry import TrialOutcome
from services.shared.rpc.timestamp import to_past_timestamp
from services.tournament.domain.sealed import find_commitment, read_rules, write_draft
from services.tournament.models import Tournament
from services.tournament.organising.mystery import WantedTrial, describe_refusal
from services.tournament.organising.permission import is_organiser


def is_sealed(row: Tournament) -> bool:
    """Return True if a tournament has rules that are not revealed yet."""
    return bool(row.sealed) and not row.revealed_at


def mystery_message(row: Tournament, who: Identity, *, listed: bool) -> pb.Mystery | None:
    """Return mystery rules as the caller may see them, in short in lists; None if a tournament has none."""
    if not row.sealed:
        return None
    found, is_open = read_rules(row.sealed), bool(row.revealed_at)
    is_own = is_organiser(who, row)
    trials = [pb.TrialRules(name=one.name, variant_toml=one.text) for one in found.trials]
    return pb.Mystery(
        commitment=find_commitment(row),
        reveal_at=to_past_timestamp(row.reveal_at),
        revealed_at=to_past_timestamp(row.revealed_at),
        salt=found.salt if is_open else "",
        sealed_toml=found.text if is_open or is_own else "",
        trials=trials if is_open and not listed else [],
        draft_toml=write_draft(row) if is_own and not (is_open or listed) else "",
    )


def terms_message(trial: WantedTrial) -> registry_pb2.TrialTerms:
    """Return the terms of a validation for one tournament."""
    rules = [game_pb2.RuleSet(name=one.name, variant_toml=one.text) for one in trial.variants]
    limits = {"deal_ms": trial.deal_ms, "memory_mib": trial.memory}
    return registry_pb2.TrialTerms(rules=rules, seats=trial.seats, **limits)


def trial_message(row: Tournament, found: TrialOutcome) -> pb.GetTrialResponse:
    """Return what the author of a bot may know of its validation."""
    words = describe_refusal(found.reason) if found.state == "refused" else ""
    log = found.log if row.revealed_at else ""
    return pb.GetTrialResponse(state=f"TRIAL_STATE_{found.state.upper()}", words=words, log=log)
