"""Forms in encodings that no browser sends: each form of the pages refuses them with a sentence."""

from __future__ import annotations

import ast
import encodings.aliases
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from services.web.http.form import UNREADABLE
from services.web.routes.play import list_play_forms
from services.web.routes.private import PrivateHandlers, list_forms
from tests.web.visitor import BOUNDARY, Visitor

SERVICES = Path("services/web")
BODY = b'--%b\r\nContent-Disposition: form-data; name="code"\r\n\r\n\xc3\xa4\xff..\xff\r\n--%b--\r\n'
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
ODD = [
    *(
        f"{MULTIPART}; charset={name}"
        for name in sorted({*encodings.aliases.aliases.values(), "idna", "punycode"})
    ),
    *(
        f"{MULTIPART}; charset={name}"
        for name in ("undefined", "raw_unicode_escape", "unicode_escape", "x", "é", "")
    ),
    "application/x-www-form-urlencoded; charset=idna",
    "text/plain",
    "application/json",
    "multipart/mixed; boundary=a",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    f"multipart/form-data; boundary={'b' * 5000}",
    ";;;",
]
FINE = ("utf-8", "utf_8", "us-ascii", "ascii")


def send(visitor: Visitor, path: str, kind: str, body: bytes = b""):
    sent = {"content_type": kind.encode("latin-1").decode("latin-1"), "sec_fetch_site": "same-origin"}
    return visitor._ask("POST", path, body or BODY % (BOUNDARY.encode(), BOUNDARY.encode()), sent)


def test_every_odd_content_type_is_refused_with_a_sentence(house) -> None:
    visitor = house.visitor()
    for kind in ODD:
        if kind.rpartition("charset=")[2] in FINE and "charset" in kind:
            continue
        answer = send(visitor, "/login", kind)
        assert answer.status == 400, (kind, answer.status)


def test_every_form_of_the_pages_refuses_it(house) -> None:
    """Forms for which one must have logged in are sent by an author."""
    _, _, visitor = house.author()
    handlers = MagicMock()
    forms = [
        *list_forms(PrivateHandlers(*[handlers] * len(PrivateHandlers._fields))),
        *list_play_forms(*[handlers] * 4),
    ]
    assert len(forms) > 20
    for form in forms:
        path = (
            form.replace("{step:step}", "start")
            .replace("{id}", "x")
            .replace("{name}", "x")
            .replace("{label}", "1.1.1")
        )
        answer = send(visitor, path, f"{MULTIPART}; charset=idna")
        assert answer.status in (400, 404), (form, answer.status)
        assert answer.status == 404 or UNREADABLE in answer.words, form


def test_nothing_reads_a_form_but_the_one_function() -> None:
    for path in SERVICES.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)]
        readers = [node for node in calls if node.attr == "form"]
        assert not readers or path == SERVICES / "http/form.py", path


@pytest.mark.parametrize("charset", ["", "; charset=utf-8", "; charset=UTF-8"])
def test_what_browsers_send_is_read(house, charset) -> None:
    answer = send(house.visitor(), "/login", MULTIPART + charset)
    assert UNREADABLE not in answer.words
