"""Lines to and from one program, over pipes that never block the referee and never fill its memory."""

from __future__ import annotations

import os
import select
from collections import deque

from maumau.bot.fault import LINES, SHOWN, Misplay, decode_text, shorten_line
from maumau.bot.limit import RunLimits
from maumau.bot.manifest import MOST_CONCURRENT
from maumau.bot.sandboxed_process import SandboxedProcess

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

    def hold(self, line: bytes) -> None:
        """Write a line with the next ones."""
        self._held.append(line)

    def send(self, lines: list[bytes]) -> None:
        """Write lines, and before them those held; what the pipe does not take is written while waiting."""
        if self._held:
            lines = self._held + lines
            self._held = []
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
        """The next line without its newline; None if none came in this time, or something else came first.

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
                self._read(chunk)
            else:
                for descriptor, _ in ready:
                    self.ready(descriptor)
        return self.next()

    def next(self) -> bytes | None:
        """The next line if it is here already."""
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

    def ready(self, descriptor: int) -> None:
        """Something can be done with this descriptor."""
        if descriptor == self._stdout:
            self._read(os.read(self._stdout, CHUNK))
        elif descriptor == self.sandboxed.stderr:
            self._drain()
        else:
            self._write()

    def past(self) -> list[str]:
        """The last lines each way, oldest first."""
        shown: list[str] = []
        left = {TO: LINES, FROM: LINES}
        for way, line in reversed(self._past):
            left[way] -= 1
            if left[way] >= 0:
                shown.append(way + decode_text(line.rstrip(b"\n"), SHOWN if way == TO else 2 * SHOWN))
        return shown[::-1]

    def last_log(self) -> bytes:
        """All that is left in stderr, kept with what was read before; for after the end."""
        for _ in range(64):  # more than a pipe holds, and not forever: something may go on writing
            if not self._drain():
                break
        return self.log

    def _too_long(self) -> None:
        raise Misplay("output", f"it wrote a line longer than {self._most:,} bytes", dead=True)

    def _write(self) -> None:
        """Go on with what the pipe did not take."""
        try:
            self._unsent = self._unsent[os.write(self._stdin, self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = b""
        if not self._unsent:
            self._forget(self._stdin)

    def _read(self, chunk: bytes) -> None:
        if not chunk:
            self._ended = True
            self._forget(self._stdout)
            return
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._lines.extend(lines)

    def _drain(self) -> bool:
        """Read some of stderr and keep the end; False if there is no more."""
        try:
            chunk = os.read(self.sandboxed.stderr, CHUNK)
        except BlockingIOError:
            return False
        self.log = (self.log + chunk)[-self._kept :]
        if not chunk and self.sandboxed.stderr in self.descriptors:
            self._forget(self.sandboxed.stderr)
        return bool(chunk)

    def _forget(self, descriptor: int) -> None:
        self.descriptors.remove(descriptor)
        self._poll.unregister(descriptor)
