"""A sandbox in which nothing starts."""

from maumau.errors import PlatformFault


class Fallen:
    """A wall that cannot be built just now."""

    name, isolated, counted, says = "fallen", True, True, "nothing starts"

    def start(self, launch):
        raise PlatformFault("the wall cannot be built")
