"""One stub with a token: every call has a request id, and is repeated while the arena is silent.

A service carries out a request id once, so that a change can be repeated as well when its answer was lost.
No call outlives its deadline, however often it is repeated.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from copy import copy
from typing import Any

from maumau.client import call
from maumau.errors import ArenaUnreachable, ClosedClient, MaumauError
from maumau.process.silence import await_answer

SHORT, LONG = 60.0, 600.0
"""Seconds that an ordinary call may take, and one that moves a file."""
PAGE = 1000  # entries of a list that are asked for at once


class Link:
    """The calls of one stub; they raise errors of maumau, each with the id of its request.

    address: as its errors say it. patience: seconds that the arena may be silent. closed: set when the
    channel is closed on this side. service: which one is asked, where several answer the same calls: a proxy
    in front of them goes by it.
    """

    def __init__(
        self,
        stub: Any,
        address: str,
        token: str,
        patience: float,
        closed: threading.Event | None = None,
        *,
        service: str = "",
    ) -> None:
        self.stub, self.address, self.patience = stub, address, patience
        self._closed, self._request_id = closed or threading.Event(), ""
        self._has_answered = False
        self._token = (("authorization", f"Bearer {token}"),) if token else ()
        self._service = ((call.SERVICE_HEADER, service),) if service else ()

    def with_token(self, token: str) -> Link:
        """Return the stub with another token, over the same channel."""
        return Link(self.stub, self.address, token, self.patience, self._closed)

    def with_request_id(self, request_id: str) -> Link:
        """Return the stub with this id in all calls: a change repeated with it is made once."""
        other = copy(self)
        vars(other)["_request_id"] = request_id
        return other

    def call(self, method: str, request: Any, seconds: float = SHORT) -> Any:
        """Return the answer. request: a message, or a function that returns the messages of a stream."""
        request_id, last = self._request_id or new_request_id(), time.monotonic() + seconds

        def call_method() -> Any:
            sent = request() if callable(request) else request
            left = max(last - time.monotonic(), 0.001)
            with self._translate_errors(request_id):
                return getattr(self.stub, method)(sent, timeout=left, metadata=self.new_metadata(request_id))

        # one that moves a file takes its time
        is_awaited = not self._has_answered and seconds <= SHORT
        with await_answer(self.address) if is_awaited else nullcontext():
            answer = call.retry_call(call_method, self.patience, last)
        self._has_answered = True
        return answer

    def stream(self, method: str, request: Any, seconds: float | None = None) -> Iterator[Any]:
        """Yield the messages of a stream, once; `call.resume_stream` repeats it."""
        request_id = new_request_id()
        with self._translate_errors(request_id):
            metadata = self.new_metadata(request_id)
            yield from getattr(self.stub, method)(request, timeout=seconds, metadata=metadata)

    def pages(self, method: str, request: Any, size: int = 0) -> Iterator[Any]:
        """Yield all pages of a list, one call for each."""
        request.page_size = size or PAGE
        while True:
            found = self.call(method, request)
            yield found
            if not found.next_page_token:
                return
            request.page_token = found.next_page_token

    def resume(self, stream: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        """Yield the stream's parts; when it breaks off, those of a new one."""
        return call.resume_stream(stream, self.patience)

    def new_metadata(self, request_id: str = "") -> tuple[tuple[str, str], ...]:
        """Return token, service and request id, by default a new one."""
        return (*self._token, *self._service, (call.REQUEST_ID, request_id or new_request_id()))

    @contextmanager
    def _translate_errors(self, request_id: str) -> Iterator[None]:
        try:
            with call.rpc_errors(self.address):
                yield
        except ValueError as error:  # grpc's word for a closed channel
            raise ClosedClient from error
        except MaumauError as error:
            if isinstance(error, ArenaUnreachable) and self._closed.is_set():  # said of a call under way
                raise ClosedClient from error
            error.request_id = error.request_id or request_id
            raise


def new_request_id() -> str:
    """Return a unique id."""
    return f"request_{secrets.token_hex(12)}"
