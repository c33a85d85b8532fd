"""Damage to an export is found by line and field, and shown as it is and as it was."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maumau.contest.export import line
from maumau.contest.export.mend import is_sound, mend_lines
from maumau.contest.export.verify import verify


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["spec", "entry", "block", "record", "result", "table", "measured", "end"]),
    st.randoms(use_true_random=False),
)
def test_a_single_changed_byte_is_found_by_line_and_field(small, tmp_path_factory, kind, rng):
    data = small.path.read_bytes()
    lines = data.splitlines(keepends=True)
    places = [place for place, text in enumerate(lines) if text.startswith(b'{"kind":"%s"' % kind.encode())]
    place = rng.choice(places)
    position = rng.randrange(len(lines[place]))
    byte = rng.choice([other for other in range(256) if other != lines[place][position]])
    changed = lines[place][:position] + bytes([byte]) + lines[place][position + 1 :]
    path = tmp_path_factory.mktemp("damaged") / "damaged.export.jsonl"
    path.write_bytes(b"".join([*lines[:place], changed, *lines[place + 1 :]]))
    report = verify(path)
    assert not report.ok
    first = report.differences[0]
    assert first.line == place + 1
    assert re.split(r"[.\[]", first.field)[0] == field_of(lines[place], position), first


def field_of(text, position):
    """Return the key that a position belongs to: from the comma before it to the end of its value."""
    if position == 0:
        return "line"
    if position >= len(text) - line.TAIL - 1:
        return "line feed" if position == len(text) - 1 else "sum"
    keys = json.loads(text).keys()
    starts = {text.index(json.dumps(key).encode() + b":") - 1: key for key in keys}
    return starts[max(start for start in starts if start <= position)]


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("kind", "old", "new", "field", "said", "found"),
    [
        ("spec", b'"cap":2', b'"cap":3', "spec.match.cap", '"cap\\":3', '"cap\\":2'),
        ("spec", b"three-players", b"three-playerz", "spec.name", "playerz", "players"),
        ("entry", b'"bot-1"', b'"bot-7"', "name", "bot-7", "bot-1"),
        ("entry", b'"withdrawn":false', b'"withdrawn":falze', "withdrawn", "falze", "false"),
        ("block", b'"total"', b'"tot l"', "total", "tot l", "total"),
        ("record", b'"points":[', b'"points":{', "points", "{", "["),
        ("record", b"result places", b"result_places", "record", "result_places", "result places"),
        ("result", b'"rule":"', b'"rule":\x00', "rule", "\\u0000", '"'),
        ("table", b'"place":1', b'"place":2', "place", "2", "1"),
        ("measured", b'"wall_ms":12', b'"wall_ms":13', "values.wall_ms", "13", "12"),
        ("measured", b"[3,4]", b"[3,5]", "values.cpu_ms[1]", "5", "4"),
        ("end", b'"name":"entries"', b'"name":"entriez"', "sections[1].name", "entriez", "entries"),
    ],
)
def test_a_changed_byte_is_shown_as_it_is_and_as_it_was(small, tmp_path, kind, old, new, field, said, found):
    lines = small.path.read_bytes().splitlines(keepends=True)
    place = next(n for n, text in enumerate(lines) if f'"kind":"{kind}"'.encode() in text and old in text)
    lines[place] = lines[place].replace(old, new, 1)
    path = tmp_path / "damaged.export.jsonl"
    path.write_bytes(b"".join(lines))
    [difference] = verify(path).differences
    assert (difference.line, difference.field) == (place + 1, field)
    assert said in difference.said
    assert found in difference.found
    assert str(difference).startswith(f"line {place + 1}, {field}: says ")


def test_a_file_that_is_cut_off_is_found_at_every_line(small, tmp_path):
    lines = small.path.read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.export.jsonl"
    for count in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:count]))
        assert not verify(path).ok


def test_more_than_a_byte_of_damage_still_names_the_line(small, tmp_path):
    lines = small.path.read_bytes().splitlines(keepends=True)
    place = next(n for n, text in enumerate(lines) if b'"rating"' in text)
    lines[place] = lines[place].replace(b'"rating":', b'"rating":-9', 1).replace(b"bot", b"toy")
    path = tmp_path / "damaged.export.jsonl"
    path.write_bytes(b"".join(lines))
    found = verify(path).differences
    assert (place + 1, "sum") in [(one.line, one.field) for one in found]


def test_a_sound_line_passes_and_its_damage_is_put_right(small):
    lines = small.path.read_bytes().splitlines(keepends=True)
    assert all(is_sound(text[:-1]) for text in lines)
    cut = [*lines[:3], lines[3][:40] + b"\n", lines[3][41:], *lines[4:]]
    assert [raw.data for raw in mend_lines(cut)] == [text[:-1] for text in lines]
    joined = [lines[0][:-1] + b" " + lines[1], *lines[2:]]
    assert [raw.data for raw in mend_lines(joined)] == [text[:-1] for text in lines]


@pytest.mark.parametrize("fresh", [b' {"kind":"record",', b'{ "kind":"record",', b'{"kind": "record",'])
def test_a_record_that_is_written_otherwise_is_a_difference(small, tmp_path, fresh):
    """As JSON it says the same."""
    lines = small.path.read_bytes().splitlines(keepends=True)
    place = next(i for i, text in enumerate(lines) if text.startswith(b'{"kind":"record",'))
    lines[place] = fresh + lines[place].removeprefix(b'{"kind":"record",')
    path = tmp_path / "spaced.export.jsonl"
    path.write_bytes(b"".join(lines))
    report = verify(path)
    assert not report.ok
    assert report.differences[0].line == place + 1
