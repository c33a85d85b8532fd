"""A knock-out at tables of more than two: of each table the best go on, until all who are left sit at one.

A round fills as few tables as the seats allow, in sizes that differ by at most one; where some table would
have no more players than go on from it, there is one table fewer, and the best seeds have a bye. Rows of the
field are dealt to the tables in a snake: those with a bye first, then the winners of their tables, then the
second, each in the order of their seeds. Within a row they change tables until as few as possible sit with
somebody whom they have met in this stage, or with `apart` with a bot of their own account.

Whoever leaves is missing at its table if that is not decided (`find_players`); those who stay play, and where
no more stay than go on, all of them go on without a match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from maumau.contest.format.bracket.assignment import assign
from maumau.contest.format.draw import Draw, Find, Group, Round
from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.format.table_draw import list_sizes

LATE: Final = ("final", "semi-final")


class Cut(NamedTuple):
    """The shape of a stage: its number, the most seats of a table, how many of a table go on.

    is_apart: bots of one account count as having met.
    """

    stage: int
    seats: int
    through: int
    is_apart: bool = False


def schedule_tables(cut: Cut, seeds: Sequence[int], find: Find) -> Draw:
    """Return the rounds as far as the results determine them."""
    course = _Course(cut, seeds, find)
    field: list[int] | None = list(seeds)
    while field is not None and len(field) > 1:
        field = course.play(field)
    groups = course.groups(() if field is None else tuple(field))
    drawn = tuple(course.drawn)
    return Draw(tuple(seeds), tuple(course.rounds), groups, field is not None, drawn=drawn)


def count_sizes(players: int, seats: int, through: int) -> tuple[int, list[int]]:
    """Return the number of byes of a round, and the sizes of its tables."""
    if players <= seats:
        return 0, [players]
    tables = -(-players // seats)
    if players < tables * (through + 1):
        tables -= 1
    seated = min(players, tables * seats)
    return players - seated, list_sizes(seated, seats)


def count_left(players: int, seats: int, through: int) -> int:
    """Return how many rounds a field of this size has if nobody leaves."""
    rounds = 1
    while players > seats:
        byes, sizes = count_sizes(players, seats, through)
        players, rounds = byes + through * len(sizes), rounds + 1
    return rounds


class _Course:
    """The rounds played so far. lost: who went out in each. drawn: to each table, even if they have left."""

    def __init__(self, cut: Cut, seeds: Sequence[int], find: Find) -> None:
        self.cut, self.seeds, self.find = cut, seeds, find
        self.rank = {entrant: place for place, entrant in enumerate(seeds)}
        self.met: dict[int, set[int]] = {one: self._list_kin(one) if cut.is_apart else set() for one in seeds}
        self.rounds: list[Round] = []
        self.lost: list[tuple[int, ...]] = []
        self.drawn: list[tuple[str, tuple[int, ...]]] = []

    def _list_kin(self, one: int) -> set[int]:
        account = self.find.account_of(one)
        return {other for other in self.seeds if self.find.account_of(other) == account} - {one}

    def play(self, field: list[int]) -> list[int] | None:
        """Add a round of this field; return the entrants that advance, None while it is open."""
        turn, (_, seats, through, _) = len(self.rounds) + 1, self.cut
        byes, sizes = count_sizes(len(field), seats, through)
        is_final = len(field) <= seats
        tables = _seat_field(field[byes:], sizes, self.met)
        ahead = [field[:byes]]
        free, plans, is_open = field[:byes], list[MatchPlan](), False
        for board, table in enumerate(tables, start=1):
            order = tuple(sorted(table, key=self.rank.__getitem__))
            on, plan = self._play_table(turn, board, order, 1 if is_final else through)
            plans += [plan] if plan else []
            free += on or () if plan is None else ()
            is_open |= on is None
            ahead.append(list(on or ()))
        name = self._name(turn, len(field))
        self.rounds.append(Round(turn, name, tuple(plans), tuple(free)))
        return None if is_open else self._end(field, tables, ahead)

    def _play_table(
        self, turn: int, board: int, table: tuple[int, ...], through: int
    ) -> tuple[Sequence[int] | None, MatchPlan | None]:
        """Return the entrants that advance from a table, best first, None while it is open; and its match."""
        label = f"{self.cut.stage}.{turn}.{board}"
        self.drawn.append((label, table))
        players = self.find.find_players(label, table)
        if len(players) <= through:
            return players, None
        first, second, *others = players
        plan = MatchPlan(
            label=label,
            stage=self.cut.stage,
            round=turn,
            number=board,
            first=first,
            second=second,
            bracket=True,
            better_seed=first,
            others=tuple(others),
            through=through if others else 0,
        )
        verdict = self.find(plan)
        return (None if verdict is None else _list_ahead(verdict)), plan

    def _end(self, field: list[int], tables: list[list[int]], ahead: list[list[int]]) -> list[int]:
        """Note who is out after a round, and who has met; return the field of the next one."""
        place = {one: place for part in ahead[1:] for place, one in enumerate(part, start=1)}
        on = [*ahead[0], *sorted(place, key=lambda one: (place[one], self.rank[one]))]
        self.lost.append(tuple(one for one in field if one not in set(on)))
        for table in tables:
            for one in table:
                self.met[one] |= set(table) - {one}
        return on

    def _name(self, turn: int, players: int) -> str:
        left = count_left(players, self.cut.seats, self.cut.through)
        return LATE[left - 1] if left <= len(LATE) else f"round {turn}"

    def groups(self, champion: tuple[int, ...]) -> tuple[Group, ...]:
        """Return the groups: entrants still in, then eliminated ones, the last round first."""
        out = {entrant for losers in self.lost for entrant in losers}
        still = champion or tuple(one for one in self.seeds if one not in out)
        groups = [Group(still, "final" if champion else "bracket")]
        groups += [Group(losers, "bracket") for losers in reversed(self.lost)]
        return tuple(group for group in groups if group.entrants)


def _list_ahead(verdict: Verdict) -> Sequence[int]:
    """Return the entrants that advance after a decided match, best first."""
    if verdict.through:
        return verdict.ahead
    return () if verdict.winner is None else (verdict.winner,)


def _seat_field(field: Sequence[int], sizes: Sequence[int], met: dict[int, set[int]]) -> list[list[int]]:
    """Return the tables of a round. met: with whom each has sat."""
    tables: list[list[int]] = [[] for _ in sizes]
    for row, columns in _deal_rows(field, sizes):
        clashes = [[len(met[one].intersection(tables[column])) for one in row] for column in columns]
        for column, choice in zip(columns, _choose(clashes), strict=True):
            tables[column].append(row[choice])
    return tables


def _deal_rows(field: Sequence[int], sizes: Sequence[int]) -> Iterator[tuple[Sequence[int], list[int]]]:
    """Yield the entrants of each row with their tables, from left to right and back."""
    start = 0
    for row in range(max(sizes)):
        columns = [column for column, size in enumerate(sizes) if row < size]
        yield field[start : start + len(columns)], columns if row % 2 == 0 else columns[::-1]
        start += len(columns)


def _choose(clashes: Sequence[Sequence[int]]) -> list[int]:
    """Return the choice for each table with the fewest clashes at the worst one, the first served best."""
    if not any(map(any, clashes)):
        return list(range(len(clashes)))
    for worst in range(max(max(row) for row in clashes) + 1):
        choices = [[n for n, count in enumerate(row) if count <= worst] for row in clashes]
        if found := assign(choices):
            return found
    return list(range(len(clashes)))
