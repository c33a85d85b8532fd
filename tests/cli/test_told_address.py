"""Addresses named to a command: the page of an arena, or another program."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from maumau.cli.shared import address, place, told_address
from maumau.errors import BadArena
from tests.support.terminal import Terminal


@contextmanager
def serve(status, text):
    """Yield the port of a web server that answers everything so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "text", "told"),
    [
        (
            200,
            json.dumps({"openapi": "/api/v1/openapi.json", "arena": "http://a.example"}),
            "http://a.example",
        ),
        (200, json.dumps({"openapi": "/api/v1/openapi.json"}), ""),
        (503, "", ""),  # an arena without time, or a proxy before it
        (404, "", None),
        (200, "<html>hello</html>", None),
        (200, json.dumps({"name": "another service"}), None),
    ],
)
def test_a_page_is_told_from_another_web_server(status, text, told):
    with serve(status, text) as port:
        assert told_address.ask_page(f"http://127.0.0.1:{port}") == told


def test_a_port_without_a_web_server_is_no_other_program(free_port):
    assert told_address.ask_page(f"http://127.0.0.1:{free_port()}") == ""


def test_commands_say_that_another_program_answers(tmp_path, monkeypatch):
    with serve(404, "") as port:
        terminal = Terminal(tmp_path)
        for words in (("login", "--new", "ada"), ("bots",), ("whoami",)):
            told = terminal.run(*words, "--arena", f"http://127.0.0.1:{port}", code=1).err
            assert f"Another program answers at http://127.0.0.1:{port}, and this is not an arena" in told
        monkeypatch.setattr(address, "PAGE_PORT", str(port))  # the page's usual port stands for four others
        monkeypatch.setattr(told_address, "ask_registry", lambda _, *, tls: "http://127.0.0.1")
        with pytest.raises(BadArena, match="not an arena"):
            place.find_arena(f"http://127.0.0.1:{port}")


def test_a_proxy_that_serves_calls_and_other_pages_is_an_arena(monkeypatch):
    with serve(404, "") as port:
        monkeypatch.setattr(told_address, "ask_registry", lambda _, *, tls: f"http://127.0.0.1:{port}")
        assert place.find_arena(f"http://127.0.0.1:{port}").registry == f"127.0.0.1:{port}"
