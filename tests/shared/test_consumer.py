"""Celery's consumer, with the message and the loop that it has in a worker."""

import logging

import pytest
from kombu.asynchronous import Hub
from kombu.message import Message
from redis.exceptions import TimeoutError as NoReply

from services.shared.process.consumer import Consumer


class BrokenChannel:
    """A channel whose connection is cut when a message is acknowledged."""

    no_ack_consumers = None

    def basic_ack(self, tag, **options):
        raise NoReply("Timeout reading from socket")

    basic_reject = basic_ack


@pytest.mark.parametrize("say", ["ack_log_error", "reject_log_error"])
def test_a_message_that_cannot_be_acknowledged_ends_the_connection(say):
    """A worker takes one at a time: with this one never acknowledged it would wait for ever."""
    consumer, message = Consumer.__new__(Consumer), Message(channel=BrokenChannel(), delivery_tag="1")
    consumer.hub = Hub()
    said = consumer.call_soon_ack(getattr(message, say), logging.getLogger(), (NoReply,))
    with pytest.raises(NoReply):  # in the loop, which Celery then leaves to connect anew
        said()
