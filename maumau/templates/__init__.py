"""A complete bot in each language, for `maumau new`: package data, every folder a submission as it stands."""

from pathlib import Path

LANGUAGES = ("python", "node", "go", "rust", "c++", "java", "bash")


def folder(language: str) -> Path:
    """Return the submission folder of a language's template."""
    return Path(__file__).parent / language
