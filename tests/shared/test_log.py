"""Lines of the log, and the values that they never show."""

import json
import threading
from contextvars import copy_context
from functools import partial

import pytest
import structlog

from services.shared.base import log

AUTHOR = "mm_" + "a" * 20


@pytest.fixture
def logging_restored():
    before = structlog.get_config()
    yield
    structlog.configure(**before)
    structlog.contextvars.clear_contextvars()


def test_a_json_log_line_has_the_request_id_and_the_traceback(logging_restored, capsys):
    log.configure("toy", "json")
    structlog.contextvars.bind_contextvars(request_id="request_1")
    try:
        int(AUTHOR)
    except ValueError:
        log.get("test").exception("unexpected error")
    line = json.loads(capsys.readouterr().err.splitlines()[-1])
    assert (line["service"], line["request_id"], line["level"]) == ("toy", "request_1", "error")
    assert "ValueError" in line["exception"]


def test_a_thread_says_the_service_and_takes_along_what_its_work_is_about(logging_restored, capsys):
    log.configure("toy", "json")
    with log.about(block="block_1"):
        told = partial(log.get("test").info, "told")
        for run in (told, partial(copy_context().run, told)):
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
    alone, along = map(json.loads, capsys.readouterr().err.splitlines())
    assert (alone["service"], along["service"]) == ("toy", "toy")
    assert "block" not in alone
    assert along["block"] == "block_1"


def test_a_traceback_shows_no_local_variables(logging_restored, capsys):
    """They hold callers' tokens."""
    token = AUTHOR
    log.configure("toy", "plain")
    try:
        {}[len(token)]
    except KeyError:
        log.get("test").exception("unexpected error")
    said = capsys.readouterr().err
    assert "KeyError: 23" in said
    assert token not in said
