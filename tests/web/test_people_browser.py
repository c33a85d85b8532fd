"""The pages of those who have logged in, in a real browser: by keys, without scripts, on every screen."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import pytest

from maumau.client.answer import RuleSet
from maumau.client.matchmaking import Matchmaking
from tests.support.arenas.tournament import ADMIN, CUP, FINAL, SEMI, play_until
from tests.web.browser import find_serious, opened
from tests.web.test_mine import MANIFEST


@pytest.fixture(scope="module")
def organiser_pages(house):
    """Return an organiser with bots, a fault, a running contest and an open one: browser and paths."""
    services = house.services
    client, account, visitor = house.organiser()
    bots = [services.bot("crash", client, name=f"crash-{account[-8:]}"), services.bot("random", client)]
    name, hidden = f"autumn-cup-{account[-4:]}", f"winter-cup-{account[-4:]}"
    client.create(_spec(name, "public"))
    client.open(name)
    for bot in bots:
        client.enter(name, bot)
    for bot in services.field("first", "random"):
        services.enter(name, bot)
    client.start(name)
    play_until(services, name, FINAL)
    client.create(_spec(hidden, "end"))
    client.open(hidden)
    version = client.submit(f"new-{account[-8:]}", services.program(f"new-{account[-8:]}")).version
    fault = next(
        one.id for match in client.matches(name) for one in client.faults(name, match.label, bots[0])
    )
    ladder = f"ladder-{account[-8:]}"
    with Matchmaking(services.address, ADMIN) as link:
        link.create(ladder, "mau_mau")
    with Matchmaking(services.address, client.token) as link:
        link.join(ladder, bots[1])
        link.practise(bots[1], bots[0], RuleSet("mau_mau", "", "", ""), 1)  # listed on /me
    draft = f"spring-cup-{account[-4:]}"
    client.create(_spec(draft, "public"))
    client.disqualify(name, bots[0], "it is the program of another entrant")
    hook = client.create_webhook("https://bots.example/maumau", (), (name,)).webhook
    services.admin.set_member(group := f"class-{account[-8:]}", account, "organiser")
    contest = f"/me/contests/{name}"
    paths = (
        "/login", "/me", "/me/new-contest", contest, f"{contest}/pause", f"{contest}/cancel",
        f"{contest}/matches/{SEMI}", f"/me/contests/{hidden}", f"/me/contests/{hidden}/start",
        f"/contests/{hidden}", f"/me/versions/{version.id}", f"/me/bots/{bots[0]}", f"/me/faults/{fault}",
        f"/me/ladders/{ladder}", f"/me/contests/{draft}/edit", f"{contest}/withdraw?bot={bots[1]}",
        f"{contest}/disqualify?bot={bots[1]}", f"/contests/{name}", "/me/webhooks", f"/me/webhooks/{hook.id}",
        "/me/team", "/me/delete",
        f"{contest}/disqualify?bot={bots[1]}", f"/contests/{name}", "/join", f"/me/groups/{group}",
        "/mail/stop/hook_x/key",
    )  # fmt: skip
    return visitor.cookies, paths


def _spec(name: str, release: str) -> str:
    return (
        f'name = "{name}"\nrules = "mau_mau"\nrelease = "{release}"\n[[stage]]\n'
        f'format = "single_elimination"\nthird_place = true\n[match]\nblock = 5\ncap = {CUP["cap"]}\n'
    )


@pytest.mark.long
def test_one_logs_in_and_out_by_keys_alone(chromium, house) -> None:
    client, name = house.services.author()
    with opened(chromium, house, "/me") as page:
        page.keyboard.type(client.create_page_code().code.lower().replace("-", ""))
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/me$"))
        assert name in page.locator("main").inner_text()
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "Log out":
                break
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r":\d+/$"))
        assert page.context.cookies() == []


@pytest.mark.long
def test_a_folder_is_submitted_and_entered_without_scripts(chromium, house, tmp_path: Path) -> None:
    client, account, visitor = house.author()
    name, folder = f"bot-{account[-8:]}", tmp_path / "my-bot"
    folder.mkdir()
    (folder / "bot.toml").write_bytes(MANIFEST.replace(b"NAME", name.encode()))
    (folder / "bot.py").write_text(f"# {uuid.uuid4()}\n")
    contest = house.services.create()
    house.services.admin.open(contest)
    with opened(chromium, house, "/me", visitor.cookies, java_script_enabled=False) as page:
        page.set_input_files("#folder", folder)
        page.click("#upload form:has(#folder) button")
        page.locator("main", has_text="waits for validation").wait_for()
        house.services.pass_validation(client.bots(mine=True)[0].versions[0].id)
        page.locator("h1 .state.running").wait_for()  # by itself, every few seconds until then
        page.goto(f"{house.url}/me/contests/{contest}")
        page.click("main button:has-text('Enter')")
        page.locator("text=Withdraw").wait_for()
    assert [one.bot_name for one in client.tournament(contest).entries] == [name]


@pytest.mark.long
def test_a_contest_s_toml_is_shown_while_one_types(chromium, house) -> None:
    client, _, visitor = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    with opened(chromium, house, "/me/new-contest", visitor.cookies) as page:
        page.fill("#name", name)
        page.locator("#drawn pre", has_text=f'name = "{name}"').wait_for()
        page.fill("#cap", "150")
        page.locator("#drawn .ill").wait_for()
        assert "whole number of blocks" in page.locator("#drawn").inner_text()
        page.fill("#cap", "300")
        page.locator("#drawn pre", has_text="cap = 300").wait_for()
        page.click("button:has-text('Create')")
        page.wait_for_url(re.compile(f"/me/contests/{name}$"))
    assert client.tournament(name).state == "created"


@pytest.mark.long
def test_a_version_s_page_follows_its_validation_in_place(chromium, house) -> None:
    client, account, visitor = house.author()
    name = f"bot-{account[-8:]}"
    version = client.submit(name, house.services.program(name)).version
    with opened(chromium, house, f"/me/versions/{version.id}", visitor.cookies) as page:
        assert find_serious(page) == []
        house.services.pass_validation(version.id)
        page.locator("h1 .state.running").wait_for()
        assert page.locator("[data-again]").count() == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [
        (390, "light", "de"), (820, "dark", "en"), (1440, "light", "en"), (1440, "dark", "de"),
        (360, "light", "cs"), (360, "light", "fr"), (360, "dark", "nl"),
    ],
)  # fmt: skip
def test_private_pages_fit_have_no_serious_finding_and_are_looked_at(
    chromium, house, organiser_pages, tmp_path: Path, width, scheme, language
) -> None:
    """Their screenshots lie in the test's folder."""
    cookies, paths = organiser_pages
    for number, path in enumerate(paths):
        joint = "&" if "?" in path else "?"
        known, size = ({} if path == "/login" else cookies), {"width": width, "height": 900}
        address = f"{path}{joint}lang={language}"
        with opened(
            chromium, house, address, known, viewport=size, color_scheme=scheme, locale=language
        ) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert find_serious(page) == [], path
            page.screenshot(path=tmp_path / f"{number}-{width}-{scheme}-{language}.png", full_page=True)


@pytest.mark.long
def test_private_pages_are_read_without_scripts(chromium, house, organiser_pages) -> None:
    cookies, paths = organiser_pages
    for path in paths[1:]:
        with opened(chromium, house, path, cookies, java_script_enabled=False) as page:
            assert page.locator("main h1").first.inner_text()
