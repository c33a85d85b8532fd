"""The law: what counts as a violation, and what it costs.

"Jeder Regelverstoß wird mit einer Strafkarte geahndet." Where the players watch over the rules (`detection:
accuse`) only who is accused is punished, and who accuses wrongly is punished himself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maumau.errors import BadVariant
from maumau.game import plenum
from maumau.game.action import VIOLATIONS
from maumau.game.court import Violation
from maumau.game.state import State

if TYPE_CHECKING:
    from maumau.game.clause import Breach
    from maumau.game.compiled import CallRule
    from maumau.game.rules import Rules


class Law:
    """The law at a table: what is a violation, who punishes it, and how long it can be accused."""

    __slots__ = (
        "accusations", "always", "by_player", "count_out", "facts", "full", "kinds", "own_zug",
        "plenum", "reports", "sorry", "span", "surplus", "tie_accuser", "willi",
    )  # fmt: skip

    def __init__(self, rules: Rules, clauses: list[Breach], mau: CallRule | None) -> None:
        named = [kind for clause in clauses for kind in clause.kinds]
        for kind in named:
            if kind not in VIOLATIONS:
                raise BadVariant(f"{kind!r} is not a violation; known are {', '.join(VIOLATIONS)}")
        self.kinds = [kind for kind in VIOLATIONS if kind in named]
        self.facts = [kind for clause in clauses if clause.fact for kind in clause.kinds]
        self.reports = bool(self.kinds) and rules.word("detection") == "accuse"
        self.plenum = rules.word("plenum") == "appeal"
        self.tie_accuser = rules.word("plenum_tie") == "accuser"
        self.own_zug = mau is not None and mau.own_zug
        self.span = 2 if rules.word("accuse_until") == "zug_after_next" else 1
        self.by_player = rules.word("straf_pickup") == "player"
        self.always = rules.flag("mau_always")
        self.surplus = rules.flag("overdraw_to_side")
        self.count_out = rules.flag("count_out")
        self.willi = "willi" in self.kinds
        self.sorry = "sorry" in self.kinds
        self.full = "card" in self.kinds
        self.accusations: dict[tuple[int, int], list[str]] = {}


def commit_violation(d: State, seat: int, kind: str, before: State | None = None, card: int = 0) -> None:
    """The seat has violated the rules: it can be accused of it now, or is punished at once."""
    law, court = d.compiled.law, d.court
    if law is None or court is None or kind not in law.kinds:
        return
    violation = Violation(seat, kind, law.span, court.zug)
    violation.before, violation.card = before, card
    if law.reports:
        court.guilt += (violation,)
    else:
        plenum.convict_accused(d, violation)
