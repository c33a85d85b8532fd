"""A language model's client at `maumau mcp`: the rules, and a seat that sees its own cards alone."""

import asyncio
import json
import sys

import pytest

from bench.support.patience import patient
from maumau.client.live import Tables
from tests.support.arenas.engine import ADMIN
from tests.support.arenas.seat import Player
from tests.support.terminal import Terminal

KNOWN = {
    "state", "table", "rules", "you", "players", "happened", "clocks_seconds", "question", "hand", "top",
    "wish", "owed", "skips", "direction", "counts", "stock", "out", "legal", "call", "also",
}  # fmt: skip
TOOLS = ["list_variants", "read_rules", "join_table", "look", "play", "leave"]


@pytest.fixture
def command(arena, tmp_path):
    """The command as a model's client starts it."""
    from mcp.client.stdio import StdioServerParameters  # takes 1 s

    port = arena.address.rpartition(":")[2]
    terminal = Terminal(tmp_path, MAUMAU_ARENA=f"127.0.0.1:{port},{port},{port}", MAUMAU_TOKEN=ADMIN)
    words = ["-m", "maumau.cli", "mcp", "--sandbox", "process"]
    return StdioServerParameters(command=sys.executable, args=words, env=terminal.variables)


class Model:
    """A model that uses the tools; it sees their texts alone."""

    def __init__(self, client):
        self.client = client

    async def call(self, tool, **arguments):
        found = await self.client.call_tool(tool, arguments, read_timeout_seconds=patient(60))
        (text,) = found.content
        if found.is_error:
            return f"refused: {text.text.removeprefix(f'Error executing tool {tool}: ')}"
        return text.text

    async def read(self, tool, **arguments):
        told = await self.call(tool, **arguments)
        assert not told.startswith("refused"), told
        return json.loads(told)

    async def play_out(self, told):
        """Play the first legal action until the deal is over; return all that was told."""
        seen = [told]
        while seen[-1]["state"] in {"your turn", "waiting"}:
            if seen[-1]["state"] == "waiting":
                seen.append(await self.read("look", wait=20))
                continue
            action = seen[-1]["legal"][0]
            seen.append(await self.read("play", action=action + seen[-1]["call"].get(action, "")))
        return seen


def run(command, steps):
    from mcp import Client

    async def use():
        async with Client(command, read_timeout_seconds=patient(60)) as client:
            return await steps(client)

    return asyncio.run(use())


@pytest.mark.long
def test_a_model_reads_the_rules_and_is_refused_in_words(command):
    async def steps(client):
        model = Model(client)
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        variants = await model.read("list_variants")
        (prsi,) = [one for one in variants if one["name"] == "prsi"]
        assert (prsi["title"][:4], prsi["players"][0]) == ("Prší", 2)
        assert (await model.call("read_rules", variant="prsi")).startswith("## prsi\n")
        assert (await model.call("read_rules", variant="bridge")).startswith("refused: ")
        for tool, arguments in (("look", {}), ("play", {"action": "7C"})):
            assert await model.call(tool, **arguments) == "refused: You sit at no table: join_table first."
        assert "not both" in await model.call("join_table")
        assert (await model.call("join_table", token="table_x/0/no")).startswith("refused: ")
        assert await model.call("leave") == "You sat at no table."

    run(command, steps)


def test_a_model_plays_a_deal_and_sees_its_own_cards_alone(command, arena, engine):
    with Tables(arena.address, ADMIN) as tables:
        table, tokens = tables.create("prsi", names=["model", "ada"])
        other = Player([engine], tokens[1])

        async def steps(client):
            model = Model(client)
            first = await model.read("join_table", token=tokens[0])
            assert (first["table"], first["you"]) == (table.id, "A (model)")
            assert first["players"] == ["A (model)", "B (ada)"]
            told = first if first["state"] == "your turn" else await model.read("look", wait=20)
            assert (await model.call("play", action="XX")).startswith("refused: 'XX' was refused")
            assert "already" in await model.call("join_table", variant="prsi")
            return await model.play_out(told)

        seen = run(command, steps)
        assert other.ended()
        assert seen[-1]["state"] == "over"
        assert sorted(seen[-1]["places"]) == [1, 2]
        asked = [one for one in seen if one["state"] == "your turn"]
        assert asked
        for one in asked:
            assert one.keys() - KNOWN == set()
            assert one["counts"][0] == len(one["hand"])


@pytest.mark.long
def test_a_model_opens_a_table_against_a_house_bot_and_leaves_it(command):
    async def steps(client):
        model = Model(client)
        told = await model.read("join_table", variant="mau_mau", opponents=["first", "random"])
        assert len(told["players"]) == 3
        assert told["state"] == "your turn"
        assert await model.call("leave") == "You have left the table."
        assert "join_table first" in await model.call("look")

    run(command, steps)
