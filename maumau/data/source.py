"""Tables of what an arena has: a tournament, or the epochs of a ladder that are over."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from maumau.data.file import Format, TableFiles
from maumau.data.row import Rows, TableRow
from maumau.errors import NotOver

if TYPE_CHECKING:
    from maumau.client.answer import Epoch, VersionHistory
    from maumau.client.arena import Arena
    from maumau.client.matchmaking import Matchmaking

LADDER: Final = "ladder:"


def write_contest(link: Arena, name: str, folder: Path, form: Format) -> TableFiles:
    """Write the tables of a tournament that is over; raise its arena's refusals, BadFile and MissingExtra."""
    with TableFiles(folder, form, name) as files:
        files.add_rows(_read_export(link.export(name), Rows(name), folder))
    return files


class LadderPart(NamedTuple):
    """Epochs of a ladder to be written. every: all that there are. since: the time of the first rating.

    open_end: True for the ratings up to now, False for those made during the chosen epochs.
    """

    every: Sequence[Epoch]
    chosen: Sequence[Epoch]
    since: datetime | None = None
    open_end: bool = True


def write_ladder(link: Matchmaking, ladder: str, part: LadderPart, folder: Path, form: Format) -> TableFiles:
    """Write the tables of epochs of a ladder; raise its arena's refusals, BadFile and MissingExtra."""
    name, bots = f"{LADDER}{ladder}", set[str]()
    with TableFiles(folder, form, name) as files:
        for epoch in sorted(part.chosen, key=lambda epoch: epoch.number):
            rows = Rows(name, epoch.number)
            files.add_rows(_read_export(link.export(ladder, epoch.number), rows, folder))
            bots |= rows.bots
        for bot in sorted(bots):
            files.add_rows(list_ratings(name, bot, link.history(ladder, bot), part))
    return files


def choose_epochs(epochs: Iterable[Epoch], ladder: str, since: datetime | None) -> list[Epoch]:
    """Return the epochs that are over and ended at this time or later. Raise NotOver if there is none."""
    found = [one for one in epochs if one.state == "over" and one.ended_at]
    chosen = [one for one in found if since is None or (one.ended_at and one.ended_at >= since)]
    if not chosen:
        words = f" since {since:%Y-%m-%d %H:%M} UTC" if since else ""
        raise NotOver(
            f"No epoch of the ladder {ladder} has ended{words}; `maumau ladder epochs {ladder}` lists them,"
            " and what one has played is shown when it is over."
        )
    return chosen


def list_ratings(
    contest: str, bot: str, history: Iterable[VersionHistory], part: LadderPart
) -> Iterator[TableRow]:
    """Yield the ratings of a bot's versions, each with the epoch that was under way."""
    numbers = {epoch.number for epoch in part.chosen}
    for version in history:
        for point in version.points:
            if point.at is None or (part.since and point.at < part.since):
                continue
            epoch = _find_epoch(part.every, point.at)
            if epoch in numbers or (part.open_end and epoch >= min(numbers)):
                head = (contest, epoch, _write_time(point.at), None, None, bot, version.version or None)
                yield TableRow("ratings", (*head, point.elo, point.low, point.high, point.sets))


def _find_epoch(epochs: Iterable[Epoch], at: datetime) -> int:
    """Return the number of the newest epoch that had begun at this time; 0 if none had."""
    return max((one.number for one in epochs if one.began_at and one.began_at <= at), default=0)


def _write_time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"


def _read_export(chunks: Iterable[bytes], rows: Rows, folder: Path) -> Iterator[TableRow]:
    """Yield the rows of an export, which is kept beside the tables meanwhile: a lost connection goes on."""
    with tempfile.TemporaryFile(dir=folder) as file:
        for chunk in chunks:
            file.write(chunk)
        file.seek(0)
        yield from rows.read(file)
