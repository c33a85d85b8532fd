"""An organiser's work on the page: a contest from a form, and its course."""

from __future__ import annotations

import uuid

import pytest

from maumau.contest.spec.bound import bound_spec
from maumau.contest.spec.spec import parse_spec
from services.tournament.models import Isolation
from services.web.private.spec_form import DEFAULTS, draw_spec
from tests.support.arenas.tournament import CUP, FINAL, SEMI, play_until


def test_a_form_as_it_comes_is_the_shortest_spec_with_the_bound_of_a_deal() -> None:
    drawn = draw_spec({**DEFAULTS, "name": "cup"})
    spec = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "single_elimination"\n'
    assert drawn.wrong == {}
    assert parse_spec(drawn.toml) == bound_spec(parse_spec(spec))
    assert parse_spec(drawn.toml).options == {"max_decisions": 490}


def test_a_bound_that_is_chosen_is_drawn_also_if_it_is_the_variants_own() -> None:
    drawn = draw_spec({**DEFAULTS, "name": "cup", "more": "[options]\nmax_decisions = 2000"})
    assert parse_spec(drawn.toml).options == {"max_decisions": 2000}


def test_fields_and_further_keys_become_one_spec() -> None:
    fields = {
        **DEFAULTS, "name": "cup", "rules": "prsi", "format": "round_robin", "cap": "500", "block": "50",
        "closes": "2026-11-30T18:00", "more": '[entries]\naccounts = ["ada"]\n[match]\ndelta = 0.05\n',
    }  # fmt: skip
    spec = parse_spec(draw_spec(fields).toml)
    assert (spec.rules, spec.stages[0].format) == ("prsi", "round_robin")
    assert (spec.match.cap, spec.match.block, spec.match.delta) == (500, 50, 0.05)
    assert (spec.entries.accounts, spec.entries.most) == (("ada",), 64)
    assert spec.entries.closes.isoformat() == "2026-11-30T18:00:00+00:00"


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": "A cup"}, "name"), ({"name": ""}, "name"), ({"cap": "150"}, "cap"), ({"cap": "-1"}, "cap"),
        ({"block": "9" * 40}, "block"), ({"closes": "tomorrow"}, "closes"), ({"more": "x = "}, "more"),
        ({"more": "#" * 20_001}, "more"), ({"closes": "9999-12-31T23:59-23:59"}, "closes"),
        ({"format": "round_robin", "third_place": "1"}, "third_place"), ({"most": "1"}, "most"),
        ({"format": "mcmahon"}, "format"), ({"starts": "2026-13-01T00:00"}, "starts"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_field(changed, field) -> None:
    drawn = draw_spec({**DEFAULTS, "name": "cup", **changed})
    assert drawn.toml == ""
    assert field in drawn.wrong


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("cap", "-1", "match.cap: expected a whole number of at least 1, not -1."),
        ("cap", "9" * 20, f"match.cap: expected a whole number of at most 100000, not {'9' * 20}."),
        ("most", "-1", "entries.most: expected a whole number of at least 2, not -1."),
        ("cap", "1.5", "match.cap: '1.5' is not a whole number."),
    ],
)
def test_a_number_out_of_range_is_told_the_range(field, typed, words) -> None:
    assert draw_spec({**DEFAULTS, "name": "cup", field: typed}).wrong == {field: words}


def test_a_start_before_entries_close_is_refused_with_both_times() -> None:
    moments = {"closes": "2999-11-30T18:00", "starts": "2999-11-30T17:59"}
    assert draw_spec({**DEFAULTS, "name": "cup", **moments}).wrong == {
        "starts": "schedule.starts: 2999-11-30T17:59:00+00:00 is before entries close"
        " (2999-11-30T18:00:00+00:00)."
    }
    assert not draw_spec({**DEFAULTS, "name": "cup", **moments, "starts": "2999-11-30T18:00"}).wrong


def test_an_unknown_key_or_option_is_refused_with_what_is_known() -> None:
    for more in ("[match]\ndelte = 0.1\n", "[options]\ndrow = 3\n"):
        drawn = draw_spec({**DEFAULTS, "name": "cup", "more": more})
        assert drawn.toml == ""
        assert "delt" in str(drawn.wrong) or "dr" in str(drawn.wrong)


@pytest.fixture
def contest(house):
    """Return an organiser with a contest made on the page: client, browser, its name, its page."""
    client, _, visitor = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    answer = visitor.send("/me/new-contest", "/me/new-contest", {**DEFAULTS, "name": name})
    assert "This can be created." in answer.words
    made = visitor.post(
        "/me/contests", {**visitor.hidden("/me/new-contest", "/me/new-contest"), **DEFAULTS, "name": name}
    )
    assert made.headers["location"] == f"/me/contests/{name}"
    return client, visitor, name, f"/me/contests/{name}"


@pytest.mark.long
def test_what_is_shown_is_what_is_downloaded_and_created(house) -> None:
    client, _, visitor = house.organiser()
    fields = {**DEFAULTS, "name": f"cup-{uuid.uuid4().hex[:8]}", "cap": "300"}
    fields |= visitor.hidden("/me/new-contest", "/me/new-contest")
    toml = visitor.post("/me/new-contest/toml", fields)
    assert toml.headers["content-disposition"] == 'attachment; filename="cup.toml"'
    assert visitor.post("/me/contests", fields).status == 303
    created = client.tournament(fields["name"])
    assert parse_spec(created.spec_toml) == parse_spec(toml.text)
    assert parse_spec(toml.text).match.cap == 300


def test_a_spec_that_cannot_be_is_not_created(house) -> None:
    client, _, visitor = house.organiser()
    fields = {**DEFAULTS, "name": "A cup", **visitor.hidden("/me/new-contest", "/me/new-contest")}
    refused = visitor.post("/me/contests", {**fields, "more": "[match]\ndelta = 0.05 # mine"})
    assert refused.status == 400
    assert "delta = 0.05 # mine" in refused.text
    assert 'value="A cup"' in refused.text
    assert visitor.post("/me/new-contest/toml", fields).status == 400
    german = visitor.post("/me/contests?lang=de", {**fields, "name": "cup", "cap": "viele"})
    assert "match.cap: „viele“ ist keine ganze Zahl." in german.text
    german = visitor.post("/me/contests/nosuch/open?lang=de", fields)
    assert "Einen Wettbewerb „nosuch“ gibt es nicht." in german.text
    assert "A cup" not in [one.name for one in client.tournaments()]


@pytest.mark.long
def test_a_contest_goes_from_open_to_cancelled_each_step_asked_for(contest, house) -> None:
    client, visitor, name, path = contest
    states = []
    for step in ("open", "start", "pause", "resume", "cancel"):
        if step == "start":
            for bot in house.services.field("random", "first"):
                house.services.enter(name, bot)
        assert f'href="{path}/{step}"' in visitor.get(path).text
        assert visitor.get(f"{path}/{step}").status == 200
        assert visitor.send(f"{path}/{step}", f"{path}/{step}").headers["location"] == path
        states.append(client.tournament(name).state)
    assert states == ["open", "running", "paused", "running", "cancelled"]


@pytest.mark.long
def test_only_its_organiser_reads_whose_decisions_depend_on_what_was_played_before(contest, house) -> None:
    client, visitor, name, path = contest
    client.open(name)
    for bot in house.services.field("random", "first"):
        house.services.enter(name, bot)
    client.start(name)
    (block, *_) = house.services.queued(name)
    marks = '{{"1": ["{}", "{}"], "2": ["{}", "{}"]}}'.format("1" * 25, "0" * 25, "." * 25, "0" * 25)
    with house.services.database.write() as session:
        session.add(
            Isolation(
                block_id=block.id,
                contest_id=client.tournament(name).id,
                told="told",
                fresh="fresh",
                fresh_block_id=block.id,
                outcome="compared",
                marks=marks,
            )
        )
    words = "its decisions depended on whether the deal had been played before (p ≤ 0.00034)"
    assert words in visitor.get(path).words
    assert "decided differently in 25 of 25 played before, 0 of 25 others" in visitor.get(path).words
    _, _, other = house.organiser()
    assert words not in other.get(path).words
    assert words not in visitor.get(f"/contests/{name}").words


def test_nothing_is_taken_back_in_a_contest_that_is_over(house) -> None:
    visitor, services = house.log_in(house.services.admin), house.services
    name = services.begin("first", "random", block=2, cap=2)
    assert "Take back" in visitor.get(f"/me/contests/{name}").words
    services.finish(name)
    words = visitor.get(f"/me/contests/{name}").words
    assert "It is over; nothing can be changed." in words
    assert "Take back" not in words


def test_looking_at_a_step_changes_nothing(contest) -> None:
    client, visitor, name, path = contest
    for step in ("open", "cancel"):
        visitor.get(f"{path}/{step}")
    assert client.tournament(name).state == "created"
    assert visitor.get(f"{path}/delete").status == 404


def test_a_contest_is_not_cancelled_from_a_page_that_showed_it_in_another_state(contest) -> None:
    client, visitor, name, path = contest
    shown = visitor.hidden(f"{path}/cancel", f"{path}/cancel")
    client.open(name)
    assert (visitor.post(f"{path}/cancel", shown).status, client.tournament(name).state) == (409, "open")
    assert visitor.post(f"{path}/cancel", {**shown, "state": "nonsense"}).status == 400


def test_a_step_that_cannot_be_taken_now_says_why(contest) -> None:
    client, visitor, name, path = contest
    client.open(name)
    page = visitor.get(f"{path}/start")
    assert page.status == 200
    assert 'class="ill"' in page.text
    assert '<button class="primary">' not in page.text


@pytest.mark.long
def test_nobody_else_changes_a_contest(contest, house) -> None:
    client, _, name, path = contest
    for other in (house.organiser()[2], house.author()[2]):
        token = other.hidden("/me", "/logout")
        assert other.get(f"{path}/cancel").status == 403
        assert other.post(f"{path}/cancel", token).status == 403
        assert other.post(f"{path}/matches/1.1.1", {**token, "reason": "mine"}).status in (403, 404)
        assert f"{path}/cancel" not in other.get(path).text
    assert client.tournament(name).state == "created"
    _, _, author = house.author()
    assert author.get("/me/new-contest").status == 403
    assert "/me/new-contest" not in author.get("/me").text


@pytest.mark.long
def test_a_match_is_taken_back_with_a_reason_after_its_later_matches_are_shown(house) -> None:
    services = house.services
    visitor = house.log_in(services.admin)
    name = services.create(**CUP)
    services.admin.open(name)
    for bot in services.field("first", "random", "random", "first"):
        services.enter(name, bot)
    services.admin.start(name)
    play_until(services, name, FINAL)
    path = f"/me/contests/{name}/matches/{SEMI}"
    assert FINAL in visitor.get(path).words
    shown = visitor.hidden(path, path)
    assert visitor.send(path, path, {"reason": ""}).status in (400, 409)
    assert (
        visitor.send(path, path, {"reason": "the host was ill"}).headers["location"] == f"/me/contests/{name}"
    )
    taken = next(
        one for one in services.admin.matches(name) if one.label == SEMI and one.state != "withdrawn"
    )
    assert (taken.take, taken.state) == (2, "playing")
    refusal = visitor.post(path, {**shown, "reason": "the host was ill"})
    assert (refusal.status, "has changed since you looked at it" in refusal.words) == (409, True)
    assert visitor.post(path, {**shown, "reason": "the host was ill", "take": "first"}).status == 400


@pytest.fixture(scope="module", params=["end", "participants", "public"])
def released(house, request):
    """Return a running contest with a decided match: level, name, a player's bot and browser, another's."""
    services = house.services
    player, _, visitor = house.author()
    name = services.create(**{**CUP, "top": f'release = "{request.param}"'})
    services.admin.open(name)
    own = services.bot("first", player)
    player.enter(name, own)
    for bot in services.field("random", "random", "first"):
        services.enter(name, bot)
    services.admin.start(name)
    play_until(services, name, FINAL)
    return request.param, name, own, visitor, house.author()[2]


@pytest.mark.long
def test_page_and_api_keep_to_the_release_level(released, house) -> None:
    level, name, bot, player, stranger = released
    public = house.visitor()
    status = 200 if level == "public" else 403
    page = f"/contests/{name}"
    for path in (f"{page}/matches/{SEMI}", f"/stream{page}/matches/{SEMI}"):
        if level != "public":
            assert public.get(path).status == 403, path
            assert stranger.get(path).status == 403, path
    for part in ("/standings", "/matches", "/matches?format=csv", "/bracket", f"/matches/{SEMI}"):
        assert public.get(f"/api/v1{page}{part}").status == status, part
    assert public.get(f"/api/v1{page}").status == 200
    shown = public.get(page)
    assert shown.status == 200
    assert (SEMI in shown.words) == (level == "public")
    assert ("hidden until it is decided" in shown.words) == (level == "end")
    assert f"/contests/{name}/matches/" not in public.get("/").text or level == "public"
    assert player.get(f"/me/bots/{bot}").status == 200
    own = f"/me{page}"
    assert ("Elo" in player.get(own).words) == (level != "end")
    assert ("Elo" in stranger.get(own).words) == (level == "public")


def test_a_name_that_is_taken_is_said_in_the_form_with_what_was_typed(contest) -> None:
    _, visitor, name, _ = contest
    typed = {**DEFAULTS, "name": name, "cap": "300"}
    form = visitor.hidden("/me/new-contest", "/me/new-contest")
    refused = visitor.post("/me/contests", {**form, **typed})
    assert refused.status == 409
    assert 'value="300"' in refused.text
    assert name in refused.text.partition('id="drawn"')[2]


def test_an_organiser_sees_all_entrants_also_those_of_others(contest, house) -> None:
    client, visitor, name, path = contest
    client.open(name)
    bots = house.services.field("random", "first")
    for bot in bots:
        house.services.enter(name, bot)
    shown = visitor.get(path).words
    assert "All entrants 2 entrants" in shown
    assert all(bot in shown for bot in bots)
    assert "All entrants" not in house.author()[2].get(path).words
