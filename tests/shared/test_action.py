"""Logged and stored parts of a request: no field that grants access or reveals a deal."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

from maumau.v1 import (
    engine_pb2,
    job_pb2,
    matchmaking_pb2,
    registry_pb2,
    seek_pb2,
    tournament_pb2,
    webhook_pb2,
)
from services.shared.store.action import describe_request

FILES = (engine_pb2, job_pb2, matchmaking_pb2, registry_pb2, seek_pb2, tournament_pb2, webhook_pb2)
WORDS = ("token", "secret", "nonce", "seed", "code", "password")


def test_no_field_that_sounds_secret_is_written_down() -> None:
    shown = []
    for file in FILES:
        for message in file.DESCRIPTOR.message_types_by_name.values():
            for field in message.fields:
                if field.type == FieldDescriptor.TYPE_STRING and any(word in field.name for word in WORDS):
                    value = ["opens-everything"] if field.is_repeated else "opens-everything"
                    said = describe_request(GetMessageClass(message)(**{field.name: value}))
                    if "opens" in said:
                        shown.append(field.name)
    assert set(shown) == {"page_token"}


def test_house_bots_are_invited_without_the_tokens_of_the_seats() -> None:
    asked = seek_pb2.InviteHouseRequest(seat_tokens=["table_1/1/abc", "table_1/2/def"], bot_names=["greedy"])
    assert describe_request(asked) == "seat_tokens=… bot_names=greedy"


def test_a_webhook_is_made_without_its_address_which_may_let_in_whoever_knows_it() -> None:
    asked = webhook_pb2.CreateWebhookRequest(url="https://chat.example/hooks/abc", kinds=["bot"])
    assert describe_request(asked) == "url=… kinds=bot"
