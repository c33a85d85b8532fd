"""`maumau admin dump`: an arena's results as tables, for instance nightly from a scheduler."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Literal

import typer

from maumau.cli.arena.run import check_installed
from maumau.cli.shared import place
from maumau.process.importing import hold
from maumau.screen.output import Json, Where


def dump_results(
    target: Annotated[str, typer.Argument(metavar="PLACE", help="A folder, or s3://BUCKET/PREFIX.")],
    *,
    form: Annotated[
        Literal["parquet", "csv", "jsonl"], typer.Option("--format", help="The format of the files.")
    ] = "parquet",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Write the results of all contests and ladder epochs that are over as tables, each once.

    The account, from MAUMAU_TOKEN or `maumau login`, must be in no group and no admin, so that nothing hidden
    is written. Each further run, such as a nightly one, adds what has ended since. Columns:
    docs/reference/data.md.

    Example: maumau admin dump s3://arena-data/results --arena https://arena.example
    """
    found = place.find_arena(arena)
    check_installed("services.dump", "fsspec", *(["pyarrow"] if form == "parquet" else []))
    addresses = [("registry", found.registry), ("tournament", found.tournament)]
    addresses.append(("matchmaking", place.require_address(found, "matchmaking")))
    flags = [f"--{service}={address}" for service, address in addresses]
    flags += [*(["--tls"] if found.tls else []), "--format", form, *(["--json"] if as_json else [])]
    words = [sys.executable, "-m", "services.dump", target, *flags]
    os.environ["MAUMAU_TOKEN"] = place.choose_token(found)
    sys.stdout.flush()
    hold()
    os.execv(words[0], words)  # noqa: S606
