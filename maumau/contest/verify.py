"""Checks an export without a server (docs/verify.md): everything in it is derived again and compared.

Sums and hashes find what was damaged. The rest is found by meaning: the commitment and the entries' root,
every deal's seed, every record played again, every score, verdict, pairing, rating, tie-break and table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from maumau.contest.difference import Difference
from maumau.contest.line import TermsLine
from maumau.contest.recheck import Check, JobCheck, Map
from maumau.contest.sheet import Misread, Sheet

MAX_DIFFERENCES = 20
"""Differences that a report lists."""


class Report(msgspec.Struct, frozen=True):
    """What was read and played again, and what differs: the first differences, and how many there are.

    differences: the first `MAX_DIFFERENCES`, damage first, then what follows from what.
    secret: "given" or "drawn", as the export says, for it follows from nothing; "" if it does not say.
    compared: the hash of all that two runs with one secret have in common. links: of the chain.
    missed: of the hashes that somebody saw those that are neither `compared` nor a link.
    retaken: for each match that was taken back and played again, and counts as it was played then, the number
    of the link from which on it was: the links before say nothing of it.
    fresh_seeds: for each match that was retaken with fresh seeds, the number of the take that they came with.
    reasons: for each match that was begun again, why, for each take from the second on; as the export says.
    opened, unopened: the entrants whose nonces are in the seeds, and those who never opened theirs.
    """

    lines: int
    matches: int
    sets: int
    differences: tuple[Difference, ...]
    differing: int
    secret: str = ""
    compared: str = ""
    links: int = 0
    missed: tuple[str, ...] = ()
    retaken: dict[str, int] = {}
    fresh_seeds: dict[str, int] = {}
    reasons: dict[str, tuple[str, ...]] = {}
    opened: tuple[str, ...] = ()
    unopened: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything agrees."""
        return not self.differing and not self.missed


def verify(path: Path, map: Map = map, seen: Sequence[str] = ()) -> Report:  # noqa: A002 - as the built-in
    """Check an export; `UnreadableExport` if there is no such file.

    map: how records are played again. seen: hashes that the arena told while it played or at the end, or
    how they begin.
    """
    sheet = Sheet()
    check = Check(sheet)
    try:
        sheet.read(path)
        if isinstance(sheet.items["spec"][0].line, TermsLine):
            check = JobCheck(sheet)
        check.spec()
        check.records(path, map)
        check.matches()
        check.tables()
        check.measured()
        check.chain()
    except Misread as misread:
        check.found.append(misread.difference)
    found = list(dict.fromkeys((*sheet.differences, *check.found)))
    counts = sheet.lines, len(check.verdicts) or len(check.labels), len(check.checked)
    known = {sheet.compared, *check.links}
    missed = tuple(hash_ for hash_ in seen if not any(each.startswith(hash_) for each in known))
    first, told = tuple(found[:MAX_DIFFERENCES]), (check.secret, sheet.compared)
    drawn = [one for one in check.entrants if one.commitment]
    return Report(
        *counts, first, len(found), *told, len(check.links), missed,
        retaken=check.retaken, fresh_seeds=check.fresh, reasons=check.reasons,
        opened=tuple(one.name for one in drawn if one.nonce),
        unopened=tuple(one.name for one in drawn if not one.nonce),
    )  # fmt: skip
