"""A tournament's spec from a file or from flags, checked before it is sent."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from maumau.cli.shared.bounded import read_text
from maumau.cli.shared.game import VARIANT_SUFFIX, parse_option
from maumau.contest.format import FORMATS
from maumau.contest.spec import spec as contest
from maumau.errors import BadFile, BadSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maumau.client.arena import Arena


class Flags(msgspec.Struct, frozen=True):
    """The values from the command line; None and empty mean: not given."""

    name: str | None = None
    rules: str | None = None
    options: list[str] = []
    stages: list[str] = []
    third_place: bool = False
    block: int | None = None
    cap: int | None = None
    decide: str | None = None
    secret: str | None = None

    def table(self) -> dict[str, Any]:
        """Return the spec as TOML would give it."""
        if not (self.name and self.rules):
            raise typer.BadParameter("give a spec file, or at least --name and --rules")
        stages = [_parse_stage(number, word) for number, word in enumerate(self.stages or ["round_robin"])]
        if self.third_place:
            stages[-1]["third_place"] = True
        given = {"block": self.block, "cap": self.cap, "decide": self.decide}
        match = {key: value for key, value in given.items() if value is not None}
        table: dict[str, Any] = {"name": self.name, "rules": self.rules, "stage": stages, "match": match}
        if self.secret:
            table["secret"] = self.secret
        if self.options:
            table["options"] = dict(parse_option(text) for text in self.options)
        return table


def spec_text(path: Path | None, flags: Flags) -> str:
    """Return the spec's TOML, with the text of a custom variant. Raises BadFile, BadSpec, BadVariant."""
    if path is None:
        return contest.build_spec(_with_variant(flags.table(), Path())).to_toml()
    if flags != Flags():
        raise typer.BadParameter("give either a spec file or flags")
    given = _read_file(path)
    table = contest.read_table(given)
    if not str(table.get("rules", "")).endswith(VARIANT_SUFFIX):
        contest.build_spec(table)
        return given
    return contest.build_spec(_with_variant(table, path.parent)).to_toml()


def find_strangers(link: Arena, text: str) -> list[str]:
    """Return warnings that name the accounts and bots of a spec of which the arena has no bot.

    A misspelt name shuts somebody out, or takes a seed away, without a word; an account that has no bot yet
    looks the same, and so does a bot that has not been submitted.
    """
    spec = contest.parse_spec(text)
    given = {f"stage {number}.given": stage.given for number, stage in enumerate(spec.stages, start=1)}
    named = {"entries.guests": spec.entries.guests} | given
    if not (spec.entries.accounts or any(named.values())):
        return []
    bots = link.bots()
    accounts, names = {bot.account_name for bot in bots}, {bot.name for bot in bots}
    missed = {"entries.accounts: no bot here belongs to": _list_unknown(spec.entries.accounts, accounts)}
    missed |= {f"{key}: there is no bot": _list_unknown(wanted, names) for key, wanted in named.items()}
    return [f"{words} {', '.join(one)}; check the spelling" for words, one in missed.items() if one]


def _list_unknown(wanted: Sequence[str] | None, known: set[str]) -> list[str]:
    named = wanted or ()
    return [_with_near(name, known - set(named)) for name in named if name not in known]


def _with_near(name: str, known: set[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f"{name} (did you mean {near[0]}?)" if near else name


def _with_variant(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the table; a file in `rules`, from `folder`, is replaced by the variant's name and text."""
    from maumau.game import load_file

    named = table["rules"]
    if not named.endswith(VARIANT_SUFFIX):
        return table
    if "variant_toml" in table:
        raise BadSpec(f"variant_toml: the text of the variant is read from {named}; leave this key out.")
    rules = load_file(folder / named)
    return table | {"rules": rules.name, "variant_toml": rules.text}


def _read_file(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path} cannot be read: it is not UTF-8 text") from None


def _parse_stage(number: int, word: str) -> dict[str, Any]:
    usual = FORMATS[word].usual if word in FORMATS else {}
    return {"format": word, "seeds": "previous" if number else "entry", **usual}
