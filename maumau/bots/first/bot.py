"""first: the first legal action, always. The arena's stand-in plays like this."""

from maumau.bot import Bot, View, run


class First(Bot):
    """Takes what stands first in the list: the lowest card that may be laid."""

    name = "first"

    def act(self, view: View) -> str:
        return view.legal[0]


if __name__ == "__main__":
    run(First)
