"""A process that imports all services once and forks each of them: most of a start is imports.

It lasts for one start. A process that dies later is started by itself, as without a fork server. Modules that
workers alone need are imported with the first of them: the page does not wait for those. It learns no secret:
the environment of a service goes through a pipe to the forked process alone, and its own has no setting.
"""

import contextlib
import ctypes
import json
import os
import runpy
import signal
import socket
import sys
import tempfile
from collections.abc import Iterable
from importlib import import_module

PR_SET_PDEATHSIG = 1
FIRST = (
    "services.web.app",  # before the services: its models of OpenAPI documents are built when they are needed
    "services.registry.app",
    "services.tournament.app",
    "services.engine.app",
    "services.matchmaking.app",
    "celery.app.amqp",
    "celery.fixups.django",
    "celery.loaders.app",
    "encodings.idna",
    "fsspec.implementations.local",
    "kombu.transport.redis",
    "sqlalchemy.dialects.sqlite",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
)
WORKER = "services.worker"
LATER = (
    "services.worker.app",
    "services.shared.process.consumer",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.apps.worker",
    "celery.backends.base",
    "celery.concurrency.prefork",
    "celery.concurrency.thread",
    "celery.events.receiver",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.strategy",
    "maumau.sandbox.bubblewrap",
)
"""Modules of services and of workers, with those that they import only when they run."""
MAX_REQUEST = 1024  # bytes
READY = b"ready"


def main(number: int, parent: int) -> None:
    """Serve the supervisor at the other end of a socket; in a forked process, run the service.

    Args:
        number: The descriptor of the socket.
        parent: The supervisor's process id; both the server and what it forks die with it.
    """
    _die_with(parent)
    _import_modules(FIRST)
    if module := _serve_requests(socket.socket(fileno=number), parent):
        runpy.run_module(module, run_name="__main__", alter_sys=True)


def _import_modules(names: Iterable[str]) -> None:
    from maumau.process.importing import Importing

    with Importing():
        for name in names:
            import_module(name)


def _serve_requests(link: socket.socket, parent: int) -> str:
    """Fork a process for each request until the supervisor closes the socket; return "" then.

    In a forked process, return the module to run.
    """
    with link:
        link.send(READY)
        while True:
            request, descriptors, _, _ = socket.recv_fds(link, MAX_REQUEST, 2)
            if not request:
                return ""
            module = request.decode()
            if module == WORKER:
                _import_modules(LATER)
            pid = _fork_orphan()
            if not pid:
                break
            for descriptor in descriptors:
                os.close(descriptor)
            link.send(str(pid).encode())
    log, environment = descriptors
    _become_service(module, log, environment)
    _die_with(parent)
    return module


def _fork_orphan() -> int:
    """Fork an orphan, which the supervisor adopts, in a session of its own; return its pid, there 0.

    Raise OSError if the system has no room for it.
    """
    reading, writing = os.pipe()
    between = os.fork()
    if not between:
        with contextlib.suppress(OSError):  # without a pid, the server reports the failure
            if not os.fork():
                os.setsid()
                os.write(writing, str(os.getpid()).encode())
                os.close(writing)
                os.close(reading)
                return 0
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        pid = pipe.read()
    os.waitpid(between, 0)
    if not pid:
        raise OSError("a process cannot be forked")
    return int(pid)


def _become_service(module: str, log: int, environment: int) -> None:
    """Take on the log, the environment and the name of a service's process."""
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.close(log)
    with os.fdopen(environment, "rb") as pipe:
        values = pipe.read()
    if not values:
        os._exit(1)  # the supervisor has given up waiting for this process, and started another one
    os.environ.clear()
    os.environ.update(json.loads(values))
    tempfile.tempdir = None  # it is read from the environment again
    _set_command(sys.executable, "-m", module)


def _set_command(*words: str) -> None:
    """Set the command line that `ps` shows, as far as there is room in the server's own."""
    first = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "program_invocation_name").value
    if not first:
        return
    room = sum(len(os.fsencode(word)) + 1 for word in sys.orig_argv)
    text = b"\0".join(map(os.fsencode, words))[: room - 1]
    ctypes.memset(first, 0, room)
    ctypes.memmove(first, text, len(text))


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when the supervisor ends; exit if it has ended already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
