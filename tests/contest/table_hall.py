"""A hall of tables: a contest of real deals that takes down what happens, as the arena links it."""

from maumau.contest.export.chain import (
    Booking,
    Chain,
    Decision,
    End,
    Retaking,
    list_departures,
)
from maumau.contest.export.line import result_digest
from maumau.contest.export.verify import verify
from maumau.contest.judge import judge_match
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.spec.spec import parse_spec
from tests.contest.conftest import SECRET, Arena, entrants

HALL = """
name = "hall"
rules = "prsi"
[[stage]]
format = "tables"
seats = {seats}
rounds = {rounds}
[match]
block = 1
cap = 2
"""


def make_hall(seats, rounds, more=""):
    """Return the spec of a short contest at tables. more: later stages."""
    head, match = HALL.format(seats=seats, rounds=rounds).split("[match]")
    return parse_spec(f"{head}{more}[match]{match}")


class Hall(Arena):
    """Tables that are decided in any order, and left in between. happened: its events so far."""

    def __init__(self, spec, count):
        super().__init__(spec, SECRET, entrants(count))
        self.happened, self.given, self.takes = [], {}, {}
        self.gone = {"withdrawn": set(), "disqualified": set()}

    @property
    def now(self):
        return advance_schedule(self.spec, self.entrants, self.given.values())

    def _begin(self, plan):
        """Take the first block of a match down, unless it is there."""
        if self.plans.get(plan.label) != plan:
            self.takes[plan.label] = self.takes.get(plan.label, 0) + 1
            self.plans[plan.label] = plan
            self._book(plan.label, 0)

    def _book(self, label, number):
        self.happened.append(Booking(label, self.takes[label], number, self.digest(label, number)))

    def begin(self, label):
        self._begin(self.now.known[label])

    def decide(self, *labels):
        """Play these matches to their ends."""
        for label in labels:
            plan = self.now.known[label]
            self._begin(plan)
            verdict = judge_match(self.spec, plan, [score for score, _ in self.sets(label)])
            for number in range(1, verdict.counted // self.spec.match.block):
                self._book(label, number)
            self.happened.append(Decision(label, self.takes[label], result_digest(verdict)))
            self.given[label] = verdict

    def leave(self, *numbers, kind="withdrawn"):
        """Let entrants go one after the other; matches that they spoil are taken back."""
        for number in numbers:
            before = {event.key for event in list_departures(self.entrants)}
            self.gone[kind].add(number)
            self.entrants = entrants(len(self.entrants), **self.gone)
            self.happened += [one for one in list_departures(self.entrants) if one.key not in before]
            known = self.now.known
            for label, plan in sorted(self.plans.items()):
                if known.get(label) != plan:
                    self.happened.append(Retaking(label, self.takes[label]))
                    self.given.pop(label, None)
                    del self.plans[label]

    def finish(self):
        while not (now := self.now).done:
            self.decide(*(plan.label for plan in now.matches))
        return self

    def chain(self, results, bookings=None):
        return Chain([*self.happened, End(self.compared(results))], self.version)

    def check(self, path, happened=None):
        """Write the export, with these events if any are given, and verify it."""
        self.happened = self.happened if happened is None else happened
        self.write(path, list(self.now.verdicts))
        return verify(path)
