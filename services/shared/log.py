"""Logs on stderr, a line each: plain for people, JSON for machines; the request id is on every line."""

import logging
import sys
from typing import Any

import structlog


def configure(service: str, style: str) -> None:
    """Sends structlog and the standard library's loggers the same way; style is `plain` or `json`."""
    shared: list[Any] = [
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
    logging.getLogger("alembic").setLevel(logging.WARNING)
    structlog.contextvars.bind_contextvars(service=service)


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


def get(name: str) -> Any:
    """A logger: `log.get(__name__).info("an event", key=value)`."""
    return structlog.get_logger(name)
