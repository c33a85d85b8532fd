"""`maumau mcp`: the rules and a seat at a live table as tools of the Model Context Protocol, over stdio."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import typer

from maumau.cli.player.hosting import make_plan, open_table
from maumau.cli.shared import game, place
from maumau.errors import MaumauError, MissingExtra, WrongState
from maumau.process.extra import say_install
from maumau.screen.output import Where

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from maumau.cli.player.model_seat import ModelSeat

INSTRUCTIONS: Final = (
    "Mau-Mau card games. read_rules tells how a variant is played. join_table seats you; then play one of"
    " the `legal` actions whenever the state is `your turn`, until it is `over`. Cards are rank and suit:"
    " 7C, TD, QH; T is the ten, suits are C S H D. An action under `call` needs its `!` or `!!` appended, or"
    " it costs cards."
)
TOOLS: Final = {
    "list_variants": "List the variants of the game, with numbers of players.",
    "read_rules": "Read the rules of a variant, such as mau_mau or prsi.",
    "join_table": (
        "Sit down: at a new table of a variant, with house bots as opponents (by default one, greedy), or"
        " with the token of a seat at somebody else's table. Returns what you see when it is your turn."
    ),
    "look": (
        "See your cards, the pile, what has happened since you last looked, and what is legal. wait: seconds"
        " to wait for your turn, at most 50."
    ),
    "play": (
        "Play an action, one of `legal` with its call if one is due. Returns what you see when it is your"
        " turn again, or when the deal is over."
    ),
    "leave": "Leave the table; your clock there runs on.",
}
"""The tools, with their descriptions for a model."""

MOST_WAIT: Final = 50.0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("mcp")(serve_model)


def serve_model(
    *,
    bank: game.Bank = 1800,
    increment: game.Increment = 30,
    window: game.Window = 60,
    tier: game.Tier = "auto",
    arena: Where = None,
) -> None:
    """Serve the rules and a seat at a live table to a language model, over stdio (Model Context Protocol).

    A client such as an editor or a chat program starts this command; docs/how-to/mcp.md has its settings. The
    model sees what its seat may know, nothing else.

    Example: maumau mcp --arena https://arena.example
    """
    with ModelTable(arena, Clocks(bank, increment, window), tier) as table:
        build_server(table).run("stdio")


class Clocks(NamedTuple):
    """The clocks of a new table, in seconds."""

    bank: float
    increment: float
    window: float


class ModelTable:
    """The one table at which a model sits, or none."""

    def __init__(self, arena: str | None, clocks: Clocks, tier: str) -> None:
        self._arena, self._clocks, self._tier = arena, clocks, tier
        self._opened = ExitStack()
        self._seat: ModelSeat | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave_table()

    @property
    def seat(self) -> ModelSeat:
        """The model's seat. Raise WrongState if it has none."""
        if self._seat is None:
            raise WrongState("You sit at no table: join_table first.")
        return self._seat

    def join_table(self, variant: str, opponents: list[str], token: str) -> dict[str, Any]:
        """Sit down at a new table against house bots, or at that of a seat's token; return the first view."""
        from maumau.cli.player.model_seat import WAIT_SECONDS, ModelSeat

        if self._seat and not self._seat.is_over:
            raise WrongState("You sit at a table already: play on, or leave it first.")
        if bool(variant) == bool(token):
            raise WrongState("Name a variant for a new table, or the token of a seat, and not both.")
        self.leave_table()
        with ExitStack() as stack:
            tables = stack.enter_context(place.connect_tables(self._arena))
            if not token:
                plan = make_plan(
                    game.load_rules(variant, None),
                    len(opponents) + 1,
                    [],
                    opponents,
                    self._clocks,
                    self._tier,
                )
                opened = open_table(tables, plan, 0, self._arena, as_json=False)
                token, _ = stack.enter_context(opened)
            self._seat = ModelSeat(tables.sit(token))
            stack.callback(self._seat.leave_table)
            self._opened = stack.pop_all()
        told = self._seat.view_table(WAIT_SECONDS)
        if told["state"] == "void":
            self.leave_table()
            raise WrongState(told["words"])
        return told

    def leave_table(self) -> str:
        """Leave the table, if there is one; say so."""
        told = "You have left the table." if self._seat else "You sat at no table."
        self._seat = None
        self._opened.close()
        return told


def list_variants() -> list[dict[str, Any]]:
    """Return name, title and numbers of players of all variants."""
    from maumau.game import load, variants

    return [
        {"name": rules.name, "title": rules.variant.title, "players": list(rules.seats)}
        for rules in map(load, variants())
    ]


def read_rules(variant: str) -> str:
    """Return the rules of a variant in Markdown. Raise UnknownVariant."""
    from maumau.game import load
    from maumau.rulebook import build_page, render_markdown

    return render_markdown(build_page(load(variant)))


def build_server(table: ModelTable) -> MCPServer[Any]:
    """Return the server with its tools. Raise MissingExtra."""
    try:
        from mcp.server import MCPServer
    except ImportError:
        raise MissingExtra(f"`maumau mcp` needs the package mcp: {say_install('mcp')}") from None
    server: MCPServer[Any] = MCPServer("maumau", instructions=INSTRUCTIONS, log_level="WARNING")

    async def list_all_variants() -> str:
        return await _answer_call(lambda: _write_json(list_variants()))

    async def tell_rules(variant: str) -> str:
        return await _answer_call(lambda: read_rules(variant))

    async def join_table(variant: str = "", opponents: list[str] | None = None, token: str = "") -> str:
        return await _answer_call(
            lambda: _write_json(table.join_table(variant, opponents or ["greedy"], token))
        )

    async def view_table(wait: float = 0) -> str:
        return await _answer_call(lambda: _write_json(table.seat.view_table(max(0.0, min(wait, MOST_WAIT)))))

    async def play_action(action: str) -> str:
        return await _answer_call(lambda: _write_json(table.seat.play_action(action)))

    async def leave_table() -> str:
        return await _answer_call(table.leave_table)

    tools: tuple[Callable[..., Any], ...] = (
        list_all_variants,
        tell_rules,
        join_table,
        view_table,
        play_action,
        leave_table,
    )
    for (name, words), tool in zip(TOOLS.items(), tools, strict=True):
        server.add_tool(tool, name=name, description=words, structured_output=False)
    return server


def _write_json(told: Any) -> str:
    return json.dumps(told, ensure_ascii=False)


async def _answer_call(call: Callable[[], str]) -> str:
    """Return a call's answer, made in a thread; what is refused becomes the tool's error, in words."""
    from anyio import to_thread
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        return await to_thread.run_sync(call)
    except MaumauError as error:
        raise ToolError(str(error)) from None
