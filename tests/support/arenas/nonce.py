"""Nonces of entrants, and the commitments to them."""

import hashlib

NONCE, OTHER = "11" * 32, "22" * 32


def commit_nonce(nonce):
    return hashlib.sha256(nonce.encode()).hexdigest()
