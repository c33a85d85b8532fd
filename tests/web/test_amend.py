"""Former tasks of the command line alone: ladders, a spec edited, a bot disqualified."""

from __future__ import annotations

import html
import re
import uuid

import pytest

from maumau.client.matchmaking import Matchmaking
from tests.support.arenas.tournament import ADMIN, CUP, DEFAULTS, FINAL, SPEC, play_all, play_until
from tests.support.waiting import until

REASON = "it is the <b>program</b> of another entrant"


@pytest.fixture(scope="module")
def ladder(house):
    """Return a ladder of these services: its name."""
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
    """Return an organiser's contest that is not open yet: client, browser, name, page."""
    client, _, visitor = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    client.create(SPEC.format(**{**DEFAULTS, "name": name}))
    return client, visitor, name, f"/me/contests/{name}"


@pytest.mark.long
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
    assert "This cannot be saved yet:" in wrong.words
    assert "This can be saved." in checked.words
    refused = visitor.post(f"{path}/edit", {**form, "spec": typed.replace("cap = 40", "cup = 40 # mine")})
    assert refused.status == 400
    assert "cup = 40 # mine" in refused.text
    assert "This cannot be saved yet:" in refused.words
    assert "cap = 20" in client.tournament(name).spec_toml
    form = visitor.hidden(f"{path}/edit", f"{path}/edit/check")
    for _ in range(2):
        assert visitor.post(f"{path}/edit", {**form, "spec": typed}).headers["location"] == path
    assert "cap = 40" in client.tournament(name).spec_toml


@pytest.mark.long
def test_the_spec_of_an_open_contest_changes_until_bots_have_entered(made, house) -> None:
    client, visitor, name, path = made
    form = visitor.hidden(f"{path}/edit", f"{path}/edit/check")
    typed = client.tournament(name).spec_toml
    other = house.organiser()[2]
    stolen = {**other.hidden("/me", "/logout"), "spec": typed}
    assert other.get(f"{path}/edit").status == 403
    assert other.post(f"{path}/edit/check", stolen).status == 403
    assert other.post(f"{path}/edit", stolen).status == 403
    client.open(name)
    assert f'href="{path}/edit"' in visitor.get(path).text
    longer = typed.replace("cap = 20", "cap = 40")
    assert visitor.post(f"{path}/edit", {**form, "spec": longer}).headers["location"] == path
    author, _, _ = house.author()
    author.enter(name, house.services.bot("first", author))
    checked = visitor.post(f"{path}/edit/check", {**form, "spec": typed})
    assert "match.cap cannot be changed any more" in checked.words
    refused = visitor.post(f"{path}/edit", {**form, "spec": typed})
    assert refused.status == 409
    assert "match.cap cannot be changed any more" in refused.words
    assert "cap = 20" in refused.text
    hidden = longer.replace('release = "public"', 'release = "end"')
    late = {**visitor.hidden(f"{path}/edit", f"{path}/edit/check"), "spec": hidden}
    assert visitor.post(f"{path}/edit", late).headers["location"] == path
    public = house.visitor().get(f"/contests/{name}")
    assert "Changes of the spec (2)" in public.words
    assert "20 → 40" in public.words
    assert '"public" → "end"' in public.words
    author.withdraw(name, client.tournament(name).entries[0].bot_name)
    for bot in ("first", "random"):
        author.enter(name, house.services.bot(bot, author))
    too_late = visitor.hidden(f"{path}/edit", f"{path}/edit/check")
    client.start(name)
    assert f'href="{path}/edit"' not in visitor.get(path).text
    assert "<textarea" not in visitor.get(f"{path}/edit").text
    assert visitor.post(f"{path}/edit", {**too_late, "spec": longer}).status == 409


def find_finalists(services, name) -> list[str]:
    """Return the bots of the final, as far as they are known."""
    finals = [one for one in services.admin.matches(name) if one.label == FINAL]
    return [bot for one in finals for bot in (one.first_name, one.second_name) if bot]


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
    until(lambda: len(find_finalists(services, name)) == 2)
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


def confirm(visitor, contest) -> None:
    """Confirm the result that the contest's page has shown; another one is refused."""
    path = f"/me/contests/{contest.name}"
    step = re.search(rf'href="({path}/confirm[^"]*)"', visitor.get(path).text)[1]
    form = visitor.hidden(html.unescape(step), f"{path}/confirm")
    assert form["chain"] == contest.chain
    changed = visitor.post(f"{path}/confirm", {**form, "chain": "1 of-another-result"})
    assert changed.status == 409
    assert f"The result of {contest.name} has changed since you looked at it" in changed.words
    assert visitor.post(f"{path}/confirm", form).headers["location"] == path


@pytest.mark.long
def test_a_protest_is_filed_and_answered_on_the_page(house) -> None:
    services = house.services
    author, _, own = house.author()
    organiser, _, visitor = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    top = "release = 'end'\n[schedule]\nprotest_minutes = 60"
    organiser.create(SPEC.format(**{**DEFAULTS, "name": name, "top": top, "cap": 10}))
    organiser.open(name)
    bot = services.bot("first", author)
    author.enter(name, bot)
    services.enter(name, services.field("random")[0])
    organiser.start(name)
    path = f"/me/contests/{name}"
    assert f'action="{path}/protest"' not in own.get(path).text
    play_all(services, name)
    until(lambda: "matches decided: 1 of 1" in house.visitor().get(f"/contests/{name}").words)
    public = house.visitor().get(f"/contests/{name}").words
    assert f"until {organiser.tournament(name).due_at:%Y-%m-%d %H:%M} UTC the author of a bot" in public
    assert "visible only" not in own.get(path).words  # a result that is decided can be seen by all
    form = {**own.hidden(path, f"{path}/protest"), "bot": bot, "text": "<b>1.1.1</b> is wrong"}
    assert own.post(f"{path}/protest", {**form, "text": "x" * 501}).status == 400
    for _ in range(2):
        assert own.post(f"{path}/protest", form).headers["location"] == path
    assert f'action="{path}/protest"' not in own.get(path).text
    assert f'action="{path}/answer"' not in own.get(path).text
    german = f"/contests/{name}?lang=de"
    until(lambda: "Solange ein Einspruch offen ist" in house.visitor().get(german).words)
    public = house.visitor().get(german)
    assert "<b>1.1.1</b> is wrong" in public.words
    assert "<b>1.1.1" not in public.text
    assert "1 open protest" in visitor.get("/me").words
    shown = visitor.get(path)
    assert "1 open protest: answer first" in shown.words
    assert shown.text.index(f'action="{path}/answer"') < shown.text.index(f'href="{path}/confirm?')
    assert f'<a class="button" href="{path}/confirm?' in shown.text
    answer = {**visitor.hidden(path, f"{path}/answer"), "answer": "it is right", "verdict": "rejected"}
    assert answer["number"] == "1"
    assert own.post(f"{path}/answer", {**answer, **own.hidden("/me", "/logout")}).status == 403
    refused = visitor.post(f"{path}/answer", {**answer, "verdict": "perhaps"})
    assert refused.status == 400
    assert "it is right" in refused.text
    fresh = visitor.hidden(path, f"{path}/answer")
    for _ in range(2):
        assert visitor.post(f"{path}/answer", {**answer, **fresh}).headers["location"] == path
    assert [one.state for one in organiser.tournament(name).protests] == ["rejected"]
    assert f'<a class="button primary" href="{path}/confirm?' in visitor.get(path).text
    assert "open protest" not in visitor.get("/me").words
    until(lambda: "it is right" in house.visitor().get(f"/contests/{name}").words)
    confirm(visitor, organiser.tournament(name))
    over = visitor.get(path)
    assert "It is over; nothing can be changed." in over.words
    assert f'href="{path}/matches/' not in over.text
    assert f'action="{path}/' not in over.text
