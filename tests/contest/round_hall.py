"""A contest drawn round by round, of real deals, that takes down what happens, as the arena links it."""

from maumau.contest.export.chain import Booking, Chain, Decision, End, Retaking, list_departures
from maumau.contest.export.line import result_digest
from maumau.contest.export.verify import verify
from maumau.contest.judge import judge_match
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.spec.spec import parse_spec
from tests.contest.conftest import SECRET, Arena, entrants

HEAD = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\n'
MATCH = "\n[match]\nblock = 1\ncap = 2\n"


def make_rounds(stages):
    """Return the spec of a short contest. stages: the lines of the first, and the tables of the others."""
    return parse_spec(f"{HEAD}{stages}{MATCH}")


class RoundHall(Arena):
    """Rounds of pairs, left in between and played again. happened: its events so far."""

    def __init__(self, spec, count):
        super().__init__(spec, SECRET, entrants(count))
        self.happened, self.given, self.takes, self.linked = [], {}, {}, set()
        self.gone = {"withdrawn": set(), "disqualified": set()}
        self.settle()

    def _play_match(self, plan):
        """Play no more sets than can count."""
        match = self.spec.choose_match(plan.stage)
        return [self._set(plan, number) for number in range(match.cap + 10 * match.block * plan.bracket)]

    @property
    def open(self):
        """The labels of matches begun and not decided."""
        return [label for label in sorted(self.plans) if not self.given[label].decided]

    @property
    def now(self):
        return advance_schedule(self.spec, self.entrants, self.given.values())

    def settle(self):
        """Take back what no longer follows, link decisions, begin new matches, until nothing changes."""
        before = None
        while before != (before := (len(self.happened), dict(self.given))):
            plan = self.now
            walkovers = {one.label: one for one in plan.walkovers}
            overruled = walkovers.keys() & self.linked
            stands = {label for label, one in self.plans.items() if plan.known.get(label) == one} - overruled
            for label in sorted(self.plans.keys() - stands):
                self._take_back(label)
                del self.plans[label], self.given[label]
            for label in sorted(stands - self.linked):
                verdict = walkovers.get(label, self.given[label])
                if verdict.decided:
                    self._decide(verdict)
            for label in sorted(plan.known.keys() - self.plans.keys()):
                self.plans[label] = plan.known[label]
                self.takes[label] = self.takes.get(label, 0) + 1
                self.given[label] = judge_match(self.spec, plan.known[label], ())
                if label in walkovers:
                    self._decide(walkovers[label])

    def _take_back(self, label):
        self.happened.append(Retaking(label, self.takes[label]))
        self.linked.discard(label)

    def _decide(self, verdict):
        self.given[verdict.label] = verdict
        self.linked.add(verdict.label)
        self.happened.append(Decision(verdict.label, self.takes[verdict.label], result_digest(verdict)))

    def play(self, label):
        """Book all blocks of a match, without settling what follows."""
        plan = self.plans[label]
        verdict = judge_match(self.spec, plan, [score for score, _ in self.sets(label)])
        size = self.size_block(label)
        for number in range(verdict.counted // size):
            self.happened.append(Booking(label, self.takes[label], number, self.digest(label, number)))
        self.given[label] = verdict

    def decide(self, *labels):
        for label in labels:
            self.play(label)
            self.settle()

    def retake(self, label):
        """Take a decided match back, which is played again."""
        self._take_back(label)
        plan = self.plans.pop(label)
        del self.given[plan.label]
        self.settle()

    def leave(self, *numbers, kind="withdrawn"):
        for number in numbers:
            before = {event.key for event in list_departures(self.entrants)}
            self.gone[kind].add(number)
            self.entrants = entrants(len(self.entrants), **self.gone)
            self.happened += [one for one in list_departures(self.entrants) if one.key not in before]
            self.settle()

    def play_rounds(self, last):
        """Play all rounds up to this one."""
        while (now := self.now).matches and now.matches[0].round <= last:
            self.decide(now.matches[0].label)
        return self

    def finish(self):
        return self.play_rounds(10**6)

    def run(self, withdrawn=(), after=0, disqualified=()):
        """Return all verdicts in order; after the first `after` matches some entrants go."""
        while now := self.now.matches:
            self.decide(now[0].label)
            if len(self.linked) >= after and not any(self.gone.values()):
                self.leave(*withdrawn)
                self.leave(*disqualified, kind="disqualified")
        return list(self.now.verdicts)

    def chain(self, results, bookings=None):
        return Chain([*self.happened, End(self.compared(results))], self.version)

    def check(self, path, happened=None):
        """Write the export, with these events if any are given, and verify it."""
        self.happened = self.happened if happened is None else happened
        self.write(path, list(self.now.verdicts))
        return verify(path)
