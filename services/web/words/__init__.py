"""What the pages say, in English and German: one catalogue. Pure."""

from typing import Any, Final

from maumau.page import labels, states
from services.web.words import account, bot, ladder, page, status, table

LANGUAGES: Final = ("en", "de")
WORDS: Final[dict[str, tuple[str, str]]] = {
    **labels.WORDS, **states.WORDS, **page.WORDS, **ladder.WORDS, **bot.WORDS, **table.WORDS, **account.WORDS,
    **status.WORDS,
}  # fmt: skip


class Tongue:
    """One language: `t("matches_of", decided=3, known=10)`. An unknown key is a KeyError."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._column = LANGUAGES.index(language)

    def __call__(self, key: str, **values: Any) -> str:
        return WORDS[key][self._column].format(**values)

    def count(self, things: str, number: int) -> str:
        """`t.count("sets", 1)` is "1 set": the words of `sets_one`, or those of `sets_n`."""
        return self(f"{things}_one") if number == 1 else self(f"{things}_n", n=self.number(number))

    def number(self, value: float, digits: int = 0) -> str:
        """With the language's decimal point, thin spaces between thousands and a true minus sign."""
        text = f"{round(value, digits) + 0.0:,.{digits}f}".replace(",", "\u2009").replace("-", "\u2212")
        return text.replace(".", ",") if self.language == "de" else text

    def percent(self, share: float) -> str:
        """A share of one as percents with one decimal, without the sign."""
        return self.number(100 * share, 1)


TONGUES: Final = {language: Tongue(language) for language in LANGUAGES}


def choose(wanted: str, accepted: str) -> str:
    """The language of a page: the one asked for, else the first known of an Accept-Language, else English."""
    if wanted in LANGUAGES:
        return wanted
    ranked = []
    for place, part in enumerate(accepted[:200].split(",")):
        name, _, quality = part.partition(";q=")
        try:
            ranked.append((-float(quality or 1), place, name.strip()[:2].lower()))
        except ValueError:
            continue
    return next((name for _, _, name in sorted(ranked) if name in LANGUAGES), "en")
