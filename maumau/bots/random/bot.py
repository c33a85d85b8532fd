"""random: any legal action, each as likely as the others. What plays worse than this plays on purpose."""

from maumau.bot import Bot, View, run


class Random(Bot):
    """Rolls the dice of the deal, so that it decides alike whenever the deal is played from its seat."""

    name = "random"

    def act(self, view: View) -> str:
        return self.rng.choice(view.legal)


if __name__ == "__main__":
    run(Random)
