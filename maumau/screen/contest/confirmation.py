"""The confirmation that some contests wait for once their entries have closed, in words."""

from __future__ import annotations

from collections.abc import Iterator

from maumau.client.answer import Entry


def say_confirm(entry: Entry, spec_toml: str) -> Iterator[str]:
    """Yield what an author has to do before the start, if anything."""
    from maumau.contest.spec.spec import read_table  # the help needs no game

    if not entry.commitment:
        return
    spec = read_table(spec_toml)
    entries, starts = spec.get("entries", {}), spec.get("schedule", {}).get("starts")
    if entries.get("opening_minutes", 1):
        yield "once its entries have closed, any `maumau` command confirms that you are there"
    elif (closes := entries.get("closes")) and (starts is None or starts > closes):
        yield (
            "once its entries have closed, any `maumau` command confirms that you are there; the start does"
            " not wait for it"
        )
    else:
        yield "there is nothing to confirm: the start waits for nobody once its entries have closed"
