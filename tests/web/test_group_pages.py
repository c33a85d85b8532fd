"""Groups at the page: joining by a code, the group's page, and its contests for members alone."""

from __future__ import annotations

import re
import uuid
from typing import Any
from unittest.mock import MagicMock

import pytest
import segno
from fastapi.routing import APIRoute
from starlette.routing import compile_path

from services.web import api
from services.web.private.spec_form import DEFAULTS
from services.web.routes.public import list_embeds, list_feeds, list_public_pages
from services.web.words import TONGUES
from tests.support.waiting import until
from tests.web.visitor import House, Page, Visitor

MAGIC = {"label": "1.1.1", "number": "0", "file": "x.whl", "id": "table_x"}
KEY = re.compile(r"mm_[A-Za-z0-9_-]{43}")


def new_name(kind: str) -> str:
    return f"{kind}-{uuid.uuid4().hex[:8]}"


def spec(name: str, visibility: str, group: str = "") -> str:
    top = f'visibility = "{visibility}"\n' + (f'group = "{group}"\n' if group else "")
    return (
        f'name = "{name}"\nrules = "mau_mau"\n{top}[[stage]]\nformat = "round_robin"\n'
        "[match]\nblock = 2\ncap = 4\ndelta = 0.001\n"
    )


@pytest.fixture(scope="module")
def group(house: House) -> str:
    name = new_name("class")
    house.services.admin.create_invitations(name, 1)
    return name


@pytest.fixture(scope="module")
def teacher(house: House, group: str) -> tuple[Any, str, Visitor]:
    client, name = house.services.author()
    house.services.admin.set_member(group, name, "organiser")
    return client, name, house.log_in(client)


@pytest.fixture(scope="module")
def code_of(house: House, group: str) -> Any:
    return lambda: house.services.admin.create_invitations(group, 1).invitations[0].code


def join(visitor: Visitor, code: str, name: str, **headers: str) -> Page:
    return visitor.send(f"/join/{code}", "/join", {"code": code, "name": name}, **headers)


def test_a_code_opens_an_account_and_its_key_opens_it_again(house, group, code_of) -> None:
    pupil, name = house.visitor(), new_name("pupil")
    code = code_of()
    assert f'value="{code}"' in pupil.get(f"/join/{code}").text
    page = join(pupil, code.lower(), name)
    assert page.status == 200
    assert group in page.words
    assert "maumau login --token TOKEN --arena http://127.0.0.1</pre>" in page.text
    (key,) = set(KEY.findall(page.text))
    assert f'<pre class="command" tabindex="0">{key}</pre>' in page.text  # wraps: shown whole on a phone
    assert all(key not in cookie for cookie in page.cookies)
    assert group in pupil.get("/me").words
    assert house.services.admin.with_token(key).who().account_name == name
    later = house.visitor()
    assert later.post("/login", {"code": f" {key} "}).status == 303
    assert name in later.get("/me").words
    assert later.send("/me", "/logout").status == 303
    assert house.services.admin.with_token(key).who().account_name == name


def test_the_sheet_s_form_sent_twice_makes_one_account(house, code_of) -> None:
    visitor, code, name = house.visitor(), code_of(), new_name("pupil")
    fields = {**visitor.hidden(f"/join/{code}", "/join"), "code": code, "name": name}
    first, second = visitor.post("/join", fields), house.visitor().post("/join", fields)
    assert (first.status, second.status) == (200, 200)
    assert KEY.findall(first.text) == KEY.findall(second.text)


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "used, revoked or unknown here"), ("de", "schon benutzt oder widerrufen")],
)
def test_a_used_and_an_unknown_code_are_refused_alike(house, code_of, language, words) -> None:
    used, name = code_of(), new_name("pupil")
    assert join(house.visitor(), used, new_name("pupil")).status == 200
    pages = [
        join(house.visitor(), code, name, accept_language=language) for code in (used, "AAAA-BBBB-CCCC-DDDD")
    ]
    assert [page.status for page in pages] == [400, 400]
    assert all(words in page.words for page in pages)
    assert not any(page.cookies for page in pages)


def test_a_taken_name_leaves_the_form_as_it_was_typed(house, code_of) -> None:
    code, taken = code_of(), house.services.author()[1]
    page = join(house.visitor(), code, taken)
    assert page.status == 409
    assert f'value="{code}"' in page.text
    assert f'value="{taken}"' in page.text
    assert join(house.visitor(), code, new_name("pupil")).status == 200


@pytest.mark.long
def test_an_organiser_invites_with_a_sheet_whose_codes_can_be_scanned(house, group, teacher) -> None:
    _, _, visitor = teacher
    at = f"/me/groups/{group}"
    page = visitor.send(at, f"{at}/invite", {"count": "24", "days": "14"})
    assert page.status == 200
    cards = re.findall(r'<article data-code="([^"]+)"><div>(<svg.*?</svg>)', page.text, re.DOTALL)
    assert len({code for code, _ in cards}) == 24
    assert "no phone, can open it" in page.text  # this arena listens on this machine alone
    for code, drawn in cards:
        wanted = segno.make(f"{house.url}/join/{code}", error="m", micro=False)
        assert re.findall(r' d="([^"]+)"', drawn) == re.findall(
            r' d="([^"]+)"', wanted.svg_inline(border=4, dark="#000", light="#fff", omitsize=True)
        )
    assert join(house.visitor(), cards[0][0], new_name("pupil")).status == 200
    assert visitor.send(at, f"{at}/revoke").status == 303
    assert join(house.visitor(), cards[1][0], new_name("pupil")).status == 400
    assert visitor.send(at, f"{at}/invite", {"count": "0", "days": "14"}).status == 400


def test_members_are_added_promoted_and_removed_at_the_page(house, group, teacher, code_of) -> None:
    _, _, visitor = teacher
    pupil, name = house.visitor(), new_name("pupil")
    join(pupil, code_of(), name)
    at = f"/me/groups/{group}"
    assert f"{at}/invite" not in pupil.get(at).text
    fields = visitor.hidden(at, f"{at}/members") | {"account": name}
    assert visitor.post(f"{at}/members", {**fields, "role": "organiser"}).status == 303
    assert f"{at}/invite" in pupil.get(at).text
    fields = visitor.hidden(at, f"{at}/remove") | {"account": name}
    assert visitor.post(f"{at}/remove", fields).status == 303
    assert pupil.get(at).status == 404
    author = house.author()[2]
    assert author.get(at).status == 404
    assert author.get("/join").status == 200


def test_somebody_known_joins_with_a_code(house, group, code_of) -> None:
    _, name, visitor = house.author()
    answer = visitor.send("/join", "/join/group", {"code": code_of()})
    assert answer.headers["location"] == f"/me/groups/{group}"
    assert name in visitor.get(f"/me/groups/{group}").words


@pytest.fixture(scope="module")
def cup(house: House, group: str, teacher: tuple[Any, str, Visitor]) -> str:
    """Return the name of a running contest of the group, made and started by its organiser at the page."""
    _, _, visitor = teacher
    name, new = new_name("cup"), "/me/new-contest"
    until(lambda: f"group:{group}" in visitor.get(new).text)
    chosen = {"name": name, "audience": f"group:{group}", "cap": "4", "block": "2"}
    hidden = visitor.hidden(new, new)
    answer = visitor.post("/me/contests", {**DEFAULTS, **hidden, **chosen})
    assert answer.status == 303, answer.words
    at = answer.headers["location"]
    assert visitor.send(f"{at}/open", f"{at}/open").status == 303
    for bot in house.services.field("first", "random"):
        house.services.enter(name, bot)
    assert visitor.send(f"{at}/start", f"{at}/start").status == 303
    house.services.worker.play(house.services.queued(name)[0].id)
    return name


def list_addresses() -> list[str]:
    """Return every public address below which a contest can be, with its names filled in but for NAME."""

    it: Any = MagicMock()
    paths = {*list_public_pages(it, it, it, it), *list_feeds(it), *list_embeds(it)}
    paths |= {route.path for route in api.router(it, it).routes if isinstance(route, APIRoute)}
    paths |= {"/me/contests/{name}", "/me/contests/{name}/edit", "/me/contests/{name}/pause"}
    filled = []
    for path in sorted(paths):
        _, shape, _ = compile_path(path)
        for key, value in MAGIC.items():
            shape = shape.replace(f"{{{key}}}", value)
        filled.append(shape)
    return filled


@pytest.mark.long
def test_every_address_answers_strangers_as_if_a_hidden_contest_had_never_been(house, group, cup) -> None:
    absent = f"{cup[:-4]}zzzz"
    strangers = {"nobody": house.visitor(), "author": house.author()[2], "organiser": house.organiser()[2]}
    asked = 0
    for who, visitor in strangers.items():
        for shape in list_addresses():
            if shape.startswith("/stream") and "/contests/{name}" not in shape:
                continue  # endless, and drawn from what the pages show
            if "{name}" not in shape or "/contests/" not in shape:
                text = visitor.get(shape.replace("{name}", "random-0")).text
                assert cup not in text, (who, shape)
                assert f">{group}<" not in text, (who, shape)
                continue
            hidden, never = (visitor.get(shape.replace("{name}", one)) for one in (cup, absent))
            assert hidden.status == never.status
            assert hidden.status in (303, 403, 404), (who, shape)
            assert same(hidden, cup) == same(never, absent), (who, shape)
            asked += 1
    assert asked > 60


def same(page: Page, name: str) -> tuple[dict[str, str], str]:
    """Return headers and text without the name and what differs between any two answers."""
    headers = {key: value.replace(name, "NAME") for key, value in page.headers.items() if key != "date"}
    return headers, re.sub(r"request_[0-9a-f]{24}", "", page.text.replace(name, "NAME"))


def test_members_see_the_contest_at_its_public_address_once_logged_in(house, group, cup, code_of) -> None:
    pupil = house.visitor()
    assert pupil.get(f"/contests/{cup}").status == 404
    join(pupil, code_of(), new_name("pupil"))
    page = pupil.get(f"/contests/{cup}")
    assert page.status == 200
    assert page.headers["cache-control"] == "private, no-store"
    assert group in page.words
    assert "noindex" in page.text
    assert pupil.get(f"/contests/{cup}/matches/1.1.1").status == 200
    assert cup in pupil.get("/contests").text
    assert cup in pupil.get(f"/me/groups/{group}").text
    assert house.visitor().get(f"/contests/{cup}").status == 404
    pupil.cookies = {name: value[:-1] for name, value in pupil.cookies.items()}
    assert pupil.get(f"/contests/{cup}").status == 404


def test_an_unlisted_contest_is_at_its_address_and_in_no_list(house) -> None:
    name = new_name("unlisted")
    house.services.admin.create(spec(name, "unlisted"))
    visitor = house.visitor()
    page = visitor.get(f"/contests/{name}")
    assert page.status == 200
    assert '<meta name="robots" content="noindex">' in page.text
    for path in (
        "/",
        "/contests",
        "/feeds/contests.atom",
        "/feeds/contests.ics",
        "/api/v1/contests",
        "/status",
    ):
        assert name not in visitor.get(path).text, path


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_page_that_leads_to_this_computer_only_says_so_before_there_are_codes(
    teacher, group, language
) -> None:
    _, _, visitor = teacher
    said = TONGUES[language]("group_codes_local")
    near = visitor.get(f"/me/groups/{group}", accept_language=language, host="127.0.0.1:7100")
    assert said in near.words
    far = visitor.get(f"/me/groups/{group}", accept_language=language, host="10.0.0.7:7100")
    assert said not in far.words
