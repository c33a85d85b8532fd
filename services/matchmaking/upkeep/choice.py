"""Choice of a ladder's next pairings from what is known of its bots. Pure."""

from maumau.contest.ladder.pairing import LadderPlayer as Candidate
from maumau.contest.ladder.pairing import Pair, pair_players
from maumau.contest.ladder.rest import Rest, find_rest
from maumau.contest.statistics.rating import Posterior
from services.matchmaking.store import Pool
from services.matchmaking.store.pool import author_of


def list_candidates(pool: Pool, now: int) -> list[Candidate]:
    """Return the bots that may be paired."""
    known = pool.rated.count_sets()
    return [
        Candidate(one.number, (now - one.paired_at) / 1000, author_of(one), one.number in known)
        for one in sorted(pool.playing, key=lambda one: one.number)
    ]


def choose_pairs(
    pool: Pool, most: int, now: int, sets: int, seats: int, *, rests: bool
) -> tuple[list[Pair], Rest | None]:
    """Return the next pairs, or why there is none to be made."""
    posterior, players = pool.compute_posterior(), list_candidates(pool, now)
    if rests and (found := _find_rest(pool, posterior, players)):
        return [], found
    met, played = count_sets(pool), pool.played.sets
    return pair_players(players, met, posterior, most, played, sets=sets, seats=seats), None


def find_rest_of(pool: Pool, now: int) -> Rest | None:
    """Return how well the bots that may be paired are known, or None if not well enough."""
    return _find_rest(pool, pool.compute_posterior(), list_candidates(pool, now))


def _find_rest(pool: Pool, posterior: Posterior, players: list[Candidate]) -> Rest | None:
    return find_rest(posterior, [one.number for one in players], pool.rated.count_sets())


def count_sets(pool: Pool) -> dict[tuple[int, int], int]:
    """Return the sets played and under way, by pair."""
    counts = pool.played.count_meetings()
    for key, sets in pool.under_way.items():
        counts[key] = counts.get(key, 0) + sets
    return counts
