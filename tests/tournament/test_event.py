"""Every event says for programs what its sentence says."""

import ast
from pathlib import Path
from types import SimpleNamespace, UnionType
from typing import get_args, get_type_hints

import msgspec
import pytest

from maumau.client import answer, call
from maumau.v1 import tournament_pb2 as pb
from services.tournament.domain import event
from services.tournament.rpc import wire

SERVICE = Path(__file__).parents[2] / "services/tournament"
PARTS = get_args(event.Part)
EXAMPLES = {int: 7, str: "running", float: 0.5, bool: True, list[int]: [2, 3]}
NO_MATCH = SimpleNamespace(board=SimpleNamespace(matches={}))


def example(kind):
    return kind(**{name: EXAMPLES[hint] for name, hint in get_type_hints(kind).items() if name[0] != "_"})


def told(part):
    """Return the event as a client reads it."""
    one = event.decode_event(event.encode_event(event.Event(1, "alert", "in words", part=part)))
    assert one.part == part
    return wire.build_event(NO_MATCH, "7-0", one)


@pytest.mark.parametrize("kind", PARTS)
def test_a_part_is_told_whole(kind):
    part = example(kind)
    message = told(part)
    assert message.WhichOneof("part") == kind.__struct_config__.tag
    shown = getattr(call.to_struct(answer.TournamentEvent, message), kind.__struct_config__.tag)
    assert type(shown).__name__ == kind.__name__
    for name, value in msgspec.structs.asdict(part).items():
        given = getattr(shown, name)
        if name in wire.MOMENTS:
            assert given.timestamp() == value / 1000
        else:
            assert given == (tuple(value) if isinstance(value, list) else value)


def test_the_contract_has_no_other_parts():
    fields = pb.TournamentEvent.DESCRIPTOR.oneofs_by_name["part"].fields
    assert {field.name for field in fields} == {kind.__struct_config__.tag for kind in PARTS}


def calls(name):
    """Yield every call of a function of this name in the service, with its file and line."""
    for path in sorted(SERVICE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield f"{path.relative_to(SERVICE)}:{node.lineno}", node


def test_no_event_is_made_without_its_part():
    made = dict(calls("Event"))
    assert len(made) >= 10
    assert [place for place, node in made.items() if "part" not in {one.arg for one in node.keywords}] == []


@pytest.mark.long
def test_every_kind_of_event_is_made_with_a_part():
    """Kinds stand as texts where events are made, or are told a match."""
    nodes = [node for name in ("Event", "_tell") for _, node in calls(name)]
    kinds = {arg.value for node in nodes for arg in node.args if isinstance(arg, ast.Constant)}
    names = {name.removeprefix("EVENT_KIND_").lower() for name in dict(pb.EventKind.items())} - {
        "unspecified"
    }
    assert set(get_args(event.Kind)) == names
    assert names <= kinds
    assert isinstance(event.Part, UnionType)
