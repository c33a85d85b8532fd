"""The audiences for which an organiser may make a tournament. Pure."""

from maumau.contest.spec.spec import Spec
from maumau.errors import NotAllowed, UnknownGroup
from services.shared.base.auth import Identity, Need


def check_audience(who: Identity, spec: Spec) -> None:
    """Raise unless the caller may make a tournament for these people.

    With an organiser's token that is everybody, or a group that the account organises; organisers of a group
    without such a token make tournaments of their groups alone.
    """
    if spec.group is not None:
        if spec.group not in who.led and not who.may(Need.ADMIN):
            words = f"There is no group {spec.group!r} that you organise; `maumau group list` shows yours."
            raise UnknownGroup(words, thing=spec.group)
    elif not who.may(Need.ORGANISER):
        raise NotAllowed(
            f'You organise contests of {", ".join(sorted(who.led))} alone: set visibility to "group" and'
            " group to its name. For other contests an admin gives you a token with the scope organiser."
        )
