"""Logs on stderr, a line each: plain for people, JSON for machines; the request id is on every line."""

import logging
import sys
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import structlog

from maumau import trace


def configure(service: str, style: str) -> None:
    """Sends structlog and the standard library's loggers the same way; style is `plain` or `json`."""
    shared: list[Any] = [
        partial(_name_service, service),
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(shared, style))
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    for chatty in ("alembic", "aiobotocore", "botocore"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _name_service(service: str, _logger: Any, _level: str, line: dict[str, Any]) -> dict[str, Any]:
    """On every line of the process: a thread begins without the context of the one that started it."""
    return {"service": service, **line}


def _formatter(shared: list[Any], style: str) -> logging.Formatter:
    last: list[Any] = [_plain()]
    if style == "json":
        last = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
    )


def _plain() -> Any:
    """Plain tracebacks: the rich ones show local variables, and with them callers' tokens."""
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )


def bind(**ids: str) -> None:
    """What the rest of this call is about: in its trace, and beside its request id on every line it logs."""
    trace.annotate_span(**ids)
    structlog.contextvars.bind_contextvars(**ids)


def about(**ids: str) -> AbstractContextManager[None]:
    """The same for a piece of work; a thread that it starts takes this along by `copy_context().run`."""
    return structlog.contextvars.bound_contextvars(**ids)


def get(name: str) -> Any:
    """A logger: `log.get(__name__).info("an event", key=value)`."""
    return structlog.get_logger(name)
