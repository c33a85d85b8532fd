"""Nonces of one's own entries: drawn at `tournament enter`, kept in the configuration folder, opened in time.

Every command that asks the arena, whichever of its services, opens what may be opened by then, and so does
`tournament watch` when the entries close. A nonce is forgotten when its tournament has started, since the
arena shows it from then on.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from maumau.cli.shared import kept
from maumau.errors import MaumauError, NotFound

if TYPE_CHECKING:
    from maumau.client.answer import Tournament
    from maumau.client.arena import Arena

FILE = "nonces.json"
SPOILED_FILE_ADVICE = "move it away: the nonces in it are then not opened, and the bots play anyway"
EARLY: Final = timedelta(minutes=10)
"""The tolerated difference between the clocks of arena and author: early reveals are refused."""


class Nonces(msgspec.Struct):
    """By the arena's name, the tournament's id and the bot's name."""

    arenas: dict[str, dict[str, dict[str, str]]] = {}


def draw_nonce(arena: str, tournament_id: str, bot: str, given: str = "") -> str:
    """Return the nonce of an entry: the given, the kept, or a new one; it is kept before it is used."""
    from maumau.contest.seed import new_secret

    nonces = _read_nonces()
    bots = nonces.arenas.setdefault(arena, {}).setdefault(tournament_id, {})
    bots[bot] = given or bots.get(bot) or new_secret()
    kept.write_file(FILE, nonces)
    return bots[bot]


def has_kept(arena: str) -> bool:
    """Return True if a nonce is kept for this arena."""
    return kept.file_path(FILE).exists() and bool(_read_nonces().arenas.get(arena))


def open_kept(link: Arena) -> None:
    """Reveal the nonces whose tournaments have closed their entries; ignore refusals of the arena."""
    if not kept.file_path(FILE).exists():
        return
    found = _read_nonces().arenas.get(link.name, {})
    over = [tournament_id for tournament_id, bots in found.items() if _reveal_due(link, tournament_id, bots)]
    if over:
        nonces = _read_nonces()
        for tournament_id in over:
            nonces.arenas.get(link.name, {}).pop(tournament_id, None)
        kept.write_file(FILE, nonces)


def _reveal_due(link: Arena, tournament_id: str, bots: dict[str, str]) -> bool:
    """Reveal what is due; return True if nothing is left to be revealed."""
    try:
        now = link.tournament(tournament_id)
    except NotFound:
        return True
    except MaumauError:
        return False
    if now.state not in {"created", "open", "starting"}:
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


def _read_nonces() -> Nonces:
    return kept.read_file(FILE, Nonces, SPOILED_FILE_ADVICE)
