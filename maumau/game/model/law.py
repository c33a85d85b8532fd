"""The law: which violations there are, and their penalty.

"Jeder Regelverstoß wird mit einer Strafkarte geahndet." Where the players watch over the rules (`detection:
accuse`) only accused players are punished, as are those who accuse wrongly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maumau.errors import BadVariant
from maumau.game.notation.action import VIOLATIONS

if TYPE_CHECKING:
    from maumau.game.ruleset.clause import Breach
    from maumau.game.ruleset.rules import Rules


class Law:
    """The law at a table: which violations there are, who punishes them, and how long they can be accused.

    Where a variant has no clause of it, whatever its options, it does not apply, and knows no violation.
    """

    __slots__ = (
        "accusations",
        "always",
        "applies",
        "by_player",
        "count_out",
        "facts",
        "full",
        "kinds",
        "own_zug",
        "plenum",
        "reports",
        "sorry",
        "span",
        "surplus",
        "tie_accuser",
        "willi",
    )

    def __init__(self, rules: Rules, clauses: list[Breach], *, own_zug: bool) -> None:
        self.applies = bool(rules.variant.violation)
        named = [kind for clause in clauses for kind in clause.kinds]
        for kind in named:
            if kind not in VIOLATIONS:
                raise BadVariant(f"{kind!r} is not a violation; known: {', '.join(VIOLATIONS)}")
        self.kinds = [kind for kind in VIOLATIONS if kind in named]
        self.facts = [kind for clause in clauses if clause.fact for kind in clause.kinds]
        self.reports = bool(self.kinds) and rules.word("detection") == "accuse"
        self.plenum = rules.word("plenum") == "appeal"
        self.tie_accuser = rules.word("plenum_tie") == "accuser"
        self.own_zug = own_zug
        self.span = 2 if rules.word("accuse_until") == "zug_after_next" else 1
        self.by_player = rules.word("straf_pickup") == "player"
        self.always = rules.flag("mau_always")
        self.surplus = rules.flag("overdraw_to_side")
        self.count_out = rules.flag("count_out")
        self.willi = "willi" in self.kinds
        self.sorry = "sorry" in self.kinds
        self.full = "card" in self.kinds
        self.accusations: dict[tuple[int, int], list[str]] = {}
