"""A dump: the tables of each contest and epoch that is over, each written once."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from maumau.client.arena import Arena
from maumau.client.matchmaking import Matchmaking
from maumau.data.file import MANIFEST, Format, TableFiles
from maumau.data.source import LadderPart, write_contest, write_ladder
from maumau.errors import NotAllowed, WrongState
from services.shared.store.storage import CHUNK, Storage


class Part(NamedTuple):
    """A folder of the dump, and the function that writes its tables into a local folder."""

    name: str
    write: Callable[[Path], TableFiles]


class Dump(NamedTuple):
    """The result of a run: names of folders. refused: reasons of the arena, by name."""

    written: list[str]
    kept: list[str]
    refused: dict[str, str]


def check_reader(arena: Arena) -> None:
    """Raise NotAllowed unless the account sees what every account sees: a dump is for everybody."""
    who = arena.who()
    if who.groups or "admin" in who.scopes:
        raise NotAllowed(
            f"The account {who.account_name} sees contests of groups, and a dump is for everybody: set"
            " MAUMAU_TOKEN to the token of an account that is in no group and no admin."
        )


def save_dump(arena: Arena, matchmaking: Matchmaking, place: Storage, form: Format) -> Dump:
    """Write what has ended since the last run; a folder whose manifest is there is whole and stays."""
    there = set(place.list())
    done = Dump([], [], {})
    for part in _list_parts(arena, matchmaking, form):
        if f"{part.name}/{MANIFEST}" in there:
            done.kept.append(part.name)
            continue
        try:
            _save_part(part, place)
        except WrongState as error:  # of an arena too old for exports: no later run would succeed
            done.refused[part.name] = str(error)
        else:
            done.written.append(part.name)
    return done


def _list_parts(arena: Arena, matchmaking: Matchmaking, form: Format) -> Iterator[Part]:
    for one in arena.tournaments():
        if one.state == "finished" and one.visibility == "public":  # lists name its own unlisted ones, too
            write = partial(_write_contest, arena, one.name, form)
            yield Part(f"contests/{one.name}", write)
    for ladder in matchmaking.ladders():
        every = matchmaking.epochs(ladder.name)
        for epoch in every:
            if epoch.state == "over" and epoch.ended_at:
                part = LadderPart(every, [epoch], open_end=False)
                write = partial(_write_epoch, matchmaking, ladder.name, part, form)
                yield Part(f"ladders/{ladder.name}/epoch-{epoch.number}", write)


def _write_contest(arena: Arena, name: str, form: Format, folder: Path) -> TableFiles:
    return write_contest(arena, name, folder, form)


def _write_epoch(
    matchmaking: Matchmaking, ladder: str, part: LadderPart, form: Format, folder: Path
) -> TableFiles:
    return write_ladder(matchmaking, ladder, part, folder, form)


def _save_part(part: Part, place: Storage) -> None:
    """Write a folder, its manifest last."""
    with tempfile.TemporaryDirectory(prefix="maumau-dump-") as scratch:
        files = part.write(Path(scratch)).files
        for name in (*(file.name for file in files), MANIFEST):
            with (Path(scratch) / name).open("rb") as file:
                place.put(f"{part.name}/{name}", iter(partial(file.read, CHUNK), b""))
