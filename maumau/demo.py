"""Names of demonstration tournaments, by which one program finds what another has made."""

from __future__ import annotations


def name_demo(rules: str, shown: str = "") -> str:
    """Return the name of the demonstration of a variant, and of a format if it shows one."""
    return f"demo-{rules}-{shown}" if shown else f"demo-{rules}"
