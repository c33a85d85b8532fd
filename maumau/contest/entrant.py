"""Entrants: immutable versions of bots, identified by number in the order of entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from maumau.errors import BadResult, TooFewEntrants

MOST_ENTRANTS: Final = 256

Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Hash = Annotated[str, Meta(pattern=r"^([0-9a-f]{64})?\Z")]
"""64 hex digits, or nothing."""


class Entrant(msgspec.Struct, frozen=True):
    """number: 1, 2, 3 … in the order of entry. sha256: content hash of its artifact, 64 hex digits.

    withdrawn: taken back during play; it loses every match that is not yet decided.
    commitment: SHA-256 of a nonce that its author drew, "" if none was; nonce: as it was opened, "" if not.
    disqualified: why, "" if it was not; it loses every match, whatever was played.
    account: its author's, where the spec keeps bots of one account apart. lot: where it draws seeds
    (`seed.draw_lot`). guest: plays and is rated, but takes no place, seed or prize.
    """

    number: Annotated[int, Meta(ge=1)]
    name: str
    sha256: Sha256
    withdrawn: bool = False
    commitment: Hash = ""
    nonce: Hash = ""
    disqualified: str = ""
    account: str = ""
    lot: Hash = ""
    guest: bool = False


def check_entrants(entrants: Sequence[Entrant]) -> None:
    """Raise an error unless there are two or more, numbered 1, 2, 3 … without a gap."""
    if len(entrants) < 2:
        raise TooFewEntrants(f"A tournament needs two entrants or more, it has {len(entrants)}.")
    if len(entrants) > MOST_ENTRANTS:
        raise BadResult(f"A tournament has at most {MOST_ENTRANTS} entrants, not {len(entrants)}.")
    if [entrant.number for entrant in entrants] != list(range(1, len(entrants) + 1)):
        raise BadResult("Entrants are numbered 1, 2, 3 … in the order of entry.")
