"""`maumau new`: a folder with a complete bot to begin from."""

from __future__ import annotations

import re
import shlex
import shutil
import unicodedata
from pathlib import Path
from typing import Annotated

import typer

from maumau.errors import BadFile, BadName
from maumau.screen.output import Json, json_line, show

TEMPLATE = "my-bot"
"""The name of a template's bot, in every file."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("new")(make_bot)


def make_bot(
    folder: Annotated[Path, typer.Argument(help="The folder to make; the bot gets its name.")],
    *,
    lang: Annotated[
        str,
        typer.Option("--language", "--lang", help="The language: python, node, go, rust, c++, java or bash."),
    ] = "python",
    as_json: Json = False,
) -> None:
    """Make a new bot: a complete program with its bot.toml, ready to play.

    Example: maumau new my-bot --language rust
    """
    from maumau import templates
    from maumau.protocol.manifest import BOT_NAME, NAME_TERMS
    from maumau.sandbox.files import artifact_cache, offer

    if lang not in templates.LANGUAGES:
        raise typer.BadParameter(f"--language is one of {', '.join(templates.LANGUAGES)}")
    name = re.sub(r"[^a-z0-9_-]+", "-", _spell_plainly(folder.absolute().name)).strip("-_")
    if not BOT_NAME.fullmatch(name):
        raise BadName(f"No bot's name can be made of {folder.name!r}: it is {NAME_TERMS}.")
    _copy_template(templates.folder(lang), folder, name)
    files = sorted(path.name for path in folder.iterdir())
    missing = offer.explain_missing(lang, own_user=artifact_cache.own_users())
    if as_json:
        json_line({"name": name, "lang": lang, "folder": str(folder), "files": files, "missing": missing})
        return
    show(f"{folder}: {', '.join(files)}")
    if name != folder.absolute().name:
        show(f"note: the bot is called {name}; its name may have a-z, 0-9, - and _ (bot.toml)")
    if missing:
        show(f"note: {missing}")
    show(f"next: maumau play {shlex.quote(str(folder))} greedy")


def _spell_plainly(name: str) -> str:
    """Return a name in small letters without accents: Schüler is schueler, café is cafe."""
    german = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
    plain = unicodedata.normalize("NFC", name.lower()).translate(german)
    return "".join(one for one in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(one))


def _copy_template(template: Path, folder: Path, name: str) -> None:
    """Copy the template's files under the bot's name; an existing folder must be empty."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadFile(f"{folder} is not empty; nothing was written")
        for path in sorted(template.iterdir()):
            if path.is_file():
                made = folder / path.name
                shutil.copyfile(path, made)
                made.write_text(made.read_text(encoding="utf-8").replace(TEMPLATE, name), encoding="utf-8")
    except OSError as error:
        raise BadFile(f"{folder} cannot be written: {error.strerror}") from None
