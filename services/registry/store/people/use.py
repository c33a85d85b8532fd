"""Times of the last uses of tokens: noted with each call, written in the background once an hour at most."""

from sqlmodel import Session, col, update

from maumau.errors import MaumauError
from services.registry.models import Token
from services.shared.base.clock import HOUR, Clock
from services.shared.store.connect import Database


class Uses:
    """The uses noted by a replica. Unwritten ones are lost if it is killed; the next call notes a new one."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database, self.clock = database, clock
        self._noted: dict[str, int] = {}

    def note_use(self, token: Token) -> None:
        """Note a use, with each call; it takes no time."""
        now = self.clock()
        if token.used_at is None or token.used_at <= now - HOUR:
            self._noted[token.id] = now

    def write(self) -> None:
        """Write the noted uses, each in a transaction of its own, so that no two rows are locked at once."""
        while True:
            try:
                token_id, used_at = self._noted.popitem()
            except KeyError:  # none is left, perhaps because another thread writes them, too
                return
            try:
                with self.database.write() as session:
                    _write_one(session, token_id, used_at)
            except MaumauError:
                self._noted.setdefault(token_id, used_at)
                raise


def _write_one(session: Session, token_id: str, used_at: int) -> None:
    """Write a use unless another replica has written one in the meantime."""
    is_due = col(Token.used_at).is_(None) | (col(Token.used_at) <= used_at - HOUR)
    session.execute(update(Token).where(col(Token.id) == token_id, is_due).values(used_at=used_at))
