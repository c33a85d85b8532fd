"""What an arena says of itself to whoever asks."""

from functools import lru_cache
from importlib.metadata import version
from typing import NamedTuple

from maumau import game
from maumau.bot.limit import UploadLimits
from maumau.v1 import registry_pb2 as pb
from services.registry.store import Quota


class ServerInfo(NamedTuple):
    """open: anybody may open an account. house_only: strangers' programs are not taken."""

    open: bool
    house_only: bool
    runtimes: tuple[str, ...]
    upload: UploadLimits
    quota: Quota

    def message(self) -> pb.GetServerInfoResponse:
        upload, quota = self.upload, self.quota
        limits = pb.ServerLimits(
            upload_bytes=upload.packed, unpacked_bytes=upload.unpacked, members=upload.members,
            bots=quota.bots, waiting_versions=quota.waiting, stored_mib=quota.mib,
            validation_minutes=quota.minutes, versions_a_day=quota.versions,
        )  # fmt: skip
        return pb.GetServerInfoResponse(
            version=version("maumau-arena"), open=self.open, takes_strangers=not self.house_only,
            runtimes=self.runtimes, limits=limits, variants=_variants(),
        )  # fmt: skip


@lru_cache(maxsize=1)
def _variants() -> tuple[pb.VariantInfo, ...]:
    found = []
    for name in game.variants():
        rules = game.load(name)
        fewest, most = rules.seats
        found.append(pb.VariantInfo(name=name, rules_hash=rules.hash, fewest_seats=fewest, most_seats=most))
    return tuple(found)
