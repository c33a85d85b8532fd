"""Logs on stderr, one line per event: plain text or JSON; each line has the request id."""

import logging
import sys
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import structlog

from maumau.process import trace


def configure(service: str, style: str) -> None:
    """Set up structlog and the standard library's loggers alike; style is `plain` or `json`."""
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
    """Add the service to every line of the process: a thread starts without its creator's context."""
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
    """Return a renderer with plain tracebacks: rich ones show local variables, and so callers' tokens."""
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )


def bind(**ids: str) -> None:
    """Attach ids to the rest of this call: in its trace, and on every line that it logs."""
    trace.annotate_span(**ids)
    structlog.contextvars.bind_contextvars(**ids)


def about(**ids: str) -> AbstractContextManager[None]:
    """Attach ids to a piece of work; a thread that it starts inherits them by `copy_context().run`."""
    return structlog.contextvars.bound_contextvars(**ids)


def get(name: str) -> Any:
    """Return a logger: `log.get(__name__).info("an event", key=value)`."""
    return structlog.get_logger(name)
