"""`maumau scenario PATH…`: play scenario files and say of each scenario whether it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from maumau.cli.output import Json, json_line
from maumau.errors import MaumauError, ScenarioFailed


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(scenario)


def scenario(
    paths: Annotated[
        list[Path], typer.Argument(help="Scenario files, or folders for all .yaml files in them.")
    ],
    *,
    as_json: Json = False,
) -> None:
    """Play scenarios and report for each whether it holds.

    Example: maumau scenario tests/scenarios/prsi.yaml
    """
    code = main(paths, as_json=as_json)
    if code:
        raise typer.Exit(code)


def main(paths: Iterable[Path], *, as_json: bool = False) -> int:
    """Print `ok ID` or `FAIL ID: step N, …` for each scenario; 1 if one fails or a file cannot be read."""
    failed = False
    for name, words in outcomes(paths):
        failed |= bool(words)
        if as_json:
            json_line({"id": name, "ok": not words, "words": words})
        else:
            typer.echo(f"FAIL {name}: {words}" if words else f"ok {name}")
    return int(failed)


def outcomes(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Of each scenario its id and why it fails, empty if it holds; of a file that cannot be read its path."""
    for path in files(map(Path, paths)):
        try:
            found = [] if path.is_dir() else scenarios(path)
        except ScenarioFailed as failure:
            yield str(path), str(failure)
        else:
            if not found:
                yield str(path), "it contains no scenarios"
            for each in found:
                yield str(each["id"]), _failure(each)


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """The scenario files that paths mean: a folder for every .yaml file in it, or for itself."""
    for path in paths:
        yield from sorted(path.glob("**/*.yaml")) or [path]


def scenarios(path: Path) -> list[dict[str, Any]]:
    """The scenarios of one file; ScenarioFailed if it is no list of them."""
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it was compiled
        found = yaml.load(path.read_text(encoding="utf-8"), loader)  # noqa: S506  # both are safe
    except OSError as error:
        raise ScenarioFailed(f"it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ScenarioFailed("it cannot be read: it is not valid UTF-8") from None
    except yaml.YAMLError as error:
        raise ScenarioFailed(f"it cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(found, list) or not all(isinstance(entry, dict) and "id" in entry for entry in found):
        raise ScenarioFailed("it is not a list of scenarios, each with an id")
    return found


def _failure(scenario: dict[str, Any]) -> str:
    from maumau.game.scenario import run_scenario

    try:
        run_scenario(scenario)
    except MaumauError as error:
        return str(error)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        return f"it cannot be read: {error!r}"
    return ""
