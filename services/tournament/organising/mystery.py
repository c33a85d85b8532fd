"""Mystery rules of a contest: sealing them, and the validation of those who enter."""

import re
from typing import Final, NamedTuple

from maumau.contest.mystery import new_salt, seal_spec, write_sealed
from maumau.contest.score import SEATINGS
from maumau.contest.spec.spec import Spec, parse_spec
from maumau.errors import NotValidated, TrialNotPassed, TrialPending
from maumau.rulebook.trial import TRIALS, TrialVariant, make_trials
from services.shared.rpc.registry import PlayableVersion, TrialOutcome
from services.tournament.domain.board import spec_of
from services.tournament.domain.sealed import SealedRules, find_commitment, read_rules, write_rules
from services.tournament.models import Tournament

DEEDS: Final = {
    "illegal": "an answer that is not allowed",
    "unreadable": "an answer that cannot be read",
    "crash": "it ended by itself",
    "time": "it was out of CPU time",
    "wall": "no answer in time",
    "output": "too much output",
    "memory": "too much memory",
    "start": "it did not start",
}
"""Descriptions of a bot's faults by kind; they say nothing of the variant."""
REFUSAL: Final = re.compile(r"in trial_(\d) at (\d+) seats[^:]*: (\w+): .*", re.DOTALL)
OTHER: Final = "it could not be started or built"


class WantedTrial(NamedTuple):
    """A validation that a version needs before it may enter. key: the commitment to the rules, and limits."""

    key: str
    variants: list[TrialVariant]
    seats: list[int]
    deal_ms: int
    memory: int


def seal_rules(spec: Spec, now: Tournament | None = None) -> tuple[Spec, str]:
    """Return the spec as it is shown until the reveal, and the rules as they are stored.

    Rules that do not change keep their salt, and with it commitment and variants. now: the tournament whose
    spec is replaced.
    """
    if spec.mystery is None:
        return spec, ""
    spec = parse_spec(spec.to_toml())  # as it is read after the reveal, when the commitment is checked
    text, seats = write_sealed(spec), list_seats(spec)
    if now and now.sealed and list_seats(spec_of(now.spec)) == seats:
        kept = read_rules(now.sealed)
        if kept.text == text:
            return seal_spec(spec, kept.salt), now.sealed
    salt = new_salt()
    sealed = SealedRules(salt, text, make_trials(salt, seats))
    return seal_spec(spec, salt), write_rules(sealed)


def list_seats(spec: Spec) -> range:
    """Return the numbers of seats at which a bot must play: a table may be smaller, when somebody leaves."""
    return range(SEATINGS, spec.most_seats + 1)


def check_played(version: PlayableVersion, spec: Spec) -> None:
    """Raise NotValidated unless a version plays what the spec has; mystery rules are for bots of any."""
    if spec.mystery and version.rules:
        known = ", ".join(sorted(version.rules))
        raise NotValidated(
            f"{version.bot_name} plays {known} alone. Where the rules are a mystery, bots play whose manifest"
            " names none: they read those that they are given."
        )
    for seats in list_seats(spec):
        version.check(spec.rules, seats)


def find_trial(row: Tournament) -> WantedTrial | None:
    """Return the validation that a version needs before it may enter; None if it needs none."""
    if not row.sealed:
        return None
    spec, sealed = spec_of(row.spec), read_rules(row.sealed)
    limits = spec.bot.deal_ms, spec.bot.memory
    key = "/".join(map(str, (find_commitment(row), *limits)))  # rules may stay where limits have changed
    return WantedTrial(key, sealed.trials, list(list_seats(spec)), *limits)


def check_trial(bot_name: str, tournament: str, found: TrialOutcome) -> None:
    """Raise unless the version has passed the variants made for this tournament."""
    if found.state == "passed":
        return
    if found.state == "refused":
        raise TrialNotPassed(
            f"{bot_name} has not passed the validation for {tournament}: {describe_refusal(found.reason)}."
            " The variants are published with the rules. Another version of it may try again."
        )
    begun = {"playing": "A worker plays it now", "none": "Entering begins it"}
    raise TrialPending(
        f"{bot_name} is first validated in {TRIALS} variants that were made for {tournament}."
        f" {begun.get(found.state, 'It waits for a worker')}; enter it again when it has passed."
    )


def describe_refusal(reason: str) -> str:
    """Return what a bot did, from a worker's reason, without anything of the variant."""
    if not (found := REFUSAL.fullmatch(reason)):
        return OTHER
    number, seats, kind = found.groups()
    return f"{DEEDS.get(kind, OTHER)}, in variant {number} of {TRIALS} at {seats} seats"
