"""Exports changed in ways that an attacker or a broken disk would choose: for `fuzz_verify`.

Some changes are of bytes; the others mean something else, and every sum and digest is right.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable

from maumau.contest.export import line
from maumau.contest.export.write import Digest

LARGE = (10, 1000, 100_000, 1_000_000)

VALUES: tuple[Callable[[random.Random], object], ...] = (
    lambda r: r.choice((None, True, False, "", " ", [], {}, -1, 0, 1, 2, 1e308, -0.0, float("nan"), float("inf"))),  # noqa: E501
    lambda r: 10 ** r.choice((3, 6, 9, 18, 19, 30, 400, 4000, 5000)),
    lambda r: r.choice((2**31, 2**63 - 1, 2**63, 2**64, -(2**63) - 1)) + r.randint(-1, 1),
    lambda r: r.choice(("\0", "\x1b[2J", "\r\n", "\u202e", "\ud800", "٧", "x", "[", '"', "\\")) * r.choice(LARGE),  # noqa: E501, RUF001
    lambda r: nested(r.choice(("list", "map")), r.choice((5, 100, 900, 5000, 50_000))),
    lambda r: [r.randint(0, 9)] * r.choice(LARGE),
    lambda r: {f"k{n}": n for n in range(r.choice((10, 1000, 50_000)))},
    lambda r: f"{r.randint(1, 20)}.{r.randint(0, 9)}.{r.randint(0, 10**6)}",
    lambda r: f"{r.getrandbits(256):064x}",
    lambda r: r.choice(("round_robin", "single_elimination", "mau_mau", "prsi", "win", "points", "places", "previous")),  # noqa: E501
)  # fmt: skip


class Deep:
    """A list or an object nested `depth` levels deep, which the encoder of json cannot write."""

    def __init__(self, kind: str, depth: int) -> None:
        self.text = "[" * depth + "]" * depth if kind == "list" else '{"a":' * depth + "1" + "}" * depth
        self.mark = f"deep-{os.urandom(6).hex()}"


DEEP: dict[str, Deep] = {}


def nested(kind: str, depth: int) -> str:
    """Return a mark that `seal` replaces by a nested value."""
    deep = Deep(kind, depth)
    DEEP[deep.mark] = deep
    return deep.mark


def seal(lines: list[dict]) -> bytes:
    """Return the lines with new sums, digests of blocks and sections, and `compared`."""
    digest, out, block = Digest(), [], None
    bodies = [body(one) for one in lines]
    for place, one in enumerate(lines):
        if one.get("kind") == "block":
            block = [sealed(bodies[at]) for at in following_records(lines, place)]
            one["digest"] = line.records_digest(block)
            bodies[place] = body(one)
    for one, text in zip(lines, bodies, strict=True):
        data = sealed(text)
        digest.add_line(one["kind"] if one.get("kind") in line.SECTIONS else "measured", data)
        out.append(data)
    return b"".join(out) + line.encode_line(digest.build_end())


def following_records(lines: list[dict], place: int) -> list[int]:
    """Return the places of this block's records."""
    found = []
    for at in range(place + 1, len(lines)):
        if lines[at].get("kind") != "record":
            break
        found.append(at)
    return found


def body(one: dict) -> bytes:
    """Return a line without its sum."""
    text = json.dumps(one, separators=(",", ":"), ensure_ascii=False)
    for mark in [mark for mark in DEEP if mark in text]:
        text = text.replace(f'"{mark}"', DEEP.pop(mark).text)
    return text.encode(errors="surrogatepass")[:-1]


def sealed(text: bytes) -> bytes:
    return text + b',"sum":"' + line.check_sum(text) + b'"}\n'


def parsed(data: bytes) -> list[dict]:
    """Return the lines of an export without their sums and without the last."""
    return [json.loads(text[: -line.TAIL] + b"}") for text in data.splitlines()][:-1]


def places(value: object, found: list[tuple]) -> list[tuple]:
    """Return every (container, key) of a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs):
        found.append((value, key))
        places(inner, found)
    return found


# bytes


def change_bytes(data: bytes, r: random.Random) -> bytes:
    """Change some bytes: in the whole file, or all in one line."""
    out, at = bytearray(data), r.randrange(len(data))
    for _ in range(r.choice((1, 2, 20, 2000))):
        where = r.randrange(len(out)) if r.random() < 0.5 else min(len(out) - 1, at + r.randrange(500))
        out[where] = r.choice((0, 10, 13, 27, 34, 44, 91, 92, 123, 125, 255, r.randrange(256)))
    return bytes(out)


def cut_bytes(data: bytes, r: random.Random) -> bytes:
    at, size = r.randrange(len(data)), r.choice((1, 2, 100, 10_000))
    return data[:at] + data[at + size :] if r.random() < 0.7 else data[:at]


def insert_bytes(data: bytes, r: random.Random) -> bytes:
    """Insert an endless line, thousands of line feeds, brackets, or anything else."""
    pieces = (b"[", b"{", b'{"a":', b'"', b"\\", b"\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"9", b" ",
              b',"sum":"0123456789abcdef"}', b'{"kind":"record",', b'","sum":"', b"1e", b"\xed\xa0\x80")  # fmt: skip  # noqa: E501
    at = r.choice((0, len(data), r.randrange(len(data)), data.find(b"\n", r.randrange(len(data))) + 1))
    return data[:at] + r.choice(pieces) * r.choice((1, 40, 4000, 100_000)) + data[at:]


def change_lines(data: bytes, r: random.Random) -> bytes:
    """Lines doubled, cut, swapped, joined, shuffled, with other ends."""
    lines = data.splitlines(keepends=True)
    for _ in range(r.choice((1, 1, 3, 30))):
        at, other = r.randrange(len(lines)), r.randrange(len(lines))
        match r.randrange(7):
            case 0:
                lines.insert(other, lines[at])
            case 1 if len(lines) > 1:
                del lines[at]
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                lines[at] = lines[at].rstrip(b"\n")
            case 4:
                lines[at] = lines[at].replace(b"\n", b"\r\n")
            case 5:
                lines[at : at + 1] = [lines[at]] * r.choice((10, 1000))
            case _:
                lines[at] = lines[at][: r.randrange(len(lines[at]))] + b"\n" * r.randint(0, 1)
    return b"".join(lines)[: 8 << 20]


# meaning, with every sum and digest right


def change_values(data: bytes, r: random.Random) -> bytes:
    """Change a few values of any lines to any other values."""
    lines = parsed(data)
    for _ in range(r.choice((1, 1, 2, 5))):
        kinds = sorted({one["kind"] for one in lines})
        kind = r.choice(kinds)
        found = places(r.choice([one for one in lines if one["kind"] == kind]), [])
        found = [(holder, key) for holder, key in found if key != "kind"]
        holder, key = r.choice(found)
        holder[key] = r.choice(VALUES)(r)
    return seal(lines)


def change_keys(data: bytes, r: random.Random) -> bytes:
    """Fields are left out, added, renamed."""
    lines = parsed(data)
    one = r.choice(lines)
    holders = [one] + [holder[key] for holder, key in places(one, []) if isinstance(holder[key], dict)]
    holder = r.choice(holders)
    if holder and r.random() < 0.5:
        gone = r.choice([key for key in holder if key != "kind"] or ["kind"])
        value = holder.pop(gone) if gone != "kind" else holder[gone]
        if r.random() < 0.5:
            holder[r.choice((gone.upper(), gone * 1000, "\x1b[2J", ""))] = value
    else:
        holder[r.choice(("x", "\0", "\u202e", "k" * 100_000, "extends", "secret", "rules", "entries"))] = (
            r.choice(VALUES)(r)
        )
    return seal(lines)


def change_spec(data: bytes, r: random.Random) -> bytes:
    """Make the terms enormous, or impossible."""
    lines = parsed(data)
    spec = lines[0]["spec"]
    number = r.choice((0, -1, 1, 2, 5, 50, 10**4, 10**6, 10**9, 2**63))
    match r.randrange(7):
        case 0:
            spec.setdefault("match", {})[r.choice(("block", "cap", "delta", "alpha", "deal_ms"))] = number
        case 1:
            spec["stage"] = r.choice((spec.get("stage") or [{}]) * 1) and (
                spec.get("stage") or [{}]
            ) * r.choice((2, 15, 17, 5000))
        case 2:
            spec["seats"] = number
        case 3:
            spec["options"] = {
                r.choice(("ace_stack", "hand", "x", "mau")): r.choice(VALUES)(r)
                for _ in range(r.choice((1, 500)))
            }
        case 4:
            spec["rules"] = r.choice(("prsi", "mau_mau", "schweizer", "app", "../x", "x" * 10**6))
        case 5:
            spec["variant_toml"] = r.choice(
                ("[" * 10**4, "a = " + "[" * 5000, "x." * 10**5 + "y = 1", 'extends = "prsi"', "\0")
            )
        case _:
            entry = next(one for one in lines if one["kind"] == "entry")
            count = r.choice((20, 255, 256, 257, 20_000))
            new = [entry | {"number": n, "name": f"bot-{n}", "sha256": f"{n:064x}"} for n in range(1, count)]
            lines = [one for one in lines if one["kind"] != "entry"]
            lines[1:1] = new
    return seal(lines)


def change_records(data: bytes, r: random.Random) -> bytes:
    """Records with other words, options nested deep, actions by the thousand."""
    lines = parsed(data)
    records = [one for one in lines if one["kind"] == "record"]
    for one in r.sample(records, min(len(records), r.choice((1, 1, 5, 50)))):
        rows = one["record"].split("\n")
        one["record"] = "\n".join(r.choice(ROW_CHANGES)(rows, r.randrange(len(rows)), r))[: 4 << 20]
    return seal(lines)


Rows = list[str]


def lengthen_row(rows: Rows, at: int, r: random.Random) -> Rows:
    return [*rows[:at], rows[at] * r.choice((2, 100, 10_000)), *rows[at + 1 :]]


def repeat_row(rows: Rows, at: int, r: random.Random) -> Rows:
    return rows[:at] + [rows[at]] * r.choice((3, 1001, 20_001)) + rows[at + 1 :]


def remove_row(rows: Rows, at: int, _: random.Random) -> Rows:
    return rows[:at] + rows[at + 1 :]


def replace_word(rows: Rows, at: int, r: random.Random) -> Rows:
    words = rows[at].split(" ")
    words[r.randrange(len(words))] = str(r.choice(VALUES)(r))[:100_000]
    return [*rows[:at], " ".join(words), *rows[at + 1 :]]


def nest_options(rows: Rows, _: int, r: random.Random) -> Rows:
    depth = r.choice((10, 1000, 50_000))
    deep = r.choice(('{"a":' * depth + "1" + "}" * depth, "[" * depth + "]" * depth))
    return [rows[0], f"[options {deep}]", *rows[1:]]


def replace_head(rows: Rows, _: int, r: random.Random) -> Rows:
    heads = ("[maumau 9]", "[maumau", "", "[maumau 1]" * 1000, "[seed " + "9" * 10**6 + "]")
    return [r.choice(heads), *rows[1:]]


def insert_tag(rows: Rows, at: int, r: random.Random) -> Rows:
    tags = ("[first B]", "[hands A 9H]", "[stock ]", "[seats 999999999]", "[game]", "[up 9H]",
            "[rules schweizer]", "[target 1]")  # fmt: skip
    return [*rows[:at], r.choice(tags), *rows[at:]]


def end_rows_otherwise(rows: Rows, _: int, r: random.Random) -> Rows:
    return [row + r.choice(("\0", " ", "{", "\x1b", "\u2028", "\x85")) for row in rows]


def repeat_rows(rows: Rows, _: int, r: random.Random) -> Rows:
    return rows * r.choice((2, 3, 200))


ROW_CHANGES = (lengthen_row, repeat_row, remove_row, replace_word, nest_options, replace_head, insert_tag,
               end_rows_otherwise, repeat_rows)  # fmt: skip


def change_structure(data: bytes, r: random.Random) -> bytes:
    """Lines in wrong places, too many, too few, of other kinds, with every digest right."""
    lines = parsed(data)
    for _ in range(r.choice((1, 2, 10))):
        at, other = r.randrange(len(lines)), r.randrange(len(lines))
        match r.randrange(4):
            case 0:
                lines.insert(other, json.loads(json.dumps(lines[at])))
            case 1 if len(lines) > 1:
                del lines[at]
            case 2:
                lines[at]["kind"] = lines[other]["kind"]
            case _:
                lines[at : at + 1] = [lines[at]] * r.choice((5, 500))
    return seal(lines)


MUTATIONS = (change_bytes, cut_bytes, insert_bytes, change_lines, change_values, change_keys, change_spec,
             change_records, change_structure)  # fmt: skip
