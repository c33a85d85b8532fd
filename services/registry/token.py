"""Tokens: 256 random bits that are shown once, and kept as a hash. Pure but for chance."""

import hashlib
import secrets


def new_token() -> str:
    """`mm_` and 43 characters."""
    return "mm_" + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What is stored; plain SHA-256 is enough for a secret that nobody can guess."""
    return hashlib.sha256(token.encode()).hexdigest()
