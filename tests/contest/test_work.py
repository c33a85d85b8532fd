"""Verifying any file is work in proportion to its size, in words and without an exception."""

import hashlib
import json
import random

import pytest

from maumau.contest.export import line, mend, sheet
from maumau.contest.export.verify import verify
from maumau.errors import UnreadableExport
from tests.contest.test_verify import sealed

FALSE_END = b',"sum":"0123456789abcdef"}'


class Counted:
    """SHA-256 that counts the bytes it was given."""

    real, bytes_ = hashlib.sha256, 0

    def __init__(self, data=b"", inner=None):
        self.inner = inner or Counted.real()
        self.update(data)

    def update(self, data):
        Counted.bytes_ += len(data)
        self.inner.update(data)

    def copy(self):
        return Counted(inner=self.inner.copy())

    def digest(self):
        return self.inner.digest()

    def hexdigest(self):
        return self.inner.hexdigest()


@pytest.fixture
def hashed(small, tmp_path, monkeypatch):
    """Return a function: the bytes hashed for a file with more lines after its first, and the file's size."""
    lines = small.path.read_bytes().splitlines(keepends=True)

    def hashed(*more):
        path = tmp_path / "bad.export.jsonl"
        path.write_bytes(b"".join([lines[0], *more, *lines[1:]]))
        monkeypatch.setattr(hashlib, "sha256", Counted)
        Counted.bytes_ = 0
        assert not verify(path).ok
        monkeypatch.undo()
        return Counted.bytes_, path.stat().st_size

    return hashed


def test_a_line_with_thousands_of_false_ends_is_hashed_a_few_times(hashed):
    few, size = hashed(b'{"kind":"record"' + FALSE_END * 1_000 + b"\n")
    many, larger = hashed(b'{"kind":"record"' + FALSE_END * 30_000 + b"\n")
    assert many - few < 20 * (larger - size)


def test_only_so_many_damaged_lines_are_tried_byte_by_byte(hashed):
    damaged = b'{"kind":"record","x":"' + b"y" * 20_000 + b'"' + FALSE_END + b"\n"
    few, size = hashed(*[damaged] * 20)
    many, larger = hashed(*[damaged] * 120)
    assert many - few < 20 * (larger - size)


@pytest.mark.long
def test_eight_long_damaged_lines_are_as_much_work_as_one_and_are_tried_once(monkeypatch):
    monkeypatch.setattr(mend, "LONGEST", 800)
    monkeypatch.setattr(mend, "MAX_WORK", 800**2)
    monkeypatch.setattr(hashlib, "sha256", Counted)
    damaged = [
        b'{"kind":"record","x":"%d' % number + b"y" * 700 + b'"' + FALSE_END + b"\n" for number in range(8)
    ]
    work = []
    for lines in (damaged[:1], damaged, damaged):
        Counted.bytes_ = 0
        assert [raw.sound for raw in mend.mend_lines(lines)] == [False] * len(lines)
        work.append(Counted.bytes_)
    one, eight, again = work
    assert eight < 0.1 * one  # the first of them was tried before
    assert again == eight
    mend._one_byte.cache_clear()
    Counted.bytes_ = 0
    list(mend.mend_lines(damaged))
    assert one < Counted.bytes_ < 1.1 * one


def test_a_line_cut_anywhere_is_put_together(small):
    lines = small.path.read_bytes().splitlines(keepends=True)
    rng = random.Random(5)
    for at in [*rng.sample(range(1, len(lines[2]) - 2), 20), len(lines[2]) - 2, len(lines[2]) - 3]:
        cut = [*lines[:2], lines[2][:at] + b"\n", lines[2][at + 1 :], *lines[3:]]
        assert [raw.data for raw in sheet.mend_lines(cut)] == [text[:-1] for text in lines], at


@pytest.fixture
def forged(small, tmp_path):
    """Return a function: the report of the export with changed lines, every sum right."""

    def forged(change):
        lines = [json.loads(text[: -line.TAIL] + "}") for text in small.path.read_text().splitlines()][:-1]
        change(lines)
        path = tmp_path / "forged.export.jsonl"
        path.write_bytes(b"".join(sealed(lines)))
        return verify(path)

    return forged


def test_thousands_of_entrants_are_refused_before_their_round_robin_is_laid_out(forged):
    def enter(lines):
        more = [{**lines[1], "number": number, "name": f"bot-{number}"} for number in range(4, 3001)]
        lines[4:4] = more

    report = forged(enter)
    assert "A tournament has at most 256 entrants, not 3000." in str(report.differences[0])


@pytest.mark.long
def test_thousands_of_stages_are_refused(forged):
    def extend(lines):
        lines[0]["spec"]["stage"] *= 500

    assert "1000 stages are more than the 16 there may be" in str(forged(extend).differences[0])


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("spec", b'{"kind":"spec","version":3,"spec":{"name":' + DEEP + b'},"rules_hash":"x"'),
        ("measured", b'{"kind":"measured","of":"tournament","values":{"a":' + DEEP + b"}"),
    ],
)
def test_what_is_nested_deeper_than_can_be_read_is_a_difference(small, tmp_path, kind, body):
    lines = small.path.read_bytes().splitlines(keepends=True)
    at = next(place for place, text in enumerate(lines) if text.startswith(b'{"kind":"%s"' % kind.encode()))
    lines[at] = body + b',"sum":"' + line.check_sum(body) + b'"}\n'
    path = tmp_path / "deep.export.jsonl"
    path.write_bytes(b"".join(lines))
    assert at + 1 in [one.line for one in verify(path).differences]


def test_options_nested_deeper_than_can_be_read_are_a_difference(forged):
    def nest(lines):
        one = next(each for each in lines if each["kind"] == "record")
        deep = '{"a":' * 50_000 + "1" + "}" * 50_000
        one["record"] = one["record"].replace("mau_mau {}", f"mau_mau {deep}", 1)

    assert "record, deal 1" in [one.field for one in forged(nest).differences]


def test_a_line_longer_than_any_of_an_export_is_not_read(small, tmp_path, monkeypatch):
    monkeypatch.setattr(sheet, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "long.export.jsonl"
    path.write_bytes(small.path.read_bytes() + b'{"kind":"' + b"x" * (1 << 20))
    with pytest.raises(UnreadableExport, match=r"is not an export: line \d+ has more than 1 MiB"):
        verify(path)


@pytest.mark.long
def test_a_long_tournament_of_walkovers_is_laid_out_once_a_stage(hold, monkeypatch):
    """Twelve of thirteen have gone: the round robin must not be planned anew for each of its 78 matches."""
    from maumau.contest.export import recheck as module
    from tests.contest.conftest import SMALL

    toml = SMALL.split('[[stage]]\nformat = "single')[0] + "[match]\nblock = 1\ncap = 1\n"
    path = hold(toml, 13, withdrawn=range(2, 14), after=1).path
    plans = []
    monkeypatch.setattr(
        module, "advance_schedule", lambda *given: plans.append(1) or advance_schedule(*given)
    )
    advance_schedule = module.find_walkover.__globals__["advance_schedule"]
    assert verify(path).ok
    assert len(plans) <= 4
