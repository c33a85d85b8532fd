"""A real OpenID Connect provider, and one whose ID tokens a test forges."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from joserfc import jwt
from joserfc.jwk import RSAKey

from bench.support.patience import patient

CLIENT = "arena"


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Leave a redirect to the test."""


def agree(address: str, subject: str) -> str:
    """Press the button at the real provider as a person; return the address to which it sends them."""
    form = Request(address, urlencode({"sub": subject}).encode())
    try:
        build_opener(_Stay).open(form, timeout=patient(20))
    except OSError as answer:
        return str(answer.headers["location"])  # type: ignore[attr-defined]
    raise AssertionError("the provider sends nobody back")


@contextmanager
def running_provider() -> Iterator[str]:
    """Yield the issuer of a real provider."""
    from oidc_provider_mock import User, run_server_in_thread

    ana = User(sub="ana", claims={"preferred_username": "Ana.Maria"})
    with run_server_in_thread(require_nonce=True, user_claims=(ana,)) as server:
        yield f"http://localhost:{server.server_port}"


class Forger:
    """A provider that signs what it is told. claims: in place of the true ones; key: that it signs with."""

    def __init__(self) -> None:
        self.keys = [RSAKey.generate_key(2048, {"kid": "first"})]
        self.key = self.keys[0]
        self.claims: dict[str, Any] = {}
        self.alg, self.name, self.nonce = "RS256", "", ""
        self.used: set[str] = set()
        self.released = threading.Event()
        self.released.set()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.server.daemon_threads = True

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str, form: dict[str, list[str]]) -> tuple[int, dict[str, Any]]:
        if path == "/.well-known/openid-configuration":
            ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
            here = {name: f"{self.issuer}/{end}" for name, end in ends.items()}
            return 200, {"issuer": self.name or self.issuer, **here}
        if path == "/keys":
            return 200, {"keys": [one.as_dict(private=False) for one in self.keys]}
        if form["code"][0] in self.used or not form.get("code_verifier"):
            return 400, {"error": "invalid_grant"}
        self.used.add(form["code"][0])
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.sign()}

    def sign(self) -> str:
        now = int(time.time())
        true = {"iss": self.issuer, "aud": CLIENT, "sub": "mallory", "nonce": self.nonce}
        claims = {**true, "iat": now, "exp": now + 600, **self.claims}
        kept = {name: value for name, value in claims.items() if value is not None}
        if self.alg == "none":
            return ".".join((_pack({"alg": "none"}), _pack(kept), ""))
        return jwt.encode({"alg": self.alg, "kid": self.key.kid}, kept, self.key)


def _pack(value: dict[str, Any]) -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _handler(forger: Forger) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            self._answer(parse_qs(self.rfile.read(int(self.headers["content-length"])).decode()))

        def _answer(self, form: dict[str, list[str]]) -> None:
            forger.released.wait()
            status, found = forger.answer(urlsplit(self.path).path, form)
            body = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def forging() -> Iterator[Forger]:
    """Yield a forger that listens."""
    forger = Forger()
    thread = threading.Thread(target=forger.server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield forger
    finally:
        forger.released.set()
        forger.server.shutdown()
        forger.server.server_close()
        thread.join()
