"""The texts of the pages in all languages: one catalogue. Pure."""

from functools import cached_property
from typing import Any, Final

from maumau.page import labels, states
from maumau.page.catalogue import LANGUAGES, choose_plural, translate_text, translate_texts
from services.web.words import bot, fairness, ladder, mystery, page, status, syndication, welcome
from services.web.words.people import account, group, login, team, webhook
from services.web.words.services import barred
from services.web.words.tables import play, play_on, review, table

TERMS: Final = welcome.TERMS
WRITTEN_LANGUAGES: Final = ("en", "de")
"""Languages of rules in words, and of what other services write: all other readers get these in English."""
WORDS: Final[dict[str, str]] = {
    **labels.WORDS,
    **states.WORDS,
    **page.WORDS,
    **ladder.WORDS,
    **bot.WORDS,
    **team.WORDS,
    **table.WORDS,
    **account.WORDS,
    **fairness.WORDS,
    **group.WORDS,
    **status.WORDS,
    **welcome.WORDS,
    **play.WORDS,
    **barred.WORDS,
    **play_on.WORDS,
    **review.WORDS,
    **syndication.WORDS,
    **webhook.WORDS,
    **login.WORDS,
    **mystery.WORDS,
}


def choose_written_language(language: str) -> str:
    """Return the language in which a reader of this one gets rules in words: that one, else English."""
    return language if language in WRITTEN_LANGUAGES else WRITTEN_LANGUAGES[0]


class Tongue:
    """A language: `t("matches_of", decided=3, known=10)`. An unknown key is a KeyError.

    A text that one template alone has stands there in English: `t("status_says", "The same counts …")`.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.written_language = choose_written_language(language)

    @cached_property
    def texts(self) -> dict[str, str]:
        """All texts by key."""
        return translate_texts(WORDS, self.language)

    def __call__(self, key: str, english: str = "", /, **values: Any) -> str:
        text = translate_text(key, english, self.language) if english else self.texts[key]
        return text.format(**values)

    def count(self, things: str, number: int, **values: Any) -> str:
        """Return `t.count("sets", 1)` as "1 set": the form for this number of `sets_one` and `sets_n`."""
        form = choose_plural(WORDS, things, number, self.language)
        return form.format(n=self.number(number), **values)

    def number(self, value: float, digits: int = 0) -> str:
        """With the language's decimal point, narrow no-break spaces between thousands and a true minus sign."""
        text = f"{round(value, digits) + 0.0:,.{digits}f}".replace(",", "\u202f").replace("-", "\u2212")
        return text if self.language == "en" else text.replace(".", ",")

    def percent(self, share: float) -> str:
        """Return a share of one as percents with one decimal, without the sign."""
        return self.number(100 * share, 1)


TONGUES: Final = {language: Tongue(language) for language in LANGUAGES}


def choose_language(wanted: str, accepted: str) -> str:
    """Return the language of a page: the requested one, else the first known accepted one, else English."""
    if wanted in LANGUAGES:
        return wanted
    ranked = []
    for place, part in enumerate(accepted[:200].split(",")):
        name, _, weight = part.lower().replace(" ", "").partition(";q=")
        try:
            quality = float(weight or 1)
        except ValueError:
            continue
        if quality > 0:  # 0 is "not this one", and NaN is no number
            ranked.append((-quality, place, name.partition("-")[0]))
    return next((name for _, _, name in sorted(ranked) if name in LANGUAGES), "en")
