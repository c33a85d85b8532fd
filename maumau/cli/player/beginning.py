"""The beginning of a deal that has been played: `maumau seat --from FILE@EVENT`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from maumau.errors import BadFile, BadRecord

if TYPE_CHECKING:
    from maumau.game import Deal, Rules


class Beginning(NamedTuple):
    """A record up to a question, its rules, the number of seats, and the seat that one takes."""

    record: str
    rules: Rules
    seats: int
    seat: int


def read_beginning(given: str, letter: str | None, own: Rules | None) -> Beginning:
    """Return what FILE@EVENT names; without @EVENT the deal as it was dealt.

    Args:
        given: The file of one record, and the event before which one sits down, as `maumau review` counts.
        letter: The seat; None for the first one that is asked there.
        own: The custom rules that the record may name.

    Raises:
        BadFile: There is no such file or seat, or the file has several deals.
        BadRecord: The record is wrong, or nothing is left to play there.
    """
    from maumau.cli.shared.source import read_sources
    from maumau.game.prefix import cut_at_stage, cut_before_event

    path, event = _split_event(given)
    found = read_sources(path, None, None)
    if len(found) != 1:
        raise BadFile(f"{path} has {len(found)} deals; put the one to go on from in a file of its own")
    try:
        record, d = (
            cut_before_event(found[0].text, int(event), own) if event else cut_at_stage(found[0].text, 0, own)
        )
    except BadRecord as error:
        raise BadRecord(f"{path}: {error}") from None
    return Beginning(record, own or d.rules, d.seats, _find_seat(d, letter))


def _split_event(given: str) -> tuple[Path, str]:
    """Return the file and the event of FILE@EVENT, "" for none; a file's own name may have an @, too."""
    name, at, number = given.rpartition("@")
    if not at or Path(given).exists():
        return Path(given), ""
    if number.isascii() and number.isdecimal():
        return Path(name), number
    if Path(name).is_file():
        raise BadFile(f"{number!r} is not an event of {name}: `maumau review` shows their numbers, from 1")
    return Path(given), ""


def _find_seat(d: Deal, letter: str | None) -> int:
    from maumau.game.notation.action import SEATS

    if letter is None:
        return d.to_act[0]
    if len(letter) != 1 or letter.upper() not in SEATS[: d.seats]:
        raise BadFile(f"nobody sits at {letter!r}: the seats are {' '.join(SEATS[: d.seats])}")
    return SEATS.index(letter.upper())
