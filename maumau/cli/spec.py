"""A tournament's spec from a file or from flags, checked before it is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import typer

from maumau.contest import spec as contest
from maumau.errors import BadFile, BadSpec

FILE = ".toml"  # what the name of a file with a variant of one's own ends in


class Flags(msgspec.Struct, frozen=True):
    """What the command line says; None and empty mean: not said."""

    name: str | None = None
    rules: str | None = None
    options: list[str] = []
    stages: list[str] = []
    third_place: bool = False
    block: int | None = None
    cap: int | None = None
    secret: str | None = None

    def table(self) -> dict[str, Any]:
        """The spec as TOML would give it."""
        if not (self.name and self.rules):
            raise typer.BadParameter("give a spec file, or at least --name and --rules")
        stages = [_stage(number, word) for number, word in enumerate(self.stages or ["round_robin"])]
        if self.third_place:
            stages[-1]["third_place"] = True
        match = {key: value for key, value in (("block", self.block), ("cap", self.cap)) if value is not None}
        table: dict[str, Any] = {"name": self.name, "rules": self.rules, "stage": stages, "match": match}
        if self.secret:
            table["secret"] = self.secret
        if self.options:
            table["options"] = dict(option(text) for text in self.options)
        return table


def text(path: Path | None, flags: Flags) -> str:
    """The spec's TOML, with the text of a variant of one's own. Raises BadFile, BadSpec, BadVariant."""
    if path is None:
        return contest.build_spec(_with_variant(flags.table(), Path())).to_toml()
    if flags != Flags():
        raise typer.BadParameter("give either a spec file or flags")
    given = _read(path)
    table = contest.read_table(given)
    if not str(table.get("rules", "")).endswith(FILE):
        contest.build_spec(table)
        return given
    return contest.build_spec(_with_variant(table, path.parent)).to_toml()


def _with_variant(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The table; if `rules` is a file, looked for in `folder`, with the variant's name and text instead."""
    from maumau.game import load_file

    named = table["rules"]
    if not named.endswith(FILE):
        return table
    if "variant_toml" in table:
        raise BadSpec(f"variant_toml: the text of the variant is read from {named}; leave this key out.")
    rules = load_file(folder / named)
    return table | {"rules": rules.name, "variant_toml": rules.text}


def _read(path: Path) -> str:
    try:
        return typer.get_text_stream("stdin").read() if str(path) == "-" else path.read_text("utf-8")
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path} cannot be read: it is not UTF-8 text") from None


def _stage(number: int, word: str) -> dict[str, Any]:
    return {"format": word, "seeds": "previous" if number else "entry"}


def option(given: str) -> tuple[str, Any]:
    """KEY=VALUE; the value is JSON (true, 2, ["7", "8"]), else a word."""
    key, equals, value = given.partition("=")
    if not equals or not key:
        raise typer.BadParameter(f"--option {given!r} is not KEY=VALUE")
    try:
        return key, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return key, value
