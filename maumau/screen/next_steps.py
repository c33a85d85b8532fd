"""Next steps after a demonstration or a refusal, as commands to copy."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

from maumau import errors

LISTS: dict[type[errors.MaumauError], str] = {
    errors.UnknownTournament: "`maumau tournament list` lists the tournaments.",
    errors.UnknownMatch: "`maumau tournament show NAME` lists its matches.",
    errors.UnknownStage: "`maumau tournament show NAME` shows its stages.",
    errors.UnknownSet: "`maumau match sets NAME MATCH` lists those of a match.",
    errors.UnknownProtest: "`maumau tournament show NAME` shows its protests.",
    errors.UnknownLadder: "`maumau ladder list` lists the ladders.",
    errors.UnknownEpoch: "`maumau ladder epochs NAME` lists its epochs.",
    errors.UnknownPairing: "`maumau ladder pairings NAME` lists its pairings.",
    errors.NotJoined: "`maumau ladder show NAME` lists its bots.",
    errors.UnknownPractice: "`maumau practices list` lists yours.",
    errors.UnknownTable: "`maumau tables` lists the tables.",
    errors.UnknownTokenId: "`maumau token list` lists yours.",
    errors.UnknownAccount: "`maumau admin list` lists the accounts, for admins.",
    errors.NotAllowed: "An admin makes such a token: `maumau token create --account NAME --scope SCOPE`.",
}
"""The command that helps after a refusal, by kind of error."""

ABOUT: dict[re.Pattern[str], str] = {
    re.compile(r"There is a tournament '([^']+)' already\."): (
        "Choose another name; `maumau tournament show {}` shows the one that has it."
    ),
    re.compile(r"(.+) takes no entries yet: its organiser has to open it\."): (
        "`maumau tournament open {}` does so."
    ),
}
"""The command that helps after a refusal, by its sentence, whose group is the command's argument."""

SCOPED = "a token with the scope"
"""In the words of a refusal that another token would lift."""


def after_refusal(error: errors.MaumauError) -> str:
    """Return the command that helps after a refusal, unless it names one; an empty string if none does."""
    if isinstance(error, errors.NotAllowed) and SCOPED not in str(error):
        return ""  # the role in a group or team is what is missing, and no token gives that
    if "`maumau" in str(error):
        return ""
    for sentence, command in ABOUT.items():
        if found := sentence.fullmatch(str(error)):
            return command.format(shlex.quote(found[1]))
    return LISTS.get(type(error), "")


def say_asked(error: errors.MaumauError) -> str:
    """Return which arena was asked, if it refused a token; else an empty string."""
    return f"The arena asked is at {error.arena}." if error.arena else ""


def own_command() -> str:
    """Return the command that runs this `maumau` in the present folder."""
    script = Path(sys.executable).with_name("maumau")
    found = shutil.which("maumau")
    if found and Path(found).resolve() == script.resolve():
        return "maumau"
    return _shown(script)


def after_demo(export: Path) -> list[str]:
    """Yield the lines after the result of `maumau demo`."""
    verify = f"  {own_command()} verify {_shown(export)}"
    return ["Next, play all of it again from the export and compare, without an arena:", verify]


def after_tour(folder: Path, name: str, *, takes_anyone: bool) -> list[str]:
    """Return the lines after the last tournament of `maumau up --demo`; the arena of `folder` still runs.

    takes_anyone: anybody may open an account.
    """
    maumau = own_command()
    found = folder.resolve() == (Path.cwd() / ".maumau").resolve()
    arena = "" if found else f" --arena {_shown(folder)}"
    told = {
        f"{maumau} tournament show {name}{arena}": "bracket and table",
        f"{maumau} tournament export {name}{arena}": "all that was played, in one file",
        f"{maumau} verify {name}.export.jsonl": "plays it again and compares",
        f"{maumau} new my-bot": "a bot of your own",
        f"{maumau} play my-bot greedy": "one deal, card by card",
        **({f"{maumau} login --new NAME{arena}": "an account to submit it with"} if takes_anyone else {}),
        f"{maumau} submit my-bot --watch{arena}": "submits it to the arena",
    }
    width = max(map(len, told))
    lines = [f"  {command:<{width}}  {what}" for command, what in told.items()]
    return [
        "All tournaments are decided; the arena goes on. In a second terminal, in this folder:",
        *lines,
    ]


def _shown(path: Path) -> str:
    """Return the path as short as possible here, quoted for a shell."""
    here = Path.cwd()
    whole = Path(path).absolute()
    return shlex.quote(str(whole.relative_to(here) if whole.is_relative_to(here) else whole))
