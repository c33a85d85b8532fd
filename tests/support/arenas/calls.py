"""Calls of a service with one token, and their refusals."""

from contextlib import contextmanager

import grpc
import pytest

from bench.support.patience import patient
from maumau.client.call import rpc_errors


class Calls:
    """A service's calls with one token: `calls.ClaimNext(worker=…)`; refusals are MaumauErrors."""

    def __init__(self, address, token, messages, stub):
        self.channel = grpc.insecure_channel(address)
        self.messages, self.stub = messages, stub(self.channel)
        self.metadata = (("authorization", f"Bearer {token}"),)

    def __getattr__(self, method):
        request = getattr(self.messages, f"{method}Request")

        def call_method(**fields):
            with rpc_errors():
                return getattr(self.stub, method)(
                    request(**fields), timeout=patient(20), metadata=self.metadata
                )

        return call_method

    def stream(self, method, messages):
        with rpc_errors():
            return getattr(self.stub, method)(iter(messages), timeout=patient(20), metadata=self.metadata)


@contextmanager
def refused(kind, words=""):
    """Expect this error from the call inside, with these words in its sentence."""
    with pytest.raises(kind) as caught:
        yield
    assert words in str(caught.value)
