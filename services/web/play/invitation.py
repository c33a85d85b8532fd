"""Invitations to a seat: a link whose fragment holds the seat's token, and its QR code.

A browser sends no fragment to a server, so that the token stands in no log; a script, or whoever opens the
link without scripts, puts it into a form.
"""

import re
import socket
from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup
from msgspec import Struct
from starlette.requests import Request

from maumau.errors import BadRequest
from services.shared.base.peer import read_ip
from services.web.figures.qr_code import draw_code
from services.web.http.host import LOCAL, read_name
from services.web.words import Tongue

PATH: Final = "/play/join"
TOKEN: Final = re.compile(r"(?:.*#)?\s*(table_[a-z0-9]{1,40}/[0-9]{1,2}/[A-Za-z0-9_-]{20,80})\s*", re.ASCII)
LONGEST: Final = 500  # characters of a link
EVERYWHERE: Final = ("0.0.0.0", "::", "")  # noqa: S104 - what a setting may say
ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address of no machine: a socket that is bound to it sends nothing, and knows its own end."""


class Base(NamedTuple):
    """The beginning of links to the page. is_local: other machines cannot open them."""

    url: str
    is_local: bool


class Invitation(Struct, frozen=True):
    """A seat that waits for a friend, and the link to it. is_local: as in Base."""

    seat: int
    link: str
    is_local: bool

    @property
    def code(self) -> Markup:
        """The link's QR code, as SVG."""
        return draw_code(self.link)


def find_base(request: Request, page_url: str, listens: str) -> Base:
    """Return the beginning of links that friends can open: the page's public address, or the one in use.

    listens: the address on which the page listens. Where that is all of them and the reader uses
    `localhost`, it is this machine's address in its network.
    """
    if page_url:
        return Base(page_url, is_local=False)
    scheme, host = request.url.scheme, request.headers.get("host", "")
    if not is_loopback_name(read_name(host)):
        return Base(f"{scheme}://{host}", is_local=False)
    own = find_own_address() if listens.strip("[]") in EVERYWHERE and listens else ""
    if not own:
        return Base(f"{scheme}://{host}", is_local=True)
    port = request.url.port
    return Base(f"{scheme}://{own}" + (f":{port}" if port else ""), is_local=False)


def is_loopback_name(name: str) -> bool:
    """Return True for a host that each machine takes for itself."""
    ip = read_ip(name)
    return ip.is_loopback if ip else name == LOCAL or name.endswith(f".{LOCAL}")


def find_own_address() -> str:
    """Return this machine's IPv4 address in its network; "" if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(ELSEWHERE)
        except OSError:
            return ""
        found = str(sock.getsockname()[0])
    return "" if is_loopback_name(found) else found


def make_invitations(tokens: Sequence[str], base: Base) -> tuple[Invitation, ...]:
    """Return the invitations to the seats of these tokens."""
    return tuple(
        Invitation(int(token.split("/")[1]), f"{base.url}{PATH}#{token}", base.is_local) for token in tokens
    )


def read_invitation(given: object, t: Tongue) -> str:
    """Return the token of a link, or of its fragment; raise BadRequest, in words, if it has none."""
    found = TOKEN.fullmatch(given) if isinstance(given, str) and len(given) <= LONGEST else None
    if not found:
        raise BadRequest(t("join_wrong"), field="invite")
    return found[1]
