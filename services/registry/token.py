"""Tokens: 256 random bits, shown once and kept as a hash; codes that are typed. Pure but for chance."""

import hashlib
import secrets


def new_token() -> str:
    """`mm_` and 43 characters."""
    return "mm_" + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What is stored; plain SHA-256 is enough for a secret that nobody can guess."""
    return hashlib.sha256(token.encode()).hexdigest()


LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Of codes: none that is read as another one."""
CODE_LENGTH = 8


def new_code() -> str:
    """Two groups of four; about 40 random bits, for what holds a minute and once."""
    drawn = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
    return f"{drawn[:4]}-{drawn[4:]}"


def code_hash(typed: str) -> str:
    """Of a code as somebody types it: small letters, blanks and dashes make no difference."""
    return token_hash("".join(one for one in typed[:64].upper() if one.isalnum()))
