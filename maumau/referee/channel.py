"""Lines to and from one program, over pipes that never block the referee and never fill its memory."""

from __future__ import annotations

import os
import select
from collections import deque

from maumau.protocol.fault import LINES, SHOWN, Misplay, decode_text, shorten_line
from maumau.protocol.limit import RunLimits
from maumau.protocol.manifest import MOST_CONCURRENT
from maumau.sandbox.sandboxed_process import SandboxedProcess

CHUNK = 65536
KEPT = 2 * (MOST_CONCURRENT + LINES)  # lines of both ways, so that the last ones each way are among them
TO, FROM = "> ", "< "


class Channel:
    """A program's pipes. Lines answer questions in their order; `log` is the end of its stderr."""

    def __init__(self, sandboxed: SandboxedProcess, limits: RunLimits) -> None:
        self.sandboxed, self.log = sandboxed, b""
        self._stdin, self._stdout = sandboxed.stdin, sandboxed.stdout
        self._most, self._kept = limits.line, limits.stderr
        self._unsent = self._rest = b""
        self._held: list[bytes] = []
        self._lines: list[bytes] = []
        self._past: deque[tuple[str, bytes]] = deque(maxlen=KEPT)
        self.descriptors = [sandboxed.stdout, sandboxed.stderr]
        self._poll = select.poll()
        for descriptor in self.descriptors:
            self._poll.register(descriptor, select.POLLIN)
        self._reply = [(sandboxed.stdout, select.POLLIN)]
        self._ended = False
        self.is_ahead = False  # a line was here before the last question

    def hold(self, line: bytes) -> None:
        """Hold a line until the next ones are written."""
        self._held.append(line)

    def send(self, lines: list[bytes]) -> None:
        """Write lines, after those held; the rest that the pipe does not take is written while waiting."""
        if self._held:
            lines = self._held + lines
            self._held = []
        self.is_ahead = bool(self._lines)
        if len(lines) == 1:
            line = lines[0]
            self._past.append((TO, line))
        else:
            line = b"".join(lines)
            self._past.extend([(TO, each) for each in lines[-LINES:]])
        if self._unsent:
            self._unsent += line
            return
        try:
            written = os.write(self._stdin, line)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            return  # its end shows on stdout
        if written < len(line):
            self._unsent = line[written:]
            self.descriptors.append(self._stdin)
            self._poll.register(self._stdin, select.POLLOUT)

    def wait(self, seconds: float) -> bytes | None:
        """Return the next line without its newline; None if none came in time, or another event came first.

        Misplay: the line is too long, or the program has closed its stdout.
        """
        if not self._lines:
            ready = self._poll.poll(seconds * 1000)
            if not self._rest and ready == self._reply:  # nearly always: one whole line, and nothing else
                chunk = os.read(self._stdout, CHUNK)
                if chunk.find(b"\n") == len(chunk) - 1 >= 0:
                    line = chunk[:-1]
                    self._past.append((FROM, line if len(line) <= SHOWN else shorten_line(line)))
                    return line
                self._take_chunk(chunk)
            else:
                for descriptor, _ in ready:
                    self.ready(descriptor)
        return self.next()

    def next(self) -> bytes | None:
        """Return the next line if it has already arrived."""
        if self._lines:
            line = self._lines.pop(0)
            self._past.append((FROM, shorten_line(line)))
            if len(line) > self._most:
                self._too_long()
            return line
        if len(self._rest) > self._most:
            self._past.append((FROM, shorten_line(self._rest)))
            self._too_long()
        if self._ended:
            raise Misplay("crash", "it closed its stdout", dead=True)
        return None

    def take(self, most: int) -> list[bytes]:
        """Up to `most` lines that have already arrived, or an empty list."""
        lines = self._lines[:most]
        if len(lines) < 2 or max(map(len, lines)) > SHOWN:
            line = self.next()
            return [] if line is None else [line]
        self._past.extend([(FROM, line) for line in lines[-LINES:]])
        del self._lines[:most]
        return lines

    def has_more(self, seconds: float) -> bool:
        """Return True if the program has written another line, or does so within this time."""
        if not self._lines and not self._ended:
            poll = select.poll()
            poll.register(self._stdout, select.POLLIN)
            if poll.poll(seconds * 1000):
                self._take_chunk(os.read(self._stdout, CHUNK))
        return bool(self._lines)

    def ready(self, descriptor: int) -> None:
        """Handle a descriptor that is ready."""
        if descriptor == self._stdout:
            self._take_chunk(os.read(self._stdout, CHUNK))
        elif descriptor == self.sandboxed.stderr:
            self._drain_stderr()
        else:
            self._write_rest()

    def last_lines(self) -> list[str]:
        """Return the last lines in each direction, oldest first."""
        shown: list[str] = []
        left = {TO: LINES, FROM: LINES}
        for way, line in reversed(self._past):
            left[way] -= 1
            if left[way] >= 0:
                shown.append(way + decode_text(line.rstrip(b"\n"), SHOWN if way == TO else 2 * SHOWN))
        return shown[::-1]

    def last_log(self) -> bytes:
        """Return the log with all that is left in stderr; for use after the program's end."""
        for _ in range(64):  # more than a pipe holds, and not forever: something may go on writing
            if not self._drain_stderr():
                break
        return self.log

    def _too_long(self) -> None:
        raise Misplay("output", f"it wrote a line longer than {self._most:,} bytes", dead=True)

    def _write_rest(self) -> None:
        """Continue writing the rest that the pipe did not take."""
        try:
            self._unsent = self._unsent[os.write(self._stdin, self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = b""
        if not self._unsent:
            self._forget_descriptor(self._stdin)

    def _take_chunk(self, chunk: bytes) -> None:
        if not chunk:
            self._ended = True
            self._forget_descriptor(self._stdout)
            return
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._lines.extend(lines)

    def _drain_stderr(self) -> bool:
        """Read some of stderr and keep the end; return False if there is no more."""
        try:
            chunk = os.read(self.sandboxed.stderr, CHUNK)
        except BlockingIOError:
            return False
        self.log = (self.log + chunk)[-self._kept :]
        if not chunk and self.sandboxed.stderr in self.descriptors:
            self._forget_descriptor(self.sandboxed.stderr)
        return bool(chunk)

    def _forget_descriptor(self, descriptor: int) -> None:
        self.descriptors.remove(descriptor)
        self._poll.unregister(descriptor)
