"""Mystery rules as a tournament's row stores them; until the reveal all other columns are without them."""

import tomllib
from functools import lru_cache

import msgspec

from maumau.contest.mystery import open_spec
from maumau.contest.spec.spec import Spec
from maumau.rulebook.trial import TrialVariant
from services.tournament.domain.board import spec_of
from services.tournament.models import Tournament


class SealedRules(msgspec.Struct, frozen=True):
    """The salt, the sealed text, and the variants that were made for those who enter."""

    salt: str
    text: str
    trials: list[TrialVariant]


def write_rules(sealed: SealedRules) -> str:
    """Return the rules as they are stored."""
    return msgspec.json.encode(sealed).decode()


@lru_cache(maxsize=256)
def read_rules(sealed: str) -> SealedRules:
    """Return stored rules."""
    return msgspec.json.decode(sealed, type=SealedRules)


def unseal_spec(spec: Spec, sealed: SealedRules) -> Spec:
    """Return a sealed spec with its rules, as it is shown from their reveal on."""
    given = tomllib.loads(sealed.text)
    options = given.get("options", {})
    rules = {"rules": given["rules"], "options": options, "variant_toml": given.get("variant_toml")}
    return open_spec(msgspec.structs.replace(spec, **rules), sealed.salt)


def find_played_spec(row: Tournament) -> Spec:
    """Return the spec that is played, which nobody but its organisers may see before the reveal."""
    spec = spec_of(row.spec)
    return unseal_spec(spec, read_rules(row.sealed)) if spec.is_sealed else spec


def find_commitment(row: Tournament) -> str:
    """Return the commitment to the rules, "" if the spec has none."""
    mystery = spec_of(row.spec).mystery
    return mystery.commitment or "" if mystery else ""


def write_draft(row: Tournament) -> str:
    """Return the spec as its organiser wrote it; "" unless its rules are sealed."""
    spec = spec_of(row.spec)
    if not spec.is_sealed or spec.mystery is None:
        return ""
    plain = msgspec.structs.replace(spec.mystery, commitment=None)
    found = find_played_spec(row)
    return msgspec.structs.replace(found, mystery=plain).to_toml()
