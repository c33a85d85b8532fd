"""Rules by a variant's name, and custom variants: a TOML file, or its text, that others do not have.

The text is part of all orders and results, so that workers, programs and verifiers of a result need no file.
The hash decides whether two variants are equal, never the name. This module stays source: compiled functions
take names of options, such as `name`, for those of their positional-only parameters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from maumau.errors import BadOption, BadVariant
from maumau.game.ruleset.mistake import locate_quoted_word
from maumau.game.ruleset.rules import Rules
from maumau.game.ruleset.variant import Variant, list_names, load_variant, read_variant

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
MAX_BYTES: Final = 32 << 10  # of a variant's file; the longest known variant has a third of it


def load(name: str, /, **options: Any) -> Rules:
    """Return the rules of a variant; raise UnknownVariant or BadOption with the known ones."""
    return Rules(name, load_variant(name), options)


def load_file(file: Path, /, **options: Any) -> Rules:
    """Return the rules of a custom variant, named after its file.

    Raises BadVariant with line and column of a mistake. Only for the user's own files: it reads any file that
    it is given.
    """
    name = file.stem
    if not NAME.fullmatch(name):
        raise BadVariant(
            f"{file}: a variant is called after its file, so the file's name has up to 40 small letters, "
            "digits and _, the first a letter"
        )
    refuse_known_name(name)
    try:
        with file.open("rb") as lines:
            data = lines.read(MAX_BYTES + 1)
        text = data.decode("utf-8").replace("\r\n", "\n") if len(data) <= MAX_BYTES else ""
    except OSError as error:
        raise BadVariant(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadVariant(f"{file} cannot be read: it is not a text file in UTF-8") from None
    if len(data) > MAX_BYTES:
        raise BadVariant(_refuse_long_text(name))
    return load_text(name, text, **options)


def load_text(name: str, text: str, /, **options: Any) -> Rules:
    """Return the rules of a custom variant from the text of its file.

    A known variant may have got this name since the text was written; the hash tells them apart.
    """
    from maumau.game.ruleset.sense import check_variant  # needed for custom variants only

    check_name(name)
    if len(text.encode()) > MAX_BYTES:
        raise BadVariant(_refuse_long_text(name))
    try:
        return Rules(name, check_variant(read_variant(text, name), name), options, text=text)
    except BadVariant as error:
        raise BadVariant(locate_quoted_word(text, str(error))) from None
    except BadOption as error:
        if options:
            raise
        raise BadVariant(f"variant {name}: {locate_quoted_word(text, str(error))}") from None


def load_any(name: str, text: str = "", /, **options: Any) -> Rules:
    """Return the rules of a custom variant if there is a text, else those of the known one."""
    return load_text(name, text, **options) if text else load(name, **options)


def check_name(name: str) -> None:
    """Raise BadVariant if no variant may have this name."""
    if not NAME.fullmatch(name):
        raise BadVariant(f"{name[:80]!r} is not a variant's name: small letters, digits and _, at most 40")


def refuse_known_name(name: str) -> None:
    """Raise BadVariant if a known variant has this name: custom variants need another."""
    if name in list_names():
        raise BadVariant(f"there is already a variant {name}; give yours another name")


def to_plain(rules: Rules) -> dict[str, Any]:
    """Return the whole variant as plain values, with the parts of its base and every option.

    From it, the name and the options the hash can be computed (docs/reference/variant.md), and `from_plain`
    makes the rules again.
    """
    found: dict[str, Any] = msgspec.to_builtins(rules.variant)
    return found


def from_plain(name: str, variant: dict[str, Any], options: dict[str, Any], known_hash: str) -> Rules:
    """Return the rules of `to_plain`'s values with these options; raise BadVariant if their hash differs."""
    try:
        rules = Rules(name, msgspec.convert(variant, Variant), options)
    except msgspec.ValidationError as error:
        raise BadVariant(f"variant {name}, as it was told, cannot be read: {error}") from None
    if rules.hash != known_hash:
        raise BadVariant(
            f"variant {name}, as it was told, has the hash {rules.hash[:12]} here and {known_hash[:12]} in "
            "the arena, which has another version of maumau"
        )
    return rules


def _refuse_long_text(name: str) -> str:
    return f"variant {name} has more than {MAX_BYTES >> 10} KiB"
