"""Names of option values in --help, and sentences about values that cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typer import Context, TyperException
from typer.core import TyperGroup, TyperOption

if TYPE_CHECKING:
    from typer.core import TyperCommand

VALUES: Final = {"str": "TEXT", "int": "N", "float": "N", "Path": "FILE", "list[str]": "TEXT"}
"""Placeholders for values of a type, where an option names none."""

EARLIER: Final = {
    ("--out", "-o"),  # elsewhere the short form of --option
    ("--out", "--record"),
    ("--html", "--replay"),
    ("--contest", "--tournament"),
    ("--language", "--lang"),
    ("--each-deal", "--deals"),
}
"""Options and their names of earlier versions, which are taken as before but not shown."""

WRONG: Final = {
    "int_parsing": "{input!r} is not a whole number",
    "int_parsing_size": "{input!r} is out of range",
    "int_from_float": "{input!r} is not a whole number",
    "float_parsing": "{input!r} is not a number",
    "greater_than_equal": "expected a number of at least {ge}, not {input}",
    "less_than_equal": "expected a number of at most {le}, not {input}",
    "greater_than": "expected a number above {gt}, not {input}",
    "less_than": "expected a number below {lt}, not {input}",
}
"""Sentences for the kinds of wrong numbers of the library that reads them."""


MISSING: Final = ("Missing argument ", "Missing option ")
"""Beginnings of the sentences about a missing argument or option."""

EXAMPLE: Final = "Example: "
"""The beginning of the paragraph of a command's help that shows a whole command."""


def say_misuse(error: TyperException) -> str:
    """Describe the fault in a command's arguments; faults of values in a sentence of our own.

    Where something is missing, the command's example follows.
    """
    list_errors: Any = getattr(error.__cause__, "errors", None)
    first = list_errors()[0] if callable(list_errors) else {}
    sentence = "{error}" if first.get("type") == "value_error" else WRONG.get(first.get("type", ""))
    if sentence:
        setattr(error, "message", sentence.format(input=first["input"], **first.get("ctx", {})))  # noqa: B010
    words: str = error.format_message() if hasattr(error, "format_message") else str(error)
    return f"{words}{_find_example(error)}" if words.startswith(MISSING) else words


def _find_example(error: TyperException) -> str:
    """Return the example in the help of the command that the error is of; an empty string without one."""
    context: Context | None = getattr(error, "ctx", None)
    help_text = (context and context.command.help) or ""
    examples = [one for one in help_text.split("\n\n") if one.startswith(EXAMPLE)]
    return f" {EXAMPLE}`{examples[0].removeprefix(EXAMPLE)}`" if examples else ""


def hide_earlier_names(command: TyperCommand) -> None:
    """Leave earlier names of options out of the help of a command, which takes them all the same."""
    told = command.get_help

    def get_help(context: Context) -> str:
        options = [param for param in command.params if isinstance(param, TyperOption)]
        names = {id(one): one.opts for one in options}
        for one in options:
            one.opts = [name for name in one.opts if not any((new, name) in EARLIER for new in one.opts)]
        try:
            return told(context)
        finally:
            for one in options:
                one.opts = names[id(one)]

    setattr(command, "get_help", get_help)  # noqa: B010


def join_lines(command: TyperGroup | TyperCommand) -> None:
    """Join the lines of each paragraph of the help, so that a terminal of any width wraps them once."""
    if command.help:
        command.help = "\n\n".join(" ".join(one.split()) for one in command.help.split("\n\n"))
    if isinstance(command, TyperGroup):
        for each in command.commands.values():
            join_lines(each)  # type: ignore[arg-type]


def name_values(command: TyperGroup | TyperCommand) -> None:
    """Name the values of all options for readers; a flag has none, and an argument is explained."""
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
    else:
        hide_earlier_names(command)
