"""The command that makes a dump, with output in words or JSON."""

import argparse
import os

from maumau.client.arena import Arena
from maumau.client.matchmaking import Matchmaking
from maumau.data.file import FORMATS
from maumau.errors import MaumauError
from maumau.screen.output import count_things, fail, json_line, show
from services.dump.save import Dump, check_reader, save_dump
from services.shared.store.storage import Storage


def main() -> None:
    """Make a dump; a refusal or failure is one sentence and exit code 1."""
    options, token = _parse_options(), os.environ.get("MAUMAU_TOKEN", "")
    try:
        place = Storage(options.place, "The place of the dump")
        place.check()
        with (
            Arena(options.registry, options.tournament, token, tls=options.tls) as arena,
            Matchmaking(options.matchmaking, token, tls=options.tls) as matchmaking,
        ):
            check_reader(arena)
            done = save_dump(arena, matchmaking, place, options.format)
    except MaumauError as error:
        raise SystemExit(fail(error.reason, str(error), 1, as_json=options.json)) from None
    if options.json:
        json_line(done._asdict())
        return
    show(_describe_dump(done), *(f"{name}: {words}" for name, words in done.refused.items()))


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.dump", description=__doc__)
    parser.add_argument("place", help="a folder, or s3://BUCKET/PREFIX")
    for service in ("registry", "tournament", "matchmaking"):
        parser.add_argument(f"--{service}", required=True, help="HOST:PORT")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--format", choices=FORMATS, default="parquet")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _describe_dump(done: Dump) -> str:
    folders = count_things(len(done.written), "folder")
    return f"{folders} written, {len(done.kept)} there before, {len(done.refused)} that cannot be exported"
