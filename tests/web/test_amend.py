"""What could be done on the command line alone: ladders, a spec edited, a bot disqualified."""

from __future__ import annotations

import html
import uuid

import pytest

from maumau.matchmaking import Matchmaking
from tests.tournament.arena import ADMIN, CUP, DEFAULTS, FINAL, SPEC, play_until

REASON = "it is the <b>program</b> of another entrant"


@pytest.fixture(scope="module")
def ladder(house):
    """A ladder of these services: its name."""
    name = f"ladder-{uuid.uuid4().hex[:8]}"
    with Matchmaking(house.services.address, ADMIN) as link:
        link.create(name, "mau_mau")
    return name


@pytest.mark.long
def test_an_author_joins_and_leaves_a_ladder(house, ladder) -> None:
    client, _, visitor = house.author()
    path = f"/me/ladders/{ladder}"
    assert "#upload" in visitor.get(path).text
    assert path in visitor.get("/me").text
    bot = house.services.bot("random", client)
    form = {**visitor.hidden(path, f"{path}/join"), "bot": bot}
    assert [visitor.post(f"{path}/join", form).headers["location"] for _ in range(2)] == [path, path]
    assert bot in visitor.get(f"/ladders/{ladder}").words
    assert f'action="{path}/join"' not in visitor.get(path).text
    _, _, other = house.author()
    token = {**other.hidden("/me", "/logout"), "bot": bot}
    for step in ("join", "leave"):
        assert other.post(f"{path}/{step}", token).status == 403
    assert f'action="{path}/leave"' not in other.get(path).text
    assert visitor.send(path, f"{path}/leave").headers["location"] == path
    assert f'action="{path}/leave"' not in visitor.get(path).text
    assert visitor.get("/me/ladders/none").status == 404


@pytest.fixture
def made(house):
    """An organiser's contest that is not open yet: client, browser, name, page."""
    client, _, visitor = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    client.create(SPEC.format(**{**DEFAULTS, "name": name}))
    return client, visitor, name, f"/me/contests/{name}"


def test_a_spec_is_edited_after_its_changes_are_shown(made) -> None:
    client, visitor, name, path = made
    assert f'href="{path}/edit"' in visitor.get(path).text
    form = visitor.hidden(f"{path}/edit", f"{path}/edit/check")
    typed = client.tournament(name).spec_toml.replace("cap = 20", "cap = 40")
    checked = visitor.post(f"{path}/edit/check", {**form, "spec": typed.replace("\n", "\r\n")})
    assert "match.cap 20 40" in checked.words
    assert "cap = 20" in client.tournament(name).spec_toml
    wrong = visitor.post(f"{path}/edit/check", {**form, "spec": typed.replace("cap = 40", "cup = 40")})
    assert 'aria-invalid="true"' in wrong.text
    assert "cup" in wrong.words
    for _ in range(2):
        assert visitor.post(f"{path}/edit", {**form, "spec": typed}).headers["location"] == path
    assert "cap = 40" in client.tournament(name).spec_toml


@pytest.mark.long
def test_a_contest_that_is_open_keeps_its_spec(made, house) -> None:
    client, visitor, name, path = made
    form = visitor.hidden(f"{path}/edit", f"{path}/edit/check")
    typed = client.tournament(name).spec_toml
    other = house.organiser()[2]
    stolen = {**other.hidden("/me", "/logout"), "spec": typed}
    assert other.get(f"{path}/edit").status == 403
    assert other.post(f"{path}/edit/check", stolen).status == 403
    assert other.post(f"{path}/edit", stolen).status == 403
    client.open(name)
    assert f'href="{path}/edit"' not in visitor.get(path).text
    assert "<textarea" not in visitor.get(f"{path}/edit").text
    assert visitor.post(f"{path}/edit", {**form, "spec": f"{typed}# late\n"}).status == 409


@pytest.mark.long
def test_who_is_disqualified_is_shown_as_such_everywhere(house) -> None:
    """The winner of a semi-final goes: whom it beat is in the final, and the page says why."""
    services, visitor = house.services, house.log_in(house.services.admin)
    name = services.create(**CUP)
    services.admin.open(name)
    bots = services.field("first", "random", "random", "first")
    for bot in bots:
        services.enter(name, bot)
    services.admin.start(name)
    play_until(services, name, FINAL)
    (final,) = [one for one in services.admin.matches(name) if one.label == FINAL]
    path, gone = f"/me/contests/{name}", final.first_name
    asked = f"{path}/disqualify?bot={gone}"
    assert asked in visitor.get(path).text
    page = visitor.get(asked)
    assert f"{FINAL} would be played again from the start" in page.words
    assert f"{gone} would be disqualified" in page.words
    assert not any(entry.disqualified for entry in services.admin.tournament(name).entries)
    assert visitor.send(asked, f"{path}/disqualify", {"reason": ""}).status == 400
    form = {**visitor.hidden(asked, f"{path}/disqualify"), "reason": REASON}
    for _ in range(2):
        assert visitor.post(f"{path}/disqualify", form).headers["location"] == path
    public = house.visitor().get(f"/contests/{name}")
    assert f"{gone} has been disqualified: {REASON}" in public.words
    assert REASON not in public.text
    reason = html.escape(REASON)
    bracket, standings = (
        public.text.partition(f'id="{part}"')[2].partition("<section id=")[0]
        for part in ("bracket", "standings")
    )
    assert f'title="disqualified: {reason}"' in bracket
    assert '<span class="hidden"> (disqualified)</span>' in bracket
    assert f'<span class="state cancelled" title="{reason}">disqualified</span>' in standings
    assert house.author()[2].get(asked).status == 403
    assert visitor.get(f"{path}/disqualify?bot=nobody").status == 409
