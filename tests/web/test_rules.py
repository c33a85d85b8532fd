"""Rules on the page: of a contest with a variant of its own, of a ladder, and no link that leads nowhere."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from maumau.client.answer import RuleSet
from maumau.game import load, load_text
from services.web.words.rules import hide_own_text
from tests.support.fake import a_spec, a_tournament
from tests.web.conftest import Site

HOSTILE = "Klasse 7 <script>alert(1)</script>"
OWN = f"""title = "{HOSTILE}: sevens double"
source = "a <b>class</b>"
extends = "mau_mau"
[[card]]
on = ["7"]
answer = ["7"]
doubles = true
says = "<i>double</i>"
[options]
kind = {{ values = ["<u>x</u>"], default = "<u>x</u>" }}
"""


def a_rule_set(name: str, text: str = "", **options: Any) -> RuleSet:
    rules = load_text(name, text, **options) if text else load(name, **options)
    return RuleSet(name, msgspec.json.encode(options).decode(), rules.hash, text)


@pytest.fixture
def cup(site: Site) -> Site:
    spec = (
        a_spec().replace("mau_mau", "klasse7") + "variant_toml = " + msgspec.json.encode(OWN).decode() + "\n"
    )
    site.arena.contests = [
        a_tournament("cup", spec_toml=spec, rules=a_rule_set("klasse7", OWN)),
        a_tournament("plain", rules=a_rule_set("prsi", deal=6)),
    ]
    return site


def test_a_contest_with_a_variant_of_its_own_has_a_page_of_its_rules(cup: Site) -> None:
    page = cup.get("/contests/cup/rules")
    assert page.status == 200
    assert "or answers with a seven, and the cards owed double" in page.text
    assert "Klasse 7 &lt;script&gt;" in page.text
    assert "<script>alert" not in page.text
    assert "<i>" not in page.text
    assert "<u>" not in page.text
    assert "maumau practice --contest cup my-bot greedy" in page.text
    assert 'href="/contests/cup/rules.toml"' in page.text


def test_its_file_can_be_loaded_and_is_the_variant(cup: Site) -> None:
    found = cup.get("/contests/cup/rules.toml")
    assert found.text == OWN
    assert found.headers["content-type"].startswith("application/toml")
    assert found.headers["content-disposition"] == 'attachment; filename="klasse7.toml"'
    assert found.headers["x-content-type-options"] == "nosniff"


def test_the_contest_links_to_its_rules_by_title_and_shows_no_escaped_file(cup: Site) -> None:
    text = cup.get("/contests/cup").text
    assert re.search(r'<a href="/contests/cup/rules"[^>]*>Klasse 7 &lt;script&gt;', text)
    assert "variant_toml" not in text
    assert 'href="/rules/klasse7"' not in text


def test_a_known_variant_is_told_with_the_options_of_the_contest(cup: Site) -> None:
    page = cup.get("/contests/plain/rules").text
    assert "Each player is dealt six cards." in page
    assert "<b><code>6</code></b>" in page
    assert "rules.toml" not in page
    assert cup.get("/contests/plain/rules.toml").status == 404


@pytest.mark.parametrize("path", ["/contests/none/rules", "/contests/none/rules.toml", "/ladders/none/rules"])
def test_what_is_not_there_is_said(cup: Site, path: str) -> None:
    assert cup.get(path).status == 404


def test_a_ladder_has_its_rules_too(site: Site) -> None:
    site.arena.ladder_rules = a_rule_set("klasse7", OWN)
    site.arena.boards["seven"] = []
    assert 'href="/ladders/seven/rules"' in site.get("/ladders/seven").text
    assert "the cards owed double" in site.get("/ladders/seven/rules").text
    assert "maumau practice --ladder seven my-bot greedy" in site.get("/ladders/seven/rules").text
    assert site.get("/ladders/seven/rules.toml").text == OWN


def test_a_variant_that_this_version_cannot_read_is_refused_in_words(site: Site) -> None:
    later = OWN.replace("doubles", "trebles")
    site.arena.contests = [a_tournament("later", rules=RuleSet("klasse7", "{}", "ab" * 32, later))]
    assert site.get("/contests/later").status == 200
    refused = site.get("/contests/later/rules")
    assert refused.status == 409
    assert "trebles" in refused.text


@pytest.mark.sample
@pytest.mark.parametrize("path", ["/contests/cup", "/contests/plain", "/contests/cup/rules", "/rules"])
def test_no_link_about_rules_leads_nowhere(cup: Site, path: str) -> None:
    links = set(re.findall(r'href="(/[^"#?]*)', cup.get(path).text))
    about = {link for link in links if "rules" in link}
    assert about
    for link in about:
        assert cup.get(link).status == 200, link


@pytest.mark.parametrize(
    ("language", "family", "country", "meaning", "source"),
    [
        ("en", "Swiss games", "Slovakia", "Which suits may be named with a wild card.", "an encyclopedia"),
        (
            "de",
            "Schweizer Spiele",
            "Slowakei",
            "Welche Farben man sich wünschen darf.",
            "eine Enzyklopädie",
        ),
    ],
)
def test_rules_are_listed_by_families_and_options_are_explained(
    site: Site, language: str, family: str, country: str, meaning: str, source: str
) -> None:
    listed = site.get("/rules", accept_language=language).text
    assert f"<h2>{family}</h2>" in listed
    assert country in listed
    assert listed.index("Faraón: ") < listed.index("<code>faraon</code>")
    shown = site.get("/rules/prsi", accept_language=language).text
    assert meaning in shown
    assert f"{source}: " in shown


def test_a_german_reader_reads_the_rules_in_german(cup: Site) -> None:
    for path in ("/rules/mau_mau", "/contests/cup/rules"):
        text = cup.get(path, accept_language="de").text
        assert "<h2>Ein Zug</h2>" in text
        assert "Gespielt wird im Uhrzeigersinn." in text
        assert "Play goes" not in text
    assert "und die Strafe verdoppelt sich" in cup.get("/contests/cup/rules", accept_language="de").text
    assert "Tschechien" in cup.get("/rules", accept_language="de").text


def test_only_the_text_of_the_variant_is_hidden_in_a_spec() -> None:
    spec = 'name = "x"\nvariant_toml = "title = \\"a\\"\\n"\n[match]\nblock = 2\n'
    assert hide_own_text(spec) == 'name = "x"\n[match]\nblock = 2\n'
