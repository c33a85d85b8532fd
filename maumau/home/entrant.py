"""Programs at home: named by folder, file, zip or a house bot's name, checked, unpacked and built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from maumau.bots import HOUSE, folder
from maumau.errors import NoSubmission
from maumau.referee.place import Program
from maumau.sandbox.launch import Sandbox
from maumau.submission import package
from maumau.submission.build import prepare_program


def find_program(word: str) -> Path:
    """Return a program's path: the one given, or the house bot of this name."""
    path = Path(word)
    if path.exists():
        return path
    if word in HOUSE:
        return folder(word)
    words = f"There is no folder or file {word!r}, nor a house bot; these are {', '.join(HOUSE)}."
    raise NoSubmission(words, thing=word)


def unpack_program(word: str, room: Path) -> Program:
    """Return the program as the arena stores it, in a folder below `room`; raise BadSubmission if invalid."""
    packed = package.pack_submission(find_program(word))
    place = room / packed.sha256
    if not place.is_dir():
        package.unpack_archive(packed.archive, place)
    return Program(place, packed.manifest, packed.sha256, packed.manifest.name)


def prepare_programs(
    words: Sequence[str], room: Path, sandbox: Sandbox, say: Callable[[str], None] = lambda _: None
) -> list[Program]:
    """Return all programs, built if they have a build step; `say` is called with the one being built."""
    found = [unpack_program(word, room) for word in words]
    return [prepare_program(program, sandbox, say=say) for program in found]


def display_names(words: Sequence[str], programs: Sequence[Program]) -> list[str]:
    """Return display names: each program's own, followed by the word it was given as if that is ambiguous."""
    plain = [program.name for program in programs]
    both = zip(plain, words, strict=True)
    shown = [name if plain.count(name) == 1 else f"{name} ({word})" for name, word in both]
    return [
        name if shown.count(name) == 1 else f"{name} #{number}" for number, name in enumerate(shown, start=1)
    ]
