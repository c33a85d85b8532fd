"""Results and certificates to print."""

from __future__ import annotations

import msgspec

from tests.support.fake import a_match, a_standing, a_tournament


def with_results(arena, state="finished"):
    arena.contests = [a_tournament("cup", state, ("greedy", "<b>rollout"))]
    arena.games["cup"] = [a_match(state="decided", winner=1)]
    arena.ranks["cup"] = [a_standing(1, 1, "greedy", 12.0), a_standing(2, 2, "<b>rollout", -12.0)]


def test_a_final_result_is_printed_with_a_certificate_for_each_bot(site) -> None:
    with_results(site.arena)
    text = site.get("/contests/cup/certificates").text
    assert text.count('<article class="certificate">') == 2
    assert "Place 1 of 2" in text
    assert "Place 2 of 2" in text
    assert text.count("Winner of the contest") == 1
    assert "with 95 % confidence between" in text
    assert "<b>rollout" not in text
    german = site.get("/contests/cup/certificates?lang=de").text
    assert "Urkunde" in german
    assert "Platz 2 von 2" in german
    assert 'href="/contests/cup/certificates"' in site.get("/contests/cup").text


def test_a_guest_gets_no_certificate_and_no_place(site) -> None:
    with_results(site.arena)
    contest = site.arena.contests[0]
    entries = [msgspec.structs.replace(one, guest=one.bot_name != "greedy") for one in contest.entries]
    site.arena.contests = [msgspec.structs.replace(contest, entries=tuple(entries))]
    text = site.get("/contests/cup/certificates").text
    assert text.count('<article class="certificate">') == 1
    assert "Place 1 of 1" in text
    assert "rollout" not in text


def test_no_certificate_is_printed_of_a_result_that_may_still_change(site) -> None:
    for state in ("running", "decided", "cancelled"):
        with_results(site.arena, state)
        site.arena.contests = [a_tournament(f"cup-{state}", state, ("greedy", "rollout"))]
        text = site.get(f"/contests/cup-{state}/certificates").text
        assert "not final yet" in text
        assert "<article" not in text
    assert site.get("/contests/nowhere/certificates").status == 404
