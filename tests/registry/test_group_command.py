"""`maumau admin invite` and `maumau group` against a real registry; the sheet that is cut up."""

import io
import re
import sys
import uuid
from datetime import UTC, datetime

import msgspec
import pytest
import segno

from maumau.cli.arena.sheet import COLUMNS, ROWS, write_sheet
from tests.registry.conftest import ADMIN
from tests.support.terminal import Terminal

CARD = re.compile(r'<article data-code="([^"]+)"><div>(<svg.*?</svg>)', re.DOTALL)
PATH = re.compile(r' d="([^"]+)"')


@pytest.fixture
def at_home(registry, tmp_path_factory):
    """Return the terminal of somebody new: `at_home(token)`."""
    arena = f"{registry.address},{registry.address.rpartition(':')[2]}"

    def sit_down(token=""):
        given = {"MAUMAU_TOKEN": token} if token else {}
        return Terminal(tmp_path_factory.mktemp("home"), MAUMAU_ARENA=arena, **given)

    return sit_down


@pytest.fixture
def group():
    return f"class-{uuid.uuid4().hex[:8]}"


def draw(payload):
    drawn = segno.make(payload, error="m", micro=False).svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True, svgclass=None, lineclass=None
    )
    return PATH.findall(drawn)


@pytest.mark.long
def test_a_class_gets_in_with_a_sheet(at_home, group):
    admin = at_home(ADMIN)
    words = ("admin", "invite", "--group", group, "--count", "24", "--expires", "14d")
    told = admin.run(*words, "--sheet", "class.html", "--page", "https://arena.example/").out
    codes = re.findall(r"^([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3})$", told, re.MULTILINE)
    assert len(set(codes)) == 24
    assert "this machine only" not in told
    assert f"{group} is a new group" in told
    sheet = admin.home / "class.html"
    assert sheet.stat().st_mode & 0o077 == 0
    text = sheet.read_text()
    cards = CARD.findall(text)
    assert [code for code, _ in cards] == codes
    for code, drawn in cards:
        assert PATH.findall(drawn) == draw(f"https://arena.example/join/{code}")
    assert text.count("<section>") == 24 // (COLUMNS * ROWS)
    assert ("Gilt einmal" in text, "Works once" in text, "size: A4" in text) == (True, True, True)
    assert "<script" not in text
    assert admin.run(*words, "--sheet", "class.html", "--json", code=1).error()["reason"] == "BAD_FILE"

    pupil, name = at_home(), f"pupil-{uuid.uuid4().hex[:8]}"
    assert name in pupil.run("login", "--new", name, "--code", codes[0].lower()).out
    assert pupil.run("whoami", "--json").json()["groups"] == [{"group_name": group, "role": "member"}]
    assert name in pupil.run("group", "members", group).out
    used = at_home().run("login", "--new", f"x{name}", "--code", codes[0], "--json", code=1).error()
    assert used["reason"] == "UNKNOWN_INVITATION"
    refused = at_home().run("login", "--code", codes[1], code=2)
    assert "--new NAME" in refused.err

    listed = admin.run("group", "codes", group, "--json").json()
    assert [one["state"] for one in listed].count("used") == 1
    assert next(one["account_name"] for one in listed if one["state"] == "used") == name
    assert "23 open codes" in admin.run("group", "show", group).out
    assert admin.run("group", "revoke", group).out.strip() == "revoked 23 codes"
    assert admin.run("group", "revoke", group).out.strip() == "revoked 0 codes"
    assert at_home().run("login", "--new", f"y{name}", "--code", codes[1], code=1).err


def test_an_invitation_has_the_ports_of_all_services(registry, group, tmp_path):
    """This line alone is enough to reach them all, even if the registry does not name them."""
    port = registry.address.rpartition(":")[2]
    admin = Terminal(tmp_path, MAUMAU_ARENA=f"http://127.0.0.1:{port},4202,4303,4404", MAUMAU_TOKEN=ADMIN)
    (line,) = [
        line for line in admin.run("admin", "invite", "--group", group).out.splitlines() if "--arena" in line
    ]
    assert f"maumau login --new NAME --code CODE --arena http://127.0.0.1:{port},4202,4303,4404`" in line


def test_a_teacher_runs_the_group(at_home, registry, group):
    admin = at_home(ADMIN)
    made = admin.run("admin", "invite", "--group", group, "--role", "organiser", "--json").json()["made"]
    teacher, name = at_home(), f"teacher-{uuid.uuid4().hex[:8]}"
    teacher.run("login", "--new", name, "--code", made["invitations"][0]["code"])
    (code,) = [
        one["code"]
        for one in teacher.run("admin", "invite", "--group", group, "--json").json()["made"]["invitations"]
    ]
    pupil = registry.author()
    assert "you are a member of" in at_home(pupil.token).run("group", "join", code).out
    assert "is an organiser of" in teacher.run("group", "add", group, pupil.name, "--role", "organiser").out
    teacher.run("group", "add", group, pupil.name)
    roles = {
        one["account_name"]: one["role"] for one in teacher.run("group", "members", group, "--json").json()
    }
    assert roles == {name: "organiser", pupil.name: "member"}
    assert group in teacher.run("group", "list").out
    assert (
        teacher.run("group", "remove", group, pupil.name).out.strip()
        == f"{pupil.name} is no longer in {group}"
    )
    assert (
        at_home(pupil.token).run("group", "show", group, "--json", code=1).error()["reason"]
        == "UNKNOWN_GROUP"
    )
    assert "you are in no group" in at_home(pupil.token).run("group", "list").out
    assert teacher.run("group", "leave", group, "--json").json() == {"group": group, "removed": name}


def test_an_admin_who_misspells_a_group_sees_that_it_is_a_new_one(at_home, registry, group):
    name, admin = registry.author().name, at_home(ADMIN)
    assert admin.run("group", "add", group, name).out == (
        f"{group} is a new group\n{name} is a member of {group}\n"
    )
    assert admin.run("group", "add", group, name).out == f"{name} is a member of {group}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--expires", "soon"), "such as 14d"),
        (("--expires", "0d"), "such as 14d"),
        (("--role", "king"), "member and organiser"),
    ],
)
def test_odd_spans_and_roles_are_refused_before_anything_is_made(at_home, group, words, said):
    assert said in at_home(ADMIN).run("admin", "invite", "--group", group, *words, code=2).err
    assert msgspec.json.decode(at_home(ADMIN).run("group", "list", "--json").out) == [
        one for one in at_home(ADMIN).run("group", "list", "--json").json() if one["name"] != group
    ]


def test_a_sheet_without_a_page_has_the_codes_alone_and_a_page_for_every_24():
    codes = [f"AAAA-BBBB-CCCC-{number:04}" for number in range(25)]
    text = write_sheet("<b>", codes, None, "")
    assert text.count("<section>") == 2
    assert "<b>" not in text
    assert PATH.findall(CARD.findall(text)[24][1]) == draw(codes[24])


@pytest.mark.long
def test_all_lines_of_a_card_are_seen_when_it_is_printed(chromium):
    page = "https://arena.comprehensive-school.example:7100"
    context = chromium.new_context(viewport={"width": 794, "height": 1123})
    try:
        tab = context.new_page()
        tab.emulate_media(media="print")
        ends_at = datetime(2026, 12, 11, tzinfo=UTC)
        tab.set_content(write_sheet("g" * 32, ["WWWW-MMMM-WWWW-MMMM"] * 24, ends_at, page))
        cards = tab.locator("article")
        assert cards.count() == 24
        high, wide = "one.scrollHeight > one.clientHeight", "one.scrollWidth > one.clientWidth"
        assert cards.evaluate_all(f"all => all.filter(one => {high} || {wide}).length") == 0
        height = tab.locator("section").evaluate("one => one.getBoundingClientRect().height")
        assert height <= (297 - 2 * 8) * 96 / 25.4
    finally:
        context.close()


@pytest.mark.parametrize("page", ["http://127.0.0.1:7100", "http://localhost:7100/", "http://[::1]:7100"])
def test_a_sheet_that_no_phone_can_open_says_so(at_home, group, page):
    words = ("admin", "invite", "--group", group, "--sheet", "own.html", "--page", page)
    admin = at_home(ADMIN)
    assert f"warning: the address on the sheet, {page.rstrip('/')}," in admin.run(*words).err
    assert "open" in admin.run("group", "codes", group).out


def test_a_sheet_that_no_phone_can_open_is_asked_about_before_there_are_codes(
    at_home, group, monkeypatch, start, settings, valkey_url, tmp_path
):
    class Typed(io.StringIO):
        def isatty(self):
            return True

    given = settings(tmp_path / "other", "", valkey_url, page_url="http://127.0.0.1:7100")
    (tmp_path / "other").mkdir()
    with start(given) as found:
        port = found.address.rpartition(":")[2]
        admin = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=f"127.0.0.1:{port},{port}")
        words = ("admin", "invite", "--group", group, "--sheet", "own.html")
        monkeypatch.setattr(sys, "stdin", Typed("n\n"))
        refused = admin.run(*words, code=1)
        assert "no phone can open it" in refused.err
        assert not (tmp_path / "own.html").exists()
        assert "UNKNOWN_GROUP" in admin.run("group", "codes", group, "--json", code=1).err
        monkeypatch.setattr(sys, "stdin", Typed("y\n"))
        admin.run(*words)
        assert (tmp_path / "own.html").exists()
