"""`maumau scenario PATH…`: play scenario files and say of each scenario whether it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from maumau.cli.shared.bounded import read_text
from maumau.errors import MaumauError, ScenarioFailed
from maumau.screen.output import Json, json_line


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("scenario")(play_scenarios)


def play_scenarios(
    paths: Annotated[
        list[Path], typer.Argument(help="Scenario files, or folders for all .yaml files in them.")
    ],
    *,
    as_json: Json = False,
) -> None:
    """Play scenarios and report for each whether it holds.

    Example: maumau scenario tests/scenarios/prsi.yaml
    """
    code = report_scenarios(paths, as_json=as_json)
    if code:
        raise typer.Exit(code)


def report_scenarios(paths: Iterable[Path], *, as_json: bool = False) -> int:
    """Print `ok ID` or `FAIL ID: step N, …` for each scenario; return 1 if one fails or is unreadable."""
    failed = False
    for name, words in yield_outcomes(paths):
        failed |= bool(words)
        if as_json:
            json_line({"id": name, "ok": not words, "words": words})
        else:
            typer.echo(f"FAIL {name}: {words}" if words else f"ok {name}")
    return int(failed)


def yield_outcomes(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield each scenario's id and reason of failure, empty if it holds; for unreadable files their path."""
    for path in find_files(map(Path, paths)):
        try:
            found = [] if path.is_dir() else read_scenarios(path)
        except ScenarioFailed as failure:
            yield str(path), str(failure)
        else:
            if not found:
                yield str(path), "it contains no scenarios"
            for each in found:
                yield str(each["id"]), _find_failure(each)


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the scenario files of paths: for a folder every .yaml file in it, or the folder itself."""
    for path in paths:
        yield from sorted(path.glob("**/*.yaml")) or [path]


def read_scenarios(path: Path) -> list[dict[str, Any]]:
    """Return the scenarios of one file; raise ScenarioFailed if it is not a list of them."""
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it was compiled
        found = yaml.load(read_text(path), loader)  # noqa: S506  # both are safe
    except OSError as error:
        raise ScenarioFailed(f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ScenarioFailed("it cannot be read: it is not valid UTF-8") from None
    except yaml.YAMLError as error:
        raise ScenarioFailed(f"it cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(found, list) or not all(isinstance(entry, dict) and "id" in entry for entry in found):
        raise ScenarioFailed("it is not a list of scenarios, each with an id")
    return found


def _find_failure(scenario: dict[str, Any]) -> str:
    from maumau.game.scenario import run_scenario

    try:
        run_scenario(scenario)
    except MaumauError as error:
        return str(error)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        return f"it cannot be read: {error!r}"
    return ""
