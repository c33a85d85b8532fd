"""Words on adding an extra that is not installed: from the wheel, since no index has the package."""

from __future__ import annotations


def say_install(extra: str) -> str:
    """Return the command that adds an extra, such as `arena`, and say where its wheel comes from."""
    from importlib.metadata import version

    wheel = f"./maumau_arena-{version('maumau-arena')}-py3-none-any.whl"
    return (
        f"pip install '{wheel}[{extra}]' (every arena offers the wheel on its page /install;"
        " in a checkout `make dist` puts it into dist/)"
    )
