"""Seat tokens, as docs/how-to/live.md describes them: the table, the seat, and a secret."""

from maumau.errors import BadSeatToken

MAX_TOKEN_LENGTH = 200


def split_token(token: str) -> tuple[str, int]:
    """Return the table and seat that a token names; raise BadSeatToken if it names none."""
    table_id, _, rest = token.partition("/")
    seat = rest.partition("/")[0]
    if not table_id.startswith("table_") or len(token) > MAX_TOKEN_LENGTH:
        raise BadSeatToken
    if not (seat.isascii() and seat.isdecimal()):
        raise BadSeatToken
    return table_id, int(seat[:3])
