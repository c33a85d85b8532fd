"""A bracket's lines, and where they stand on a projector; the numbers are worked out by hand."""

from __future__ import annotations

import re

import pytest

from maumau.client.answer import Round
from services.web.figures.tree import draw_tree, list_slots, third_place
from tests.support.fake import a_match, a_tournament

FOUR = (
    Round(1, "semi-final", (a_match("1.1.1", 1, 4, winner=1), a_match("1.1.2", 3, 2, winner=2)), ()),
    Round(2, "final", (a_match("1.2.1", 1, 2),), ()),
    Round(2, "third place", (a_match("1.2.2", 4, 3),), ()),
)


def rounds(depth: int, *, decided: int = 0) -> list[Round]:
    """Return a bracket of 2^depth bots with this many decided rounds; the next one is being played."""
    made = []
    for turn in range(1, depth + 1):
        state = {"state": "decided", "winner": 1} if turn <= decided else {}
        count = 2 ** (depth - turn) if turn <= decided + 1 else 0
        matches = tuple(a_match(f"1.{turn}.{n}", **state) for n in range(1, count + 1))
        made.append(Round(turn, f"round {turn}", matches, ()))
    return made


def test_byes_and_matches_not_known_yet_have_their_lines() -> None:
    """Five bots: only seeds 4 and 5 meet in the first round, on the second line of four."""
    five = (
        Round(1, "quarter-final", (a_match("1.1.2", 4, 5),), (1, 2, 3)),
        Round(2, "semi-final", (a_match("1.2.2", 2, 3),), ()),
        Round(3, "final", (), ()),
    )
    slots = [[getattr(one, "label", one) for one in line] for _, line in list_slots(five)]
    assert slots == [[1, "1.1.2", 2, 3], [None, "1.2.2"], [None]]


def test_both_halves_grow_towards_the_final() -> None:
    """Three columns of 240; four rows of 58 for the third place: the middle is at 34 + 116 = 150."""
    tree = draw_tree(FOUR)
    assert [(box.x, box.y, box.slot.label) for box in tree.boxes] == [
        (5.0, 126.0, "1.1.1"),
        (485.0, 126.0, "1.1.2"),
        (245.0, 126.0, "1.2.1"),
        (245.0, 208.0, "1.2.2"),
    ]
    assert (tree.width, tree.height) == (720.0, 266.0)
    assert tree.lines == "M235.0 150.0h5.0V150.0h5.0M485.0 150.0h-5.0V150.0h-5.0"
    assert third_place(FOUR).label == "1.2.2"
    assert draw_tree(()) is None


def test_no_two_boxes_of_sixty_four_bots_overlap_and_all_are_inside() -> None:
    tree = draw_tree(rounds(6, decided=5))
    assert len(tree.boxes) == 63
    assert tree.width <= 1920
    wide, high = tree.box
    for number, one in enumerate(tree.boxes):
        assert 0 <= one.x <= tree.width - wide
        assert 0 <= one.y <= tree.height - high
        for other in tree.boxes[number + 1 :]:
            assert abs(one.x - other.x) >= wide or abs(one.y - other.y) >= high


def test_of_a_hundred_and_twenty_eight_the_first_round_stands_in_columns_until_it_is_over() -> None:
    assert len(draw_tree(rounds(7)).boxes) == 64
    assert draw_tree(rounds(7)).lines == ""
    assert len(draw_tree(rounds(7, decided=1)).boxes) == 63


@pytest.mark.long
def test_a_projector_has_the_tree_and_its_own_stream(site) -> None:
    site.arena.contests = [a_tournament("cup", bots=("a", "b", "<i>c</i>", "d"))]
    site.arena.rounds["cup"] = FOUR
    page = site.get("/contests/cup?wall=1")
    assert page.text.count('class="box') == 4
    assert 'data-stream="/stream/contests/cup?wall=1"' in page.text
    plain = site.get("/contests/cup", accept_language="de")
    assert 'class="tree"' not in plain.text
    assert plain.text.count('class="round"') == 2
    assert "Spiel um Platz 3" in plain.text
    seen = re.search(r'data-seen="([^"]*)"', page.text)[1]
    with site.watching(f"/stream/contests/cup?wall=1&seen={seen}") as events:
        site.arena.rounds["cup"] = FOUR[:1]
        site.change()
        assert list(next(events)["data"]) == ["tree"]
