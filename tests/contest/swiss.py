"""A Swiss stage played in memory, with every disturbance. As in the arena, open matches have results."""

from msgspec.structs import replace

from maumau.contest.entrant import Entrant
from maumau.contest.judge import walkover
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.spec.spec import parse_spec


def make_spec(keys="", more=""):
    text = 'name = "cup"\nrules = "mau_mau"\n[entries]\nmost = 256\n[[stage]]\nformat = "swiss"\n'
    return parse_spec(f"{text}{keys}\n{more}")


class Cup:
    """A tournament in play; `results` has the verdict of every live match, open ones too."""

    def __init__(self, spec, count):
        self.spec, self.results = spec, {}
        self.entrants = [Entrant(n, f"bot-{n}", f"{n:064x}") for n in range(1, count + 1)]
        self.advance()

    def advance(self):
        """Book what follows: matches begun, walkovers, matches taken back."""
        self.plan = advance_schedule(self.spec, self.entrants, self.results.values())
        live = dict.fromkeys(self.plan.known)
        for label, plan in self.plan.known.items():
            live[label] = self.plan.results.get(label) or book(self.spec, plan)
        self.results = live
        return self.plan

    def decide(self, label, winner):
        """A match ends; winner: an entrant, or None if it is level."""
        self.results[label] = book(self.spec, self.plan.known[label], winner, decided=True)
        self.advance()

    def take_back(self, label):
        self.results[label] = book(self.spec, self.plan.known[label])
        self.advance()

    def leave(self, number, *, disqualified=False):
        change = {"disqualified": "a test"} if disqualified else {"withdrawn": True}
        self.entrants[number - 1] = replace(self.entrants[number - 1], **change)
        self.advance()

    def play(self, choose):
        """Play to the end; `choose` gives a match's winner, or None."""
        while self.plan.matches:
            match = self.plan.matches[0]
            self.decide(match.label, choose(match))
        return self.plan

    @property
    def gone(self):
        return {one.number for one in self.entrants if one.withdrawn or one.disqualified}

    @property
    def rounds(self):
        """The pairs of each round of the last stage."""
        return [[(one.first, one.second) for one in turn.matches] for turn in self.plan.draws[-1].rounds]

    @property
    def byes(self):
        return [number for turn in self.plan.draws[-1].rounds for number in turn.byes]


def book(spec, plan, winner=None, *, decided=False):
    """Return a verdict: a hundred sets that the winner wins by a little, or none while it is open."""
    total = 200 if winner is None else 210 if winner == plan.first else 190
    score = {"counted": 100, "total": total, "squares": 500} if decided else {}
    rule = ("sequential" if winner else "cap: not separated") if decided else ""
    like = walkover(spec, plan, plan.first)
    return replace(like, decided=decided, rule=rule, winner=winner, **score)


def better_seed(match):
    return min(match.first, match.second)


def choose_by(rng):
    """Return a function that chooses winners at random; one match in five is level."""
    return lambda match: rng.choice([match.first, match.second, match.first, match.second, None])
