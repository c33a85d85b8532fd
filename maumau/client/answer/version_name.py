"""Names of bots with the numbers of their versions, which distinguish two versions of one bot."""

from collections.abc import Sequence


def name_version(bot: str, version: int) -> str:
    """Return the name of a bot's version, such as "my-bot v3"; the bot's if the number is unknown, 0."""
    return f"{bot} v{version}" if version else bot


def name_versions(bots: Sequence[str], versions: Sequence[int]) -> tuple[str, ...]:
    """Return the names of these versions. versions: by position; unknown where the arena tells fewer."""
    numbers = *versions, *[0] * (len(bots) - len(versions))
    return tuple(map(name_version, bots, numbers))


def tell_apart(bots: Sequence[str], versions: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the bots, with the numbers of their versions where several have one name."""
    full = name_versions(bots, versions)
    return tuple(name if bots.count(bot) > 1 else bot for bot, name in zip(bots, full, strict=True))
