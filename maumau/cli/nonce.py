"""Nonces of one's own entries: drawn at `tournament enter`, kept in the configuration folder, opened in time.

Every command that asks the arena opens what may be opened by then, and so does `tournament watch` when the
entries close. A nonce is forgotten when its tournament has started: the arena shows it from then on.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from maumau.cli import kept
from maumau.errors import MaumauError, NotFound

if TYPE_CHECKING:
    from maumau.answer import Tournament
    from maumau.client import Arena

FILE = "nonces.json"
ADVICE = "move it away: the nonces in it are opened no more, and the bots play all the same"
EARLY: Final = timedelta(minutes=10)
"""By so much the clocks of arena and author may differ: the arena refuses what comes too early."""


class Nonces(msgspec.Struct):
    """By the arena's name, the tournament's id and the bot's name."""

    arenas: dict[str, dict[str, dict[str, str]]] = {}


def draw_nonce(arena: str, tournament_id: str, bot: str, given: str = "") -> str:
    """The nonce of an entry: the one given, the one kept, or a new one; it is kept before it is used."""
    from maumau.contest.seed import new_secret

    nonces = _read()
    bots = nonces.arenas.setdefault(arena, {}).setdefault(tournament_id, {})
    bots[bot] = given or bots.get(bot) or new_secret()
    kept.write(FILE, nonces)
    return bots[bot]


def open_kept(link: Arena) -> None:
    """Opens the nonces whose tournaments have closed their entries. The arena's refusals stop nothing."""
    if not kept.path(FILE).exists():
        return
    found = _read().arenas.get(link.name, {})
    over = [tournament_id for tournament_id, bots in found.items() if _open(link, tournament_id, bots)]
    if over:
        nonces = _read()
        for tournament_id in over:
            nonces.arenas.get(link.name, {}).pop(tournament_id, None)
        kept.write(FILE, nonces)


def _open(link: Arena, tournament_id: str, bots: dict[str, str]) -> bool:
    """Opens what may be opened; whether nothing is left to be opened."""
    try:
        now = link.tournament(tournament_id)
    except NotFound:
        return True
    except MaumauError:
        return False
    if now.state not in {"created", "open"}:
        return True
    for bot, nonce in bots.items() if _is_closed(now) else ():
        with suppress(MaumauError):
            if _is_missing(now, bot):
                link.open_nonce(tournament_id, bot, nonce)
    return False


def _is_closed(now: Tournament) -> bool:
    return now.closes_at is not None and now.closes_at <= datetime.now(UTC) + EARLY


def _is_missing(now: Tournament, bot: str) -> bool:
    return any(one.bot_name == bot and one.commitment and not one.nonce_opened for one in now.entries)


def _read() -> Nonces:
    return kept.read(FILE, Nonces, ADVICE)
