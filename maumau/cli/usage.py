"""How --help names the values of options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typer import Context
from typer.core import TyperGroup, TyperOption

if TYPE_CHECKING:
    from typer.core import TyperCommand

VALUES: Final = {"str": "TEXT", "int": "N", "float": "N", "Path": "FILE", "list[str]": "TEXT"}
"""What stands for a value of a type, where an option says nothing better."""


def name_values(command: TyperGroup | TyperCommand) -> None:
    """Names the values of all options for readers; a flag has none, and an argument is explained."""
    asked = command.get_help_option(Context(command))
    for param in [*command.params, *([asked] if asked else [])]:
        if not isinstance(param, TyperOption):
            setattr(param, "display_type_rich", lambda ctx: "")  # noqa: B010, ARG005
        elif param.is_flag:
            param.metavar = ""
        elif not param.metavar:
            param.metavar = VALUES.get(param.bare_type())
    if isinstance(command, TyperGroup):
        for each in command.commands.values():
            name_values(each)  # type: ignore[arg-type]
