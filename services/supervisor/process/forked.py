"""The supervisor's side of the fork server: how it is started, asked and ended, and what it has forked."""

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from multiprocessing import connection
from typing import IO

PREFIX = "MAUMAU_"  # of settings, which the server must not know
ENGINE = "MAUMAU_ENGINE"  # but for this one: it is chosen where the engine is imported
SERVE = "from services.supervisor.process.fork_server import main; main({}, {})"
PRIVATE = 0o077
MAX_ANSWER = 64  # bytes
IMPORTING, ANSWERING = 120.0, 30.0
"""Seconds that the server's imports, and then each answer and its end, may take: plenty on a slow host."""


class Forked:
    """A child of this process that another one has forked, with the methods of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while it runs."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self, timeout: float) -> int:
        """Return the exit code once it has ended. Raise subprocess.TimeoutExpired."""
        last = time.monotonic() + timeout
        if self.poll() is None:
            watched = os.pidfd_open(self.pid)
            try:
                connection.wait([watched], max(0.0, last - time.monotonic()))
            finally:
                os.close(watched)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        return code


class ForkServer:
    """A fork server, which begins to import when this is made. It belongs to the main thread.

    Where it fails or does not answer in time, processes start by themselves; their logs say what is wrong.
    """

    def __init__(self) -> None:
        self._link, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._link.settimeout(0)
        self._is_ready, self._has_ended, self._began = False, False, time.monotonic()
        env = {key: value for key, value in os.environ.items() if not key.startswith(PREFIX) or key == ENGINE}
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-c", SERVE.format(other.fileno(), os.getpid())],
                env=env,
                pass_fds=[other.fileno()],
                start_new_session=True,
                umask=PRIVATE,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def is_ready(self) -> bool:
        """Return True once it has imported everything, or has failed to in the time for that."""
        if self._is_ready or self._has_ended:
            return True
        if connection.wait([self._link], 0):
            self._is_ready = bool(self._receive_message())
        elif time.monotonic() - self._began > IMPORTING:
            self._give_up()
        return self._is_ready or self._has_ended

    def start_service(self, module: str, env: Mapping[str, str], log: IO[bytes]) -> Forked | None:
        """Fork a process that runs a module of the services; return None if that fails.

        Args:
            module: Its name, such as `services.registry`.
            env: Its whole environment.
            log: Its standard output and error.
        """
        if not self._is_ready:
            return None
        reading, writing = os.pipe()
        try:
            pid = self._request_fork(module, log.fileno(), reading)
        finally:
            os.close(reading)
        try:
            return Forked(pid) if pid and _hand_over(pid, json.dumps(dict(env)).encode(), writing) else None
        finally:
            os.close(writing)

    def close(self) -> None:
        """End the server; what it has forked runs on."""
        self._is_ready, self._has_ended = False, True
        self._link.close()
        try:
            self._process.wait(ANSWERING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _request_fork(self, module: str, *descriptors: int) -> int:
        """Return the pid of a newly forked process; 0 if the server has ended or does not answer."""
        try:
            socket.send_fds(self._link, [module.encode()], list(descriptors))
        except OSError:
            self._give_up()
            return 0
        return int(self._receive_message() or 0)

    def _receive_message(self) -> bytes:
        """Return the server's next message; b"" if it has ended or sends none in time.

        If the server dies before it has read a request, the kernel resets the connection.
        """
        message = b""
        with contextlib.suppress(OSError):
            if connection.wait([self._link], ANSWERING):
                message = self._link.recv(MAX_ANSWER)
        if not message:
            self._give_up()
        return message

    def _give_up(self) -> None:
        """Kill the server: it must fork nothing that nobody waits for any more."""
        self._is_ready, self._has_ended = False, True
        self._process.kill()


def _hand_over(pid: int, values: bytes, pipe: int) -> bool:
    """Write a forked process its environment; if it does not read in time, kill it and return False."""
    last = time.monotonic() + ANSWERING
    os.set_blocking(pipe, False)
    with contextlib.suppress(BrokenPipeError):  # `poll` tells who died
        with selectors.DefaultSelector() as ready:
            ready.register(pipe, selectors.EVENT_WRITE)
            while values and ready.select(max(0.0, last - time.monotonic())):
                values = values[os.write(pipe, values) :]
        if values:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            return False
    return True
