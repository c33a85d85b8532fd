"""Limits on new accounts by address, counted in the database so that replicas share them."""

from typing import NamedTuple

from sqlmodel import Session, col, select

from maumau.errors import QuotaReached
from services.registry.models import Account
from services.registry.store.bots.quota import say_minute
from services.shared.base.address import Address
from services.shared.base.clock import DAY, HOUR

SITE_FACTOR = 4
"""Accounts that a whole site, the /48 of an IPv6 address, may open, as a multiple of an address's."""


class RegistrationBounds(NamedTuple):
    """The numbers of accounts that one address may open within an hour, and within a day."""

    hour: int
    day: int

    def check_bounds(self, session: Session, address: Address, now: int) -> None:
        """Raise QuotaReached, with the time of the next one, if the address has opened its share."""
        places = [(Account.registered_from, address.block, 1)]
        if address.site:
            places.append((Account.registered_site, address.site, SITE_FACTOR))
        for column, place, times in places:
            for most, window, words in ((self.hour, HOUR, "an hour"), (self.day, DAY, "a day")):
                opened = col(Account.created_at)
                query = select(Account.created_at).where(column == place, opened > now - window)
                query = query.order_by(opened.desc()).offset(most * times - 1).limit(1)
                earliest = session.exec(query).first()
                if earliest is not None:
                    raise _build_refusal(
                        place, f"{most * times} accounts within {words}", earliest + window, now
                    )


def _build_refusal(place: str, opened: str, again_at: int, now: int) -> QuotaReached:
    return QuotaReached(
        f"Your address, {place}, has opened {opened}, as many as this arena allows; it can open the next one"
        f" from {say_minute(again_at)} on. An admin of the arena can open more at once, such as for a class:"
        " `maumau admin accounts NAME…`.",
        quota=f"accounts of the address {place}",
        retry_after=-(-(again_at - now) // 1000),
    )
