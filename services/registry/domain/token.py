"""Tokens: 256 random bits, shown once and stored as a hash; codes for typing. Pure but for chance."""

import hashlib
import secrets


def new_token() -> str:
    """Return `mm_` and 43 characters."""
    return "mm_" + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return the hash that is stored; plain SHA-256 suffices for a secret that cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters of codes, none of which looks like another."""
CODE_LENGTH = 8


def new_code() -> str:
    """Return two groups of four: about 40 random bits, for a code that holds once and for a minute."""
    drawn = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
    return f"{drawn[:4]}-{drawn[4:]}"


INVITATION_GROUPS = 4


def new_invitation_code() -> str:
    """Return four groups of four: 79 random bits, which nobody guesses within the weeks that it lasts."""
    drawn = ("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(INVITATION_GROUPS))
    return "-".join(drawn)


def code_hash(typed: str) -> str:
    """Return the hash of a code as typed: case, blanks and dashes make no difference."""
    return token_hash("".join(one for one in typed[:64].upper() if one.isalnum()))
