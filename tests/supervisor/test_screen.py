"""The supervisor's lines in a terminal."""

import io

from rich.console import Console

from services.supervisor.screen import Screen


class Terminal(io.StringIO):
    """A terminal's stdout."""

    def isatty(self) -> bool:
        return True


def test_the_lines_of_an_arena_break_between_words(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal()
    screen = Screen(plain=False)
    screen._console = Console(file=terminal, soft_wrap=True, highlight=False, width=40)
    screen.print_line("port 7101 is taken by another program; the registry service listens on 42183")
    assert terminal.getvalue().splitlines() == [
        "port 7101 is taken by another program;",
        "the registry service listens on 42183",
    ]


def test_lines_that_are_read_by_a_program_stay_whole(capsys) -> None:
    line = "port 7101 is taken by another program; the registry service listens on 42183, and so on and on"
    Screen(plain=True).print_line(line)
    assert capsys.readouterr().out == line + "\n"
