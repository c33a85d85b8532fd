"""Comparison of programs' sources, of which only figures leave the registry."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from maumau.contest.entrant import MOST_ENTRANTS
from maumau.errors import BadRequest, BadSubmission, UnknownArtifact
from maumau.protocol.limit import UploadLimits
from maumau.submission.likeness import (
    SourceLikeness,
    compare_sources,
    find_fingerprints,
    list_unreadable,
)
from maumau.submission.source import from_zip
from services.registry.intake.artifact import Artifacts

KEPT = 1024  # programs whose fingerprints stay in memory
HASH = re.compile(r"[0-9a-f]{64}")


class Sources:
    """Reader of programs' sources; safe for threads."""

    def __init__(self, artifacts: Artifacts, limits: UploadLimits) -> None:
        self.artifacts, self.limits = artifacts, limits
        self._find = lru_cache(KEPT)(self._read_fingerprints)

    def compare_sources(self, hashes: Iterable[str]) -> tuple[list[SourceLikeness], list[str]]:
        """Return the pairs with much in common, and the programs of which too little can be read."""
        programs = {one: self._find(one) for one in sorted(hashes)}
        return compare_sources(programs), list_unreadable(programs)

    def _read_fingerprints(self, sha256: str) -> frozenset[int]:
        """Return the fingerprints of a program, none if it is no longer there."""
        try:
            return find_fingerprints(from_zip(b"".join(self.artifacts.read(sha256)), self.limits))
        except (UnknownArtifact, BadSubmission):  # deleted since, or taken under other limits
            return frozenset()


def check_hashes(hashes: Sequence[str]) -> set[str]:
    """Return the hashes of a call; raise BadRequest if they are too many, or no hashes."""
    if len(hashes) > MOST_ENTRANTS:
        raise BadRequest(f"At most {MOST_ENTRANTS} programs are compared at once, not {len(hashes)}.")
    for one in hashes:
        if not HASH.fullmatch(one):
            raise BadRequest(f"{one[:80]!r} is not a content hash of 64 hex digits.")
    return set(hashes)
