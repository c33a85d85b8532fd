"""The commands that make, restore and list backups, with output in words or JSON."""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import services
from maumau.errors import MaumauError
from maumau.screen.output import fail, json_line, show
from services.backup import restore, save
from services.backup.manifest import Manifest
from services.backup.place import BackupPlace
from services.shared.base import log
from services.shared.base import settings as setting
from services.shared.base.settings import Settings
from services.shared.store.connect import Database
from services.shared.store.storage import Storage

HOME = Path(services.__file__).parent


def main() -> None:
    """Run a command; a refusal or failure is one sentence and exit code 1."""
    os.umask(0o077)  # a backup contains the secrets of contests
    options = _parse_options()
    try:
        settings = setting.from_environment()
        log.configure("backup", settings.log)
        with ExitStack() as stack:
            COMMANDS[options.command](options, settings, BackupPlace(options.place), stack)
    except MaumauError as error:
        raise SystemExit(fail(error.reason, str(error), 1, as_json=options.json)) from None


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.backup", description=__doc__)
    parser.add_argument("command", choices=sorted(COMMANDS))
    parser.add_argument("place", help="a folder, or s3://BUCKET/PREFIX")
    parser.add_argument("--keep", type=int, default=0, help="remove all but the newest N backups")
    parser.add_argument("--name", default="", help="the backup; by default the newest")
    parser.add_argument("--check", action="store_true", help="read every part and compare its SHA-256")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _run_backup(
    options: argparse.Namespace, settings: Settings, place: BackupPlace, stack: ExitStack
) -> None:
    folders = [Path(place.storage.root)] if place.storage.local else []
    stack.enter_context(_remove_unused_folders([*folders, settings.data.resolve()]))
    place.storage.check()
    databases = _connect_databases(settings, stack)
    name, written = save.save_backup(databases, _open_stores(settings), place)
    unknown = restore.find_unknown(written, databases, migrations_folder)
    removed = place.remove_old(options.keep) if options.keep else []
    if options.json:
        json_line({"backup": _backup_facts(name, written), "removed": removed, "needs_later": unknown})
        return
    show(f"backup {name}: {_describe_backup(written)}", *(f"removed {each}" for each in removed))
    if unknown:
        show(
            f"note: a later version of maumau has changed these tables ({', '.join(unknown)}); only that"
            " version or a later one can restore them"
        )


def _run_restore(
    options: argparse.Namespace, settings: Settings, place: BackupPlace, stack: ExitStack
) -> None:
    place.storage.check_bucket()
    name = place.choose(options.name)
    stores = _open_stores(settings)
    for each in stores.values():
        each.check()
    written = restore.restore_backup(
        name, place, _connect_databases(settings, stack), stores, migrations_folder
    )
    if options.json:
        json_line({"restored": _backup_facts(name, written)})
        return
    show(
        f"restored {name}: {_describe_backup(written)}",
        "Start the services now; they bring the tables up to date.",
    )


def _run_list(
    options: argparse.Namespace, _settings: Settings, place: BackupPlace, _stack: ExitStack
) -> None:
    place.storage.check_bucket()
    found = []
    for name, is_whole in place.names().items():
        written = place.read(name) if is_whole else None
        if options.check and written:
            place.check(name, written)
        found.append((name, written))
    if options.json:
        json_line({"backups": [_backup_facts(name, written) for name, written in found]})
        return
    for name, written in found:
        show(f"{name}  {_describe_backup(written) if written else 'cut short, or being written'}")
    if not found:
        show(f"no backups in {options.place}")


COMMANDS: dict[str, Callable[[argparse.Namespace, Settings, BackupPlace, ExitStack], None]] = {
    "backup": _run_backup,
    "restore": _run_restore,
    "list": _run_list,
}


def migrations_folder(service: str) -> Path:
    """Return the folder of a service's migrations."""
    return HOME / service / "migrations"


@contextmanager
def _remove_unused_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Remove these folders and their parents after an error, if they were made meanwhile and are empty."""
    missing = [each for one in folders for each in (one, *one.parents) if not os.access(each, os.F_OK)]
    try:
        yield
    except BaseException:
        for each in missing:  # the deepest first
            with suppress(OSError):
                each.rmdir()
        raise


def _connect_databases(settings: Settings, stack: ExitStack) -> dict[str, Database]:
    """Return the databases of all services that have tables."""
    names = sorted(folder.parent.name for folder in HOME.glob("*/migrations"))
    found = {name: Database(settings.database(name), name) for name in names}
    for each in found.values():
        stack.callback(each.close)
    return found


def _open_stores(settings: Settings) -> dict[str, Storage]:
    return {name: Storage(url, f"{setting.PREFIX}{name.upper()}") for name, url in settings.stores().items()}


def _backup_facts(name: str, written: Manifest | None) -> dict[str, Any]:
    if written is None:
        return {"name": name, "whole": False}
    return {
        "name": name,
        "whole": True,
        "version": written.version,
        "created_at": written.created_at,
        "database": written.database,
        "rows": written.rows,
        "files": len(written.files),
        "bytes": written.size,
    }


def _describe_backup(written: Manifest) -> str:
    return (
        f"{written.rows:,} rows of {len(written.tables)} tables and {len(written.files):,} files,"
        f" {written.size / 1e6:,.1f} MB, by maumau {written.version} from {written.database}"
    )
