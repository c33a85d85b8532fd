"""Which addresses a webhook reaches, and what an attempt makes of odd receivers."""

import asyncio
import os
import re
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest
import trustme

from services.registry.domain.webhook import new_secret, read_target, sign_message
from services.registry.webhooks.post import Poster
from services.registry.webhooks.reach import Reach, Resolver, is_public
from services.shared.base.peer import read_ip, read_networks, read_ports
from tests.support.host.receiver import receiving
from tests.support.waiting import free_port, until

LOOPBACK = read_networks("127.0.0.0/8")
ANY_PORT = read_ports("1-65535")


@pytest.mark.parametrize("text", [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "192.88.99.1", "198.18.0.1",
    "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::7f00:1", "fe80::1", "fc00::1", "fd00:ec2::254",
    "fec0::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2001:db8::1", "2001::1", "2002:7f00:1::1",
])  # fmt: skip
def test_addresses_that_are_not_public(text):
    ip = read_ip(text)
    assert ip is None or not is_public(ip)


@pytest.mark.parametrize("text", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_public_addresses(text):
    assert is_public(read_ip(text))


def post(loop, url, *, look_up=None, networks=LOOPBACK, ports=ANY_PORT, context=None, total=20.0):
    """Return the answer to one attempt."""
    resolver = Resolver()
    poster = Poster(Reach(ports, networks), look_up or resolver, context, total=total)
    try:
        return loop.run(poster.post_body(read_target(url), {"webhook-id": "msg_1"}, b"{}"))
    finally:
        resolver.close()


@pytest.fixture
def receiver():
    with receiving() as one:
        yield one


@pytest.mark.sample(3)
@pytest.mark.parametrize("host", [
    "127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "017700000001", "0", "127.0.0.1.",
])  # fmt: skip
def test_no_spelling_of_this_machine_is_told(loop, receiver, host):
    answer = post(loop, f"http://{host}:{receiver.server.server_port}/", networks=())
    assert answer.status == 0
    assert "not a public address" in answer.problem or "no connection" in answer.problem
    assert not receiver.told


def test_a_name_of_a_public_and_a_private_address_is_not_told(loop, receiver):
    async def look_up(_host, _port):
        return ["127.0.0.1", "10.0.0.1"]

    answer = post(loop, f"http://two.test:{receiver.server.server_port}/", look_up=look_up)
    assert "not a public address" in answer.problem
    assert not receiver.told


def test_a_name_that_means_another_address_a_moment_later_gains_nothing(loop, receiver):
    asked = []

    async def look_up(host, _port):
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    answer = post(loop, f"http://rebind.test:{receiver.server.server_port}/hook?a=1", look_up=look_up)
    assert answer == (204, "")
    assert asked == ["rebind.test"]
    assert receiver.told[0].headers["Host"] == f"rebind.test:{receiver.server.server_port}"


def test_plain_http_is_for_permitted_networks_alone(loop):
    async def look_up(_host, _port):
        return ["8.8.8.8"]

    assert "https://" in post(loop, "http://dns.test/", look_up=look_up).problem
    assert "port 80" in post(loop, "http://dns.test/", look_up=look_up, ports=frozenset({443})).problem


def test_redirects_are_not_followed(loop, receiver):
    with receiving() as inside:
        receiver.answer, receiver.location = 302, inside.url
        answer = post(loop, receiver.url)
        assert (answer.status, answer.problem) == (302, "it answers 302: redirects are not followed")
        assert not inside.told


def test_of_a_large_answer_the_head_is_read(loop, receiver):
    receiver.answer, receiver.size = 200, 10 << 20
    assert post(loop, receiver.url) == (200, "")


def test_who_does_not_answer_is_left(loop, receiver):
    receiver.released.clear()
    assert post(loop, receiver.url, total=0.3) == (0, "no answer within 0.3 s")


@pytest.mark.parametrize("said", [
    b"hello\r\n\r\n", b"HTTP/1.1 99 x\r\n\r\n", b"HTTP/1.1 200 OK\r\nx: " + b"y" * 40_000, b"",
    b"HTTP/1.1 100 Continue\r\n\r\n" * 50,
])  # fmt: skip
def test_what_is_not_http_is_a_failure(loop, said):
    assert _post_to(loop, said) == (0, "the answer is not HTTP")


def test_an_interim_answer_is_passed_over(loop):
    said = b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n"
    assert _post_to(loop, said) == (202, "")


def _post_to(loop, said, context=None, host="127.0.0.1", secure=None):
    """Return the answer to one attempt at a server that says this to everybody."""

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        writer.close()

    async def look_up(_host, _port):
        return ["127.0.0.1"]

    async def run():
        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=secure)
        async with server:
            port = server.sockets[0].getsockname()[1]
            poster = Poster(Reach(ANY_PORT, LOOPBACK), look_up, context)
            target = read_target(f"http{'s' if secure else ''}://{host}:{port}/")
            return await poster.post_body(target, {}, b"{}")

    return loop.run(run())


def test_tls_is_checked_against_the_name(loop):
    authority = trustme.CA()
    secure, known = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), ssl.create_default_context()
    authority.issue_cert("hook.test").configure_cert(secure)
    authority.configure_trust(known)
    said = b"HTTP/1.1 200 OK\r\n\r\n"
    assert _post_to(loop, said, known, "hook.test", secure) == (200, "")
    assert "CERTIFICATE_VERIFY_FAILED" in _post_to(loop, said, known, "other.test", secure).problem
    assert "CERTIFICATE_VERIFY_FAILED" in _post_to(loop, said, None, "hook.test", secure).problem


def test_the_receiver_of_the_reference_page_tells_true_from_forged(loop, tmp_path):
    page = (Path(__file__).parents[2] / "docs/reference/webhooks.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    port, secret = free_port(), new_secret()
    (tmp_path / "hook.py").write_text(code.replace("8000", str(port)))
    given = {**os.environ, "SECRET": secret}
    with subprocess.Popen(
        [sys.executable, "hook.py"],
        cwd=tmp_path,
        env=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            answers = [_send_signed(loop, port, one) for one in (secret, new_secret())]
        finally:
            process.kill()
    assert answers == [204, 401]


def _send_signed(loop, port, secret):
    """Return the status of the answer to a delivery signed with this secret."""
    seconds = int(time.time())
    signature = sign_message(secret, "msg_1", seconds, b"{}")
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(seconds), "webhook-signature": signature}
    target = read_target(f"http://127.0.0.1:{port}/")

    async def look_up(_host, _port):
        return ["127.0.0.1"]

    def send():
        poster = Poster(Reach(ANY_PORT, LOOPBACK), look_up)
        return loop.run(poster.post_body(target, headers, b"{}")).status

    return until(send)
