"""`bot.toml`, the manifest of a program."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from maumau.errors import BadManifest
from maumau.game import variants
from maumau.game.ruleset.mistake import explain_unknown_word, find_misfit, locate_path
from maumau.game.ruleset.toml import load_toml
from maumau.protocol.limit import KIB
from maumau.protocol.runtime import RUNTIMES

NAME = "bot.toml"
MAX_BYTES = 8 * KIB  # bytes
MOST_SEATS = 10
MOST_CONCURRENT = 256
BOT_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{1,39}")
NAME_TERMS = "2 to 40 of a-z, 0-9, - and _, with a letter or digit first"


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One program. `run` and `build` are lists of words, never given to a shell; missing rules, seats: all.

    `concurrent` is the greatest number of deals the program takes at once; `runtime` is one of the
    RUNTIMES: `python` (python3 with maumau and msgspec), `native` (nothing but the host's /usr), `node` …
    `plays_people` lets everybody have it at a live table; only its answers leave the sandbox.
    """

    name: str
    run: list[str]
    build: list[str] = []
    runtime: str = "python"
    rules: list[str] | None = None
    seats: list[int] | None = None
    concurrent: int = 1
    plays_people: bool = False


def parse_manifest(text: bytes) -> Manifest:
    """Read and check `bot.toml`; raise BadManifest with the wrong key and valid values.

    `check_name` checks the name, of new submissions only: stored ones play on, whatever they are called.
    """
    if len(text) > MAX_BYTES:  # reading TOML takes long where it is nested deep
        raise BadManifest(f"bot.toml has {len(text):,} bytes; {MAX_BYTES:,} are allowed.")
    try:
        manifest = msgspec.convert(load_toml(text.decode()), Manifest)
    except UnicodeDecodeError as error:
        raise BadManifest(f"bot.toml is not UTF-8 (byte {error.start}).") from error
    except RecursionError as error:
        raise BadManifest("bot.toml is nested too deep.") from error
    except msgspec.ValidationError as error:
        raise BadManifest(f"bot.toml, {_explain_mistake(text.decode())}.") from error
    except msgspec.MsgspecError as error:
        raise BadManifest(f"bot.toml: {error}.") from error
    except ValueError as error:  # a number that is no end
        raise BadManifest(f"bot.toml: {error}.") from error
    for wrong in _list_errors(manifest):
        raise BadManifest(f"bot.toml: {wrong}.")
    return manifest


def check_name(manifest: Manifest) -> None:
    """Raise BadManifest if no bot may have this name."""
    if not BOT_NAME.fullmatch(manifest.name):
        raise BadManifest(f"bot.toml: name is {NAME_TERMS}.")


def _explain_mistake(text: str) -> str:
    """Return position and reason of the first mistake in the manifest."""
    path, words = find_misfit(Manifest, load_toml(text), []) or ([], "")
    if path and path[0] in ("run", "build"):
        words = f'{path[0]} is a list of words such as ["python3", "bot.py"]'
    return f"{locate_path(text, path)}: {words}"


def _list_errors(manifest: Manifest) -> list[str]:
    """Return all errors that the types do not catch, in words."""
    known, rules = variants(), manifest.rules
    strange = next((rule for rule in rules or [] if rule not in known), None)
    checks = [
        (manifest.run, 'run is empty; it is a list of words such as ["python3", "bot.py"]'),
        (
            all(map(_is_valid_word, manifest.run + manifest.build)),
            "run and build have an empty word or one with a NUL",
        ),
        (
            manifest.runtime in RUNTIMES,
            f"runtime {manifest.runtime!r} is not offered; there are {', '.join(RUNTIMES)}",
        ),
        (_are_distinct(rules), "rules names a variant twice"),
        (_are_distinct(manifest.seats), "seats has a number twice"),
        (rules is None or rules, "rules is empty; leave it out to play all"),
        (strange is None, f"rules: {explain_unknown_word(strange or '', list(known))}"),
        (manifest.seats is None or manifest.seats, "seats is empty; leave it out to play with any number"),
        (
            all(2 <= n <= MOST_SEATS for n in manifest.seats or []),
            f"seats are numbers from 2 to {MOST_SEATS}",
        ),
        (1 <= manifest.concurrent <= MOST_CONCURRENT, f"concurrent is a number from 1 to {MOST_CONCURRENT}"),
    ]
    return [words for holds, words in checks if not holds]


def _are_distinct(values: Sequence[object] | None) -> bool:
    return len(set(values or [])) == len(values or [])


def _is_valid_word(word: str) -> bool:
    return bool(word) and "\0" not in word
