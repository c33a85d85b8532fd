"""Texts for newcomers: the first page, the help, how to install, and the wheel that the arena offers."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from maumau.protocol.message import read_reply
from services.web.public.install import USUAL, find_page_url, shorten_arena, write_arena
from services.web.public.wheel import COMMIT, name_wheel, pack_wheel
from services.web.words import TERMS, TONGUES, WORDS

ROOT = Path(__file__).parents[2]
PAGES = ("/", "/contests", "/ladders", "/tables", "/rules", "/rules/prsi", "/status", "/help", "/install")
OTHERS = {"registry": "9001", "tournament": "9002", "engine": "9003", "matchmaking": "9004"}


def commands_of(text: str, name: str) -> list[str]:
    """Return the lines of the commands with this id on a page."""
    (found,) = re.findall(rf'<pre class="command" id="{name}">(.*?)</pre>', text, re.DOTALL)
    return unescape(found).splitlines()


@pytest.mark.sample
@pytest.mark.parametrize("language", ["en", "de"])
def test_the_first_page_says_what_this_is_and_what_each_visitor_can_do(site, language) -> None:
    text = unescape(site.get(f"/?lang={language}").text)
    t = TONGUES[language]
    assert f'<h1 class="welcome">{t("what_this_is")}</h1>' in text
    for visitor in ("spectator", "author", "organiser", "player"):
        assert f"<h3>{t(f'visitor_{visitor}')}</h3>" in text
    for target in ("/contests", "/bots", "/install", "/help#part", "/help#organise", "/help#play", "/tables"):
        assert f'href="{target}"' in text


@pytest.mark.sample(3)
@pytest.mark.parametrize("path", PAGES)
def test_every_page_leads_to_the_help(site, path) -> None:
    assert '<a href="/help"' in site.get(path).text


def test_pages_that_say_what_went_wrong_lead_to_the_help(site) -> None:
    assert '<a href="/help"' in site.get("/nowhere").text


@pytest.mark.long
def test_the_replies_that_the_help_shows_can_be_read(site) -> None:
    shown = [unescape(one) for one in re.findall(r"<code>(\{.*?\})</code>", site.get("/help").text)]
    replies = [read_reply(one.encode()) for one in shown if '"ask"' not in one]
    assert [one.act for one in replies] == ["TD"]


def test_every_link_of_the_first_page_and_the_help_leads_somewhere(site) -> None:
    for path in ("/", "/help", "/install"):
        for target in set(re.findall(r'href="(/[^"]*)"', site.get(path).text)):
            page, _, anchor = target.partition("#")
            found = site.get(page, "HEAD" if page.endswith(".whl") else "GET")
            assert found.status in {200, 303}, target
            assert not anchor or f'id="{anchor}"' in found.text, target


def test_every_term_that_a_page_explains_is_in_the_glossary(site) -> None:
    templates = (ROOT / "services/web/templates").rglob("*.html")
    named = {name for file in templates for name in re.findall(r'term\(t, "(\w+)"', file.read_text())}
    assert named <= set(TERMS)
    assert named >= {"commitment", "block", "set", "epoch", "elo"}
    assert {key.split("_")[1] for key in WORDS if key.startswith("term_")} == set(TERMS)


def test_commands_for_installing_name_the_address_that_was_asked(site) -> None:
    text = site.get("/install", host="10.0.0.7:7100").text
    wheel = f"http://10.0.0.7:7100/install/{name_wheel()}"
    assert commands_of(text, "install-uv") == [f"uv tool install 'maumau-arena[arena] @ {wheel}'"]
    assert commands_of(text, "install-pipx") == [f"pipx install 'maumau-arena[arena] @ {wheel}'"]
    assert "maumau login --new NAME --arena http://10.0.0.7" in commands_of(text, "install-then")


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    "host", ["$(id)", "a'b", "a;id", "a`id`", '"><script>', "a b", "a\tb", "x:99999999", "[::1", "a/b", "@b"]
)
def test_no_host_smuggles_words_into_a_command(site, host) -> None:
    found = site.get("/install", host=host)
    assert found.status in {400, 421}
    assert 'class="command"' not in found.text
    with pytest.raises(HTTPException, match="host"):
        find_page_url(a_request(host), "")
    assert find_page_url(a_request(host), "https://arena.example") == "https://arena.example"


@pytest.mark.parametrize(
    ("host", "page_url", "found"),
    [
        ("arena.school:7100", "", "http://arena.school:7100"),
        ("[fd00::7]:7100", "http://127.0.0.1:7100", "http://[fd00::7]:7100"),
        ("arena.example", "https://arena.example", "https://arena.example"),
        ("other.example", "https://arena.example", "https://other.example"),
        ("", "https://arena.example", "https://arena.example"),
    ],
)
def test_a_page_is_named_as_the_visitor_reached_it(host, page_url, found) -> None:
    assert find_page_url(a_request(host), page_url) == found


def a_request(host: str) -> Request:
    """Return a request for the page under this name."""
    headers = [(b"host", host.encode())]
    scope = {"type": "http", "scheme": "http", "path": "/install", "query_string": b"", "headers": headers}
    return Request(scope)


@pytest.mark.parametrize(
    ("page", "ports", "arena"),
    [
        ("http://pi.local:7100", USUAL, "http://pi.local"),
        ("http://[fd00::7]:7100", USUAL, "http://[fd00::7]"),
        ("http://127.0.0.1:9000", OTHERS, "http://127.0.0.1:9001,9002,9003,9004"),
        ("https://arena.example", USUAL, "https://arena.example"),
        ("https://arena.example:8443", OTHERS, "https://arena.example:8443"),
    ],
)
def test_the_command_for_logging_in_names_the_services_of_this_arena(page, ports, arena) -> None:
    assert write_arena(page, ports) == arena
    assert write_arena(page, ports, "http://127.0.0.1:9001,9002,9003,9004") == arena  # not for other machines
    assert write_arena(page, ports, "https://bots.example") == "https://bots.example"


@pytest.mark.parametrize(
    ("arena", "page", "shown"),
    [
        ("http://pi.local:9001,9002,9003,9004", "http://pi.local:9000", "http://pi.local:9000"),
        ("http://[fd00::7]:9001,9002,9003,9004", "http://[fd00::7]:9000", "http://[fd00::7]:9000"),
        ("http://pi.local", "http://pi.local:7100", "http://pi.local"),
        ("http://bots.example:1,2,3,4", "http://pi.local:9000", "http://bots.example:1,2,3,4"),
        ("https://arena.example", "https://arena.example", "https://arena.example"),
        ("http://pi.local:1,2,3,4", "http://pi.local", "http://pi.local:1,2,3,4"),
        ("https://pi.local:1,2,3,4", "https://pi.local", "https://pi.local:1,2,3,4"),
        ("https://pi.local:1,2,3,4", "http://pi.local:9000", "https://pi.local:1,2,3,4"),
        ("http://pi.local:1,2,3,4", "https://pi.local:9000", "http://pi.local:1,2,3,4"),
    ],
)
def test_people_read_one_address_where_it_is_enough(arena, page, shown) -> None:
    assert shorten_arena(arena, page) == shown


def test_the_command_for_a_new_account_works_on_any_computer(site) -> None:
    text = unescape(site.get("/login", host="10.0.0.7:7100").text)
    assert '<pre class="command" tabindex="0">maumau login --new NAME --arena http://10.0.0.7</pre>' in text


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    ("registration", "flags", "login_text", "install_text"),
    [
        ("open", " --new NAME", "no_account_says", "install_then_says"),
        ("code", " --new NAME --code CODE", "no_account_code", "install_then_code"),
        ("closed", "", "no_account_token", "install_then_token"),
    ],
)
def test_pages_recommend_what_opens_an_account_in_this_arena(
    site, registration, flags, login_text, install_text, language
) -> None:
    site.arena.registration, t = registration, TONGUES[language]
    login = unescape(site.get(f"/login?lang={language}", host="10.0.0.7:7100").text)
    assert f">maumau login{flags} --arena http://10.0.0.7<" in login
    assert t(login_text) in login
    assert (t("code_have") in login) is (registration != "closed")
    assert f'<a href="/install">{t("to_install")}</a>' in login
    install = unescape(site.get(f"/install?lang={language}", host="10.0.0.7:7100").text)
    assert f"maumau login{flags} --arena http://10.0.0.7" in commands_of(install, "install-then")
    assert t(install_text) in install
    help_page = unescape(site.get(f"/help?lang={language}", host="10.0.0.7:7100").text)
    assert f">maumau login{flags} --arena http://10.0.0.7\nmaumau submit NAME-bot --watch<" in help_page


def test_a_silent_registry_does_not_close_the_way_in(site) -> None:
    site.arena.down = True
    assert "maumau login --new NAME" in site.get("/login").text


@pytest.mark.long
def test_the_wheel_has_what_the_builder_puts_into_one(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = tmp_path.glob("*.whl")
    assert built.name == name_wheel()
    with zipfile.ZipFile(built) as theirs, zipfile.ZipFile(io.BytesIO(pack_wheel())) as ours:
        assert set(ours.namelist()) - {COMMIT} == set(theirs.namelist()) - {COMMIT}
        for name in theirs.namelist():
            if ".dist-info/" not in name:
                assert ours.read(name) == theirs.read(name), name
        (scripts,) = (name for name in ours.namelist() if name.endswith("entry_points.txt"))
        assert ours.read(scripts) == theirs.read(scripts)


def test_the_record_of_the_wheel_has_the_hash_of_every_file() -> None:
    with zipfile.ZipFile(io.BytesIO(pack_wheel())) as wheel:
        (record,) = (name for name in wheel.namelist() if name.endswith("/RECORD"))
        rows = [line.split(",") for line in wheel.read(record).decode().splitlines()]
        assert sorted(row[0] for row in rows) == sorted(wheel.namelist())
        for name, digest, size in rows:
            if name != record:
                content = wheel.read(name)
                expected = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
                assert (digest, int(size)) == (f"sha256={expected}", len(content))


@pytest.mark.long
def test_an_installed_wheel_with_compiled_modules_offers_itself_without_them(tmp_path: Path) -> None:
    wheel = tmp_path / name_wheel()
    wheel.write_bytes(pack_wheel())
    place = [ROOT / ".uv/bin/uv", "pip", "install", "--quiet", "--offline", "--no-deps"]
    site = tmp_path / "site"
    subprocess.run([*place, "--target", site, wheel], check=True)
    (site / "maumau/game/unused.cpython-311-x86_64-linux-gnu.so").write_bytes(b"compiled")
    code = (
        f"import sys; sys.path[:0] = [{str(site)!r}, {str(site / 'maumau/installed')!r}]\n"
        "from services.web.public.wheel import pack_wheel\n"
        "import maumau, services\n"
        "assert all(one.__file__.startswith(sys.path[0]) for one in (maumau, services))\n"
        "sys.stdout.buffer.write(pack_wheel())"
    )
    again = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=True).stdout
    with zipfile.ZipFile(io.BytesIO(again)) as ours, zipfile.ZipFile(wheel) as theirs:
        assert sorted(ours.namelist()) == sorted(theirs.namelist())
        tags = next(name for name in ours.namelist() if name.endswith("/WHEEL"))
        assert b"Tag: py3-none-any" in ours.read(tags)


def test_only_the_wheel_lies_below_the_page(site) -> None:
    for name in ("maumau_arena-9.9.9-py3-none-any.whl", "..%2fpyproject.toml", "wheel"):
        assert site.get(f"/install/{name}").status == 404
