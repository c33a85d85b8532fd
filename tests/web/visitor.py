"""Somebody at a browser without scripts: he has a cookie, opens pages and sends their forms."""

from __future__ import annotations

import html
import http.client
import re
from typing import Any, NamedTuple
from urllib.parse import urlencode

from bench.support.patience import patient
from tests.support.arenas.tournament import Arena as Services

READER = "mm_the-page-of-these-tests"
BOUNDARY = "----a-boundary-of-these-tests"


class Page(NamedTuple):
    """An answer: status, headers by small letters, text, and the cookies that it set as they stand there."""

    status: int
    headers: dict[str, str]
    text: str
    cookies: list[str]

    @property
    def words(self) -> str:
        """The page's text, without markup."""
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", self.text)).split())


class Visitor:
    """A browser at 127.0.0.1:port. cookies: what it keeps."""

    def __init__(self, port: int) -> None:
        self.port, self.cookies = port, dict[str, str]()

    def get(self, path: str, **headers: str) -> Page:
        return self._ask("GET", path, b"", headers)

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Page:
        """Sends a form, as a page of the same site would unless the headers say otherwise."""
        kind = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}
        return self._ask("POST", path, urlencode(fields).encode(), {**kind, **headers})

    def send(self, page: str, action: str, fields: dict[str, str] | None = None, **headers: str) -> Page:
        """Opens a page, and sends its form of that action, filled in."""
        return self.post(action, {**self.hidden(page, action), **(fields or {})}, **headers)

    def upload(self, page: str, action: str, files: dict[str, bytes], **fields: str) -> Page:
        """Send a form with files."""
        body = b"".join(
            _part(f'name="{name}"', value.encode())
            for name, value in {**self.hidden(page, action), **fields}.items()
        ) + b"".join(_part(f'name="files"; filename="{name}"', content) for name, content in files.items())
        kind = {"content_type": f"multipart/form-data; boundary={BOUNDARY}", "sec_fetch_site": "same-origin"}
        return self._ask("POST", action, body + f"--{BOUNDARY}--\r\n".encode(), kind)

    def hidden(self, page: str, action: str) -> dict[str, str]:
        """Return the hidden fields of a page's form."""
        text = self.get(page).text
        form = re.search(
            rf'<form[^>]*action="{re.escape(html.escape(action))}"[^>]*>(.*?)</form>', text, re.DOTALL
        )
        assert form, f"{page} has no form for {action}"
        found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[1])
        return {name: html.unescape(value) for name, value in found}

    def _ask(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Page:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patient(30))
        sent = {name.replace("_", "-"): value for name, value in headers.items() if value}
        if self.cookies:
            sent.setdefault("cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        try:
            connection.request(method, path, body or None, sent)
            found = connection.getresponse()
            text = found.read().decode(errors="replace")
            cookies = [value for name, value in found.getheaders() if name.lower() == "set-cookie"]
        finally:
            connection.close()
        self._keep(cookies)
        return Page(found.status, {k.lower(): v for k, v in found.getheaders()}, text, cookies)

    def _keep(self, cookies: list[str]) -> None:
        for cookie in cookies:
            name, _, value = cookie.partition(";")[0].partition("=")
            if "Max-Age=0" in cookie:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value


class House:
    """The pages at 127.0.0.1:port, before real services."""

    def __init__(self, port: int, services: Services) -> None:
        self.port, self.services = port, services

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def visitor(self) -> Visitor:
        """Somebody who has not logged in."""
        return Visitor(self.port)

    def log_in(self, client: Any) -> Visitor:
        """Return a browser that is logged in with the token of this client."""
        visitor = self.visitor()
        assert visitor.post("/login", {"code": client.create_page_code().code}).status == 303
        return visitor

    def author(self) -> tuple[Any, str, Visitor]:
        """Return a new author: their client, their name, their browser."""
        client, name = self.services.author()
        return client, name, self.log_in(client)

    def organiser(self) -> tuple[Any, str, Visitor]:
        """Return a visitor with an organiser's token, with their client and name."""
        _, name = self.services.author()
        made = self.services.admin.create_token(name, ("organiser",))
        client = self.services.admin.with_token(made.token)
        client.token = made.token
        return client, name, self.log_in(client)


def _part(disposition: str, content: bytes) -> bytes:
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n"
    return head.encode() + content + b"\r\n"
