"""The rules of the stages of a tournament with whole games, as its contest stores them."""

from functools import lru_cache

import msgspec

from maumau.contest.spec.spec import Spec
from maumau.contest.whole_game import StageRules
from services.tournament.models import Contest


def write_games(spec: Spec) -> str:
    """Return the rules of all stages as JSON; "" if none of them has games."""
    return msgspec.json.encode(spec.list_stage_rules()).decode() if spec.plays_games else ""


def find_rules(contest: Contest, label: str) -> StageRules:
    """Return the rules of a job. label: its label, which begins with the stage where there are stages."""
    if not contest.games:
        return _read_plain(contest.options, contest.rules_hash)
    return _read_games(contest.games)[int(label.partition(".")[0]) - 1]


@lru_cache(maxsize=256)
def _read_games(games: str) -> list[StageRules]:
    return msgspec.json.decode(games, type=list[StageRules])


@lru_cache(maxsize=256)
def _read_plain(options: str, rules_hash: str) -> StageRules:
    return StageRules(msgspec.json.decode(options), rules_hash, is_game=False)
