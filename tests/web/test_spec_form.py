"""The form of a contest: formats, a variant of one's own, copies, and moments in a time zone."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from pathlib import Path

import pytest

from maumau.contest.format import FORMATS
from maumau.contest.spec.bound import bound_spec
from maumau.contest.spec.spec import parse_spec
from maumau.errors import BadVariant
from maumau.game.ruleset.own import load_text
from services.web.private.spec_copy import copy_fields
from services.web.private.spec_form import DEFAULTS, OWN_RULES, draw_spec
from services.web.private.stage_form import BOTH
from services.web.private.zone import list_zones

NOW = datetime(2026, 11, 26, tzinfo=UTC)
WASP = re.search(r"```toml\n(.*?)```", Path("docs/reference/variant.md").read_text("utf-8"), re.DOTALL)[1]
"""The first variant of docs/reference/variant.md."""


def draw(**changes: str):
    return draw_spec({**DEFAULTS, "name": "cup", **changes})


def test_a_round_robin_seeds_a_knock_out() -> None:
    """The example of README."""
    first, second = parse_spec(draw(format=BOTH, third_place="1").toml).stages
    assert (first.format, first.seeds, first.third_place) == ("round_robin", "entry", False)
    assert (second.format, second.seeds, second.third_place) == ("single_elimination", "previous", True)


@pytest.mark.sample(21)
@pytest.mark.parametrize("second", FORMATS)
@pytest.mark.parametrize("first", FORMATS)
def test_any_format_seeds_any_other_with_a_cut(first: str, second: str) -> None:
    drawn = draw(format=first, then=second, take="8", size="6")
    assert drawn.wrong == {}
    spec = parse_spec(drawn.toml)
    assert [(one.format, one.seeds, one.take) for one in spec.stages] == [
        (first, "entry", None),
        (second, "previous", 8),
    ]
    fields = copy_fields(spec, NOW)
    assert (fields["format"], fields["then"], fields["take"], fields["more"]) == (first, second, "8", "")
    assert parse_spec(draw_spec(fields).toml) == spec.copy_as("cup-2", NOW)


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        (
            {"take": "4"},
            "take",
            "stage 2.take: a cut comes between two stages, and no second stage is chosen.",
        ),
        ({"then": "round_robin", "take": "many"}, "take", "stage 2.take: 'many' is not a whole number."),
        ({"then": "round_robin", "take": "65"}, "take", "stage 2.take: at most 64 can play in stage 1, so"),
        ({"then": "lottery"}, "then", "stage 2.format: 'lottery' is unknown; known:"),
        (
            {"format": "groups", "size": "1"},
            "size",
            "stage 1.size: expected a whole number of at least 2, not 1.",
        ),
        ({"format": "groups", "size": "x"}, "size", "size: 'x' is not a whole number."),
        (
            {"format": "groups", "third_place": "1"},
            "third_place",
            "stage 1: third_place belongs to single_elimination, not groups.",
        ),
    ],
)
def test_a_stage_that_cannot_be_is_refused_at_its_field(
    changes: dict[str, str], field: str, words: str
) -> None:
    assert draw(**changes).wrong[field].startswith(words)


def test_groups_without_a_size_have_the_usual_one() -> None:
    """A form of an earlier release does not send the field."""
    (stage,) = parse_spec(draw(format="groups", size="").toml).stages
    assert stage.shown["size"] == 4


@pytest.mark.parametrize(
    ("zone", "typed", "moment"),
    [
        ("UTC", "2026-11-30T18:00", "2026-11-30T18:00:00+00:00"),
        ("Europe/Berlin", "2026-11-30T18:00", "2026-11-30T18:00:00+01:00"),
        ("Europe/Berlin", "2026-07-01T18:00", "2026-07-01T18:00:00+02:00"),
        (
            "Europe/Berlin",
            "2026-03-29T01:59",
            "2026-03-29T01:59:00+01:00",
        ),
        ("Europe/Berlin", "2026-03-29T03:00", "2026-03-29T03:00:00+02:00"),
        ("Europe/Berlin", "2026-10-25T03:00", "2026-10-25T03:00:00+01:00"),
        ("Asia/Kathmandu", "2026-11-30T18:00", "2026-11-30T18:00:00+05:45"),
        (
            "Europe/Berlin",
            "1880-01-01T12:00",
            "1880-01-01T11:06:32+00:00",
        ),  # 53 min 28 s ahead
    ],
)
def test_a_moment_is_local_in_its_zone(zone: str, typed: str, moment: str) -> None:
    drawn = draw(zone=zone, starts=typed)
    assert f"starts = {moment}" in drawn.toml
    assert drawn.moments["starts"].isoformat() == moment


@pytest.mark.parametrize(
    ("zone", "typed", "words"),
    [
        ("Europe/Berlin", "2026-03-29T02:30", "2026-03-29 02:30 does not exist in Europe/Berlin"),
        ("Europe/Berlin", "2026-03-29T02:00", "they show 03:00 at that moment"),
        ("Australia/Lord_Howe", "2026-10-04T02:10", "they show 02:40 at that moment"),  # by half an hour
        ("Pacific/Apia", "2011-12-30T12:00", "2011-12-30 12:00 does not exist"),  # a day was left out
        ("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00"),
        ("Europe/Berlin", "2026-10-25T02:30", "below [entries], closes ="),
    ],
)
def test_a_time_that_clocks_skip_or_show_twice_is_refused_with_what_to_do(zone, typed, words) -> None:
    drawn = draw(zone=zone, closes=typed)
    assert drawn.toml == ""
    assert words in drawn.wrong["closes"]


def test_what_is_said_of_a_time_that_comes_twice_can_be_done() -> None:
    drawn = draw(zone="Europe/Berlin", more="[entries]\ncloses = 2026-10-25T02:30:00+02:00")
    assert parse_spec(drawn.toml).entries.closes == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ("Europe/Berln", "Europe/Berlin"), ("MEZ", "such as Europe/Berlin"), ("../../passwd", "unknown"),
        ("\0", "unknown time zone"), ("x" * 5000, "unknown time zone"),
    ],
)  # fmt: skip
def test_an_unknown_zone_is_refused_with_what_is_near(zone: str, words: str) -> None:
    drawn = draw(zone=zone, starts="2026-11-30T18:00")
    assert drawn.toml == ""
    assert words in drawn.wrong["zone"]


def test_zones_are_those_of_places() -> None:
    zones = list_zones()
    assert zones[0] == "UTC"
    assert {"Europe/Berlin", "America/Argentina/Ushuaia"} < set(zones)
    assert not [one for one in zones if one.startswith(("Etc/", "posix"))]


def test_an_own_variant_is_checked_as_its_file_is() -> None:
    text = WASP
    own = {"rules": OWN_RULES, "variant_name": "wasp", "variant_toml": text.replace("\n", "\r\n")}
    spec = parse_spec(draw(**own).toml)
    assert (spec.rules, spec.variant_toml) == ("wasp", text)
    for field, wrong in (
        ("variant_toml", text + "\nno_such_key = 1\n"), ("variant_toml", ""), ("variant_toml", "x" * 40_000),
        ("variant_name", "Klasse 7"), ("variant_name", ""), ("variant_name", "mau_mau"),
    ):  # fmt: skip
        drawn = draw(**{**own, field: wrong})
        assert drawn.toml == ""
        assert list(drawn.wrong) == [field]
    assert "there is already a variant prsi" in draw(**{**own, "variant_name": "prsi"}).wrong["variant_name"]
    with pytest.raises(BadVariant) as caught:
        load_text("wasp", text + "\nno_such_key = 1\n")
    assert draw(**{**own, "variant_toml": text + "\nno_such_key = 1"}).wrong["variant_toml"] == str(
        caught.value
    )


FULL = """
name = "cup"
rules = "prsi"
[options]
king_leaves = true
[[stage]]
format = "round_robin"
[[stage]]
format = "single_elimination"
seeds = "previous"
third_place = true
[entries]
most = 16
accounts = ["ada"]
closes = 2026-11-30T18:00:00+01:00
[schedule]
starts = 2026-11-30T19:00:00+01:00
protest_minutes = 60
[match]
block = 50
cap = 1000
delta = 0.05
[bot]
deal_ms = 200
memory = 128
"""
OTHER = """
name = "cup-9"
rules = "mau_mau"
score = "points"
release = "end"
[match]
decide = "better"
[[stage]]
format = "round_robin"
[[stage]]
format = "round_robin"
[[stage]]
format = "round_robin"
"""
DOUBLE = """
name = "two-brackets"
rules = "prsi"
[[stage]]
format = "double_elimination"
"""
PAST = """
name = "old"
rules = "mau_mau"
[options]
max_decisions = 999
[[stage]]
format = "single_elimination"
[entries]
closes = 2020-11-30T18:00:00Z
opening_minutes = 0
[schedule]
starts = 2020-12-01T00:00:00Z
"""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (FULL, "cup-2"),
        (OTHER, "cup-10"),
        (PAST, "old-2"),
        (DOUBLE, "two-brackets-2"),
        (f"{DOUBLE}reset = false\n", "two-brackets-2"),
    ],
)
def test_the_fields_of_a_copy_draw_the_earlier_spec(text: str, name: str) -> None:
    spec = bound_spec(parse_spec(text))
    drawn = draw_spec(copy_fields(spec, NOW))
    assert drawn.wrong == {}
    assert parse_spec(drawn.toml) == spec.copy_as(name, NOW)


def test_the_form_has_a_format_with_keys_of_its_own_at_their_defaults() -> None:
    fields = copy_fields(bound_spec(parse_spec(DOUBLE)), NOW)
    assert (fields["format"], fields["third_place"], fields["more"]) == ("double_elimination", "", "")
    wrong = draw_spec({**fields, "third_place": "1"}).wrong
    assert list(wrong) == ["third_place"]


def test_a_copy_has_the_own_variant_and_the_shortest_further_keys() -> None:
    own = {"rules": OWN_RULES, "variant_name": "wasp", "variant_toml": WASP}
    earlier = parse_spec(draw(**own).toml)
    fields = copy_fields(earlier, NOW)
    assert (fields["rules"], fields["variant_name"], fields["more"]) == (OWN_RULES, "wasp", "")
    assert parse_spec(draw_spec(fields).toml) == earlier.copy_as("cup-2", NOW)
    assert len(copy_fields(bound_spec(parse_spec(FULL.replace("cup", "c" * 64))), NOW)["name"]) == 64


def test_a_contest_with_an_own_variant_is_made_from_its_file_and_copied(house) -> None:
    client, _, visitor = house.organiser()
    name = f"cup-{uuid.uuid4().hex[:8]}"
    fields = {**DEFAULTS, "name": name, "format": BOTH, "zone": "Europe/Berlin", "starts": "2999-07-01T18:00"}
    files = {"wasp.toml": WASP.encode()}
    checked = visitor.upload("/me/new-contest", "/me/new-contest", files, **fields)
    assert "This can be created." in checked.words
    assert "2999-07-01 18:00+02:00 (Europe/Berlin)" in checked.words
    hidden = visitor.hidden("/me/new-contest", "/me/new-contest")
    own = {"rules": OWN_RULES, "variant_name": "wasp", "variant_toml": WASP}
    typed = {**hidden, **fields, **own}
    assert visitor.post("/me/contests", typed).headers["location"] == f"/me/contests/{name}"
    made = client.tournament(name)
    assert made.due_at == datetime(2999, 7, 1, 16, tzinfo=UTC)
    assert f"/me/new-contest?copy={name}" in visitor.get(f"/me/contests/{name}").text
    copied = visitor.get(f"/me/new-contest?copy={name}")
    assert 'name="variant_name" type="text" value="wasp"' in copied.text
    assert '<option value="own" selected>' in copied.text
    broken = visitor.upload("/me/new-contest", "/me/new-contest", {"wasp.toml": b"\xff = 1"}, **fields)
    assert "This cannot be created yet" in broken.words
    assert visitor.get("/me/new-contest?copy=nowhere").status == 404
    client.cancel(name)
