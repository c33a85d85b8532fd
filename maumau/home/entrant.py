"""Programs at home: named by folder, file, zip or a house bot's name, checked, unpacked and built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from maumau.bot import package
from maumau.bot.build import prepare_program
from maumau.bot.player import Program
from maumau.bot.sandbox import Sandbox
from maumau.bots import HOUSE, folder
from maumau.errors import NoSubmission


def find(word: str) -> Path:
    """Where a program lies: what is at this path, else the house bot of this name."""
    path = Path(word)
    if path.exists():
        return path
    if word in HOUSE:
        return folder(word)
    raise NoSubmission(f"There is no folder or file {word!r}, nor a house bot; these are {', '.join(HOUSE)}.")


def unpacked(word: str, room: Path) -> Program:
    """The program as the arena stores it, in a folder of its own below `room`; BadSubmission says why not."""
    packed = package.pack_submission(find(word))
    place = room / packed.sha256
    if not place.is_dir():
        package.unpack_archive(packed.archive, place)
    return Program(place, packed.manifest, packed.sha256, packed.manifest.name)


def prepared(
    words: Sequence[str], room: Path, sandbox: Sandbox, say: Callable[[str], None] = lambda _: None
) -> list[Program]:
    """All programs, built where they have a build step; `say` hears which one is being built."""
    found = [unpacked(word, room) for word in words]
    return [prepare_program(program, sandbox, say=say) for program in found]


def names(words: Sequence[str], programs: Sequence[Program]) -> list[str]:
    """What to call each: by its name, and where two have the same one also as it was given."""
    plain = [program.name for program in programs]
    both = zip(plain, words, strict=True)
    shown = [name if plain.count(name) == 1 else f"{name} ({word})" for name, word in both]
    return [
        name if shown.count(name) == 1 else f"{name} #{number}" for number, name in enumerate(shown, start=1)
    ]
