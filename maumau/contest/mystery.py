"""Mystery rules: rules that are sealed in a contest's spec until it starts, or a moment before.

1. The sealed text is the canonical TOML of `rules`, `options` and `variant_toml`, as the spec has them once
   it is bounded; what does not differ from the variant's defaults is left out.
2. The salt is 32 random bytes as 64 hex digits: there are few known variants, and a bare hash of one of them
   could be guessed.
3. The commitment, published when the contest is made, is SHA-256(salt, line feed, sealed text).
4. Until the reveal the spec says `rules = "mystery"` and has the commitment alone; from then on it has
   everything, so that whoever reads the spec or an export checks the commitment.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import TYPE_CHECKING, Final

import msgspec

from maumau.contest.spec.part import Mystery
from maumau.contest.strict import write_table
from maumau.errors import BadSpec, RulesSealed

if TYPE_CHECKING:
    from datetime import datetime

    from maumau.contest.spec.spec import Spec

SEALED: Final = "mystery"
"""The word in place of the variant's name while the rules are sealed."""
DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def new_salt() -> str:
    """Draw a salt: 64 hex digits."""
    return secrets.token_hex(32)


def write_sealed(spec: Spec) -> str:
    """Return the text that is sealed."""
    options = {"options": dict(sorted(spec.options.items()))} if spec.options else {}
    return write_table({"rules": spec.rules, "variant_toml": spec.variant_toml, **options})


def commit_rules(salt: str, text: str) -> str:
    """Return the commitment to a sealed text, 64 hex digits."""
    return hashlib.sha256(f"{salt}\n{text}".encode()).hexdigest()


def seal_spec(spec: Spec, salt: str) -> Spec:
    """Return a spec with mystery rules as it is shown until their reveal."""
    mystery = msgspec.structs.replace(
        spec.mystery or Mystery(), commitment=commit_rules(salt, write_sealed(spec)), salt=None
    )
    return msgspec.structs.replace(spec, rules=SEALED, options={}, variant_toml=None, mystery=mystery)


def open_spec(spec: Spec, salt: str) -> Spec:
    """Return a spec with mystery rules as it is shown from their reveal on."""
    mystery = msgspec.structs.replace(
        spec.mystery or Mystery(), commitment=commit_rules(salt, write_sealed(spec)), salt=salt
    )
    return msgspec.structs.replace(spec, mystery=mystery)


def check_open(spec: Spec) -> None:
    """Raise RulesSealed while nobody may know the rules of a spec."""
    if spec.is_sealed:
        raise RulesSealed(f"The rules of {spec.name} are sealed until they are revealed.")


def check_mystery(spec: Spec) -> None:
    """Raise BadSpec for mystery rules that are impossible, or that differ from the sealed ones."""
    mystery = spec.mystery
    if mystery is None:
        return
    _check_alone(spec)
    for key in ("commitment", "salt"):
        value = getattr(mystery, key)
        if value is not None and not DIGEST.fullmatch(value):
            raise _refuse(key, f"{value!r} is not one; it has 64 hex digits")
    if mystery.salt is not None and mystery.commitment is None:
        raise _refuse("salt", "the arena draws it and shows it at the reveal; leave it out")
    if spec.is_sealed and (spec.rules != SEALED or spec.options or spec.variant_toml is not None):
        raise _refuse("commitment", "the arena computes it; leave it out")


def check_unsealed(spec: Spec) -> None:
    """Raise BadSpec for a new contest whose rules are sealed or revealed already."""
    if spec.mystery and spec.mystery.commitment is not None:
        raise _refuse("commitment", "the arena computes it; leave it and the salt out")


def check_seal(spec: Spec) -> None:
    """Raise BadSpec if mystery rules are shown that are not those to which the commitment was published."""
    mystery = spec.mystery
    if mystery is None or mystery.salt is None:
        return
    found = commit_rules(mystery.salt, write_sealed(spec))
    if found != mystery.commitment:
        words = f"salt and rules give the commitment {found}, not {mystery.commitment}"
        raise _refuse("commitment", words)


def find_reveal(spec: Spec) -> datetime | None:
    """Return the moment at which mystery rules are revealed; None: at the start."""
    return spec.mystery.reveal if spec.mystery else None


def check_reveal(spec: Spec) -> None:
    """Raise BadSpec for a moment of the reveal at which it cannot be."""
    if (reveal := find_reveal(spec)) is None:
        return
    starts, closes = spec.schedule.starts, spec.entries.closes
    if starts is None:
        words = "a moment needs schedule.starts; without one the rules are revealed at the start"
        raise _refuse("reveal", words)
    if reveal > starts:
        words = (
            f"{reveal.isoformat()} is after the start ({starts.isoformat()}); rules are revealed at the"
            " start, which needs no key, or at a moment before it"
        )
        raise _refuse("reveal", words)
    if closes is None or reveal < closes:
        when = f"they close at {closes.isoformat()}" if closes else "entries.closes is not given"
        words = f"nobody may enter who knows the rules, so entries close before it or then; {when}"
        raise _refuse("reveal", words)


def _check_alone(spec: Spec) -> None:
    """Raise BadSpec for keys that would tell something of the rules."""
    games = [f"stage {number}.game" for number, one in enumerate(spec.stages, start=1) if one.game]
    if spec.game is not None or games:
        key = games[0] if games else "game"
        words = "its end and its length would tell something of mystery rules; they are for single deals"
        raise BadSpec(f"{key}: {words}.", field=re.sub(r" (\d+)", r"[\1]", key))
    if spec.score == "points":
        words = "points would tell something of mystery rules; leave it out, or have places count"
        raise BadSpec(f"score: {words}.", field="score")


def _refuse(key: str, words: str) -> BadSpec:
    return BadSpec(f"mystery.{key}: {words}.", field=f"mystery.{key}")
