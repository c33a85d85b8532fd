"""Templates, and the functions that they use. All values are escaped."""

import hashlib
from collections.abc import MutableMapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from maumau.client.answer import Entry, Ladder, Match, Standing, Tournament
from maumau.client.answer.version_name import name_version
from maumau.client.arena_status import say_span
from maumau.client.link import new_request_id
from maumau.client.standing.stopped import STOPPED
from maumau.client.standing.swiss import is_cut_short, list_newest_first, say_half, swiss_rows
from maumau.client.standing.table_round import list_seats, list_table_rounds, name_ahead, tell_level
from maumau.client.standing.winner import find_winner
from maumau.contest.claim import claim_of
from maumau.errors import BadRequest, MaumauError
from maumau.page.catalogue import NAMES
from maumau.page.mark import make_mark
from maumau.page.words import show_cards
from maumau.rulebook.meaning import tell_known, tell_meaning, tell_source
from services import web
from services.web.delivery.preview import tell_bot_preview, tell_contest_preview, tell_ladder_preview
from services.web.figures.axis import (
    find_lack,
    is_rated,
    on_axis,
    rating_axis,
    rating_of,
    share,
    whisker,
)
from services.web.figures.cross import list_crosstables
from services.web.figures.deal_data import list_winners, name_player, sides_of
from services.web.figures.double_tree import draw_bracket, find_sides, is_double, list_columns, list_open
from services.web.figures.race import draw_chances
from services.web.figures.rating_history import draw_history, list_versions
from services.web.figures.tree import list_slots, sides, third_place
from services.web.figures.walk import STRIP_CELLS, draw_walk, said_scores, score_kind
from services.web.words import TERMS, TONGUES, WORDS, WRITTEN_LANGUAGES, Tongue
from services.web.words.arena_status import (
    bound_words,
    count_words,
    needs_line,
    state_words,
    verdict_words,
    wait_words,
)
from services.web.words.rules import get_game_title, get_rules_title, hide_own_text
from services.web.words.services.refusal import explain_reason
from services.web.words.services.told import translate_words

FOLDER = Path(web.__file__).parent
BY_RATING = ("rating", "direct encounter", "order of entry")
"""Reasons of lines that their ratings, and chance, put above the next."""

DIGEST = 10  # hex digits that tell two states of a part apart


def verdict(match: Match) -> str:
    """Return the outcome of a match: `level`, `won`, or `better` if the interval excludes one half."""
    if not match.winner:
        return "level"
    if match.players:
        return "won"
    claim = claim_of(
        won_by_first=match.winner == match.first, rule=match.rule, low=match.low, high=match.high
    )
    return "better" if claim == "better" else "won"


def tell_finding(t: Tongue, match: Match) -> str:
    """Return what the interval of a match means, as a sentence; nobody is better before its decision.

    Of a decided match without a test it is the chance; a verdict by the interval would contradict it.
    """
    if match.sure and match.rule:
        return _tell_chance(t, match)
    includes = match.low <= 0.5 <= match.high
    outcome = verdict(match)
    if outcome == "better":
        return t("separated", name=winner_first(match)[0])
    if outcome == "won":
        return t("won_only" if includes else "won_otherwise", name=winner_first(match)[0])
    if not match.rule and match.state != STOPPED:
        return t("not_separated" if includes else "not_decided")
    return t("level_at_last" if includes else "level_beyond")


def _tell_chance(t: Tongue, match: Match) -> str:
    """Return who is the better bot by the score, and with which chance."""
    if match.estimate == 0.5:
        return t("sure_of_nobody")
    leads, name = (
        (match.first, match.first_name) if match.estimate > 0.5 else (match.second, match.second_name)
    )
    key = "sure_of_other" if match.winner and match.winner != leads else "sure_of_leader"
    return t(key, name=name, winner=winner_first(match)[0], n=t.number(100 * match.sure))


def winner_first(match: Match) -> tuple[str, str, float]:
    """Return winner, loser, and the winner's score; of a larger table all losers."""
    if match.players:
        best, *others = match.ranking
        return best.bot_name, ", ".join(one.bot_name for one in others), best.score
    if match.winner == match.second:
        return match.second_name, match.first_name, 1 - match.estimate
    return match.first_name, match.second_name, match.estimate


def tell_match(t: Tongue, match: Match) -> str:
    """Return the result of a match, as a sentence without its full stop."""
    said = verdict(match)
    if not match.sets and match.winner:
        winner, loser, _ = winner_first(match)
        return t("match_walkover", winner=winner, loser=loser, rule=rule_words(t, match.rule))
    if len(match.ahead) > 1:
        return t("match_go_on", names=", ".join(name_ahead(match)), sets=t.number(match.sets))
    if said == "level" and match.level:
        pairs = "; ".join(t("pair_and", first=one, second=other) for one, other in tell_level(match))
        return t("match_pairs_level", pairs=pairs, sets=t.number(match.sets))
    if said == "level":
        others = ", ".join(list(match.names.values())[1:])
        return t("match_level", first=match.first_name, second=others, sets=t.number(match.sets))
    winner, loser, score = winner_first(match)
    score_words = {"percent": t.percent(score), "sets": t.number(match.sets)}
    return t(f"match_{said}", winner=winner, loser=loser, **score_words)


def round_name(t: Tongue, name: str) -> str:
    """Return a round's name in the language of the page."""
    head, _, number = name.rpartition(" ")
    if f"{head}_n" in WORDS:
        return t(f"{head}_n", n=number)
    return t(name) if name in WORDS else name


def name_runtime(t: Tongue, runtime: str) -> str:
    """Return the language of a program by its runtime; "" if it is not known."""
    key = f"runtime_{runtime}"
    return t(key) if key in WORDS else runtime


def tell_reason(t: Tongue, words: str, most: int = 0) -> Markup:
    """Return a sentence of another service in the page's language, else marked as English.

    most: letters after which it is cut off; 0: never.
    """
    told, is_own = translate_words(words, t.language)
    if 0 < most < len(told):  # in either language, so that the whole sentence was known
        told = f"{told[: most - 1]}…"
    return escape(told) if is_own else Markup('<span lang="en">{}</span>').format(told)


def tell_plainly(t: Tongue, words: str) -> str:
    """Return a sentence of another service in the page's language, if there is one."""
    return translate_words(words, t.language)[0]


def tell_refusal(t: Tongue, refused: MaumauError | str, reason: str = BadRequest.reason) -> Markup:
    """Return why a form was refused in the page's language.

    If the sentence is known in English alone, it follows that of its reason and is marked as English; reasons
    have sentences in `WRITTEN_LANGUAGES` alone.
    """
    told, is_own = translate_words(str(refused), t.language)
    if is_own or told in t.texts.values():  # the page itself refused it
        return escape(told)
    if t.language not in WRITTEN_LANGUAGES:
        return Markup('<span lang="en">{}</span>').format(told)
    reason = refused.reason if isinstance(refused, MaumauError) else reason
    return Markup('{} <span lang="en">{}</span>').format(explain_reason(reason), told)


def rule_words(t: Tongue, rule: str) -> str:
    """Return the rule that decided a match, in the language of the page."""
    return _translate_rule(t, "rule", rule)


def _translate_rule(t: Tongue, kind: str, rule: str) -> str:
    key = f"{kind}_{rule.replace(': ', '_').replace(' ', '_')}"
    return t(key) if key in WORDS else rule


def tell_order(t: Tongue, lines: Sequence[Standing]) -> str:
    """Return what decides the places of a table besides Elo; "" if the ratings shown are in its order.

    Bots that a cut left behind keep the order that they had then, and ratings change after it.
    """
    rated = [place for place, line in enumerate(lines) if is_rated(line)]
    rules = [
        rule
        for above, below in pairwise(rated)
        if lines[above].rating < lines[below].rating
        for rule in _list_other_rules(lines[above:below])
    ]
    reasons = [_translate_rule(t, "order", rule) for rule in dict.fromkeys(rules)]
    return t("order_says", reasons=", ".join(reasons)) if reasons else ""


def _list_other_rules(lines: Sequence[Standing]) -> list[str]:
    """Return the reasons other than ratings for which these lines are above the next."""
    return [line.rule for line in lines if line.rule not in BY_RATING] or ["rating"]


def tell_end(t: Tongue, match: Match) -> str:
    """Return how a decided match ended, for a row of a list: who came out of the test, or the rule."""
    if match.rule != "sequential":
        return rule_words(t, match.rule)
    if len(match.ahead) > 1:
        return t("go_on", names=", ".join(name_ahead(match)))
    if not match.winner:
        return rule_words(t, match.rule)
    return t(f"walk_{verdict(match)}", name=winner_first(match)[0])


def tell_progress(t: Tongue, contest: Tournament) -> str:
    """Return how many matches are decided; until a result stands, more of them may come."""
    is_known = contest.state in ("decided", "finished", "cancelled")
    key = "matches_of" if is_known else "matches_so_far"
    return t(key, decided=contest.matches_decided, known=contest.matches_known)


def ladder_facts(t: Tongue, ladder: Ladder) -> str:
    """Return the numbers of a ladder's bots and deal sets, as a sentence."""
    bots = t.count("bots", ladder.members)
    sets = t.count("deal_sets", ladder.sets)
    return t("ladder_facts", bots=bots, sets=sets, epoch=ladder.epoch)


def entry_name(view: Any, number: int) -> str:
    """Return the name of the entrant with this number."""
    return next((e.bot_name for e in view.tournament.entries if e.number == number), "")


def entries_by_number(view: Any) -> dict[int, Entry]:
    """Return a contest's entries by number."""
    return {each.number: each for each in view.tournament.entries}


def find_best(scores: Sequence[int]) -> int | None:
    """Return the position of the best of these scores, None if several are as good."""
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else None


class SharedGlobals(Environment):
    """An environment whose templates have no globals of their own.

    Jinja gives each a chain of two mappings, and compares their keys one by one whenever a template imports
    another: that took a sixth of the time of a page's parts.
    """

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the environment's own globals unless a template is given some."""
        return super().make_globals(d) if d else self.globals


@lru_cache
def _make_environment(assets: str) -> Environment:
    """Return the environment that all renderers with these assets share: compiling templates takes long."""
    environment = SharedGlobals(
        loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    functions = (
        rating_axis, on_axis, is_rated, rating_of, find_lack, whisker, list_crosstables, round_name,
        entry_name,
        show_cards, make_mark, verdict, winner_first, find_winner, clock, chance, query, known, moment,
        tell_finding, tell_match, tell_progress,
        tell_contest_preview, tell_ladder_preview, tell_bot_preview,
        share, draw_history, list_versions, name_version, sides_of, name_player, list_winners,
        new_request_id, draw_walk, said_scores, score_kind,
        draw_bracket, find_sides, is_double, list_columns, list_open,
        list_slots, third_place, sides, rule_words, tell_end, tell_order,
        entries_by_number, ladder_facts, bound_words, count_words, needs_line, state_words, verdict_words,
        wait_words, name_runtime, say_span, tell_reason, tell_plainly, tell_refusal, find_best,
        list_seats, list_table_rounds, name_ahead, tell_level,
        draw_chances,
        is_cut_short, list_newest_first, say_half, swiss_rows,
        get_game_title, get_rules_title, hide_own_text, tell_known, tell_meaning, tell_source,
    )  # fmt: skip
    environment.globals.update(
        {each.__name__: each for each in functions},
        assets=assets,
        STRIP_CELLS=STRIP_CELLS,
        TERMS=TERMS,
        LANGUAGE_NAMES=NAMES,
    )
    return environment


class Renderer:
    """A renderer of pages and their parts in every language. `assets` is the path of static files."""

    def __init__(self, assets: str) -> None:
        self._env = _make_environment(assets)

    def render_page(self, name: str, language: str, /, **values: Any) -> str:
        """Return a whole page from `templates/NAME.html`."""
        return self._env.get_template(f"{name}.html").render(t=TONGUES[language], **values)

    def render_part(self, name: str, language: str, /, **values: Any) -> str:
        """Return the content of the element with the id NAME."""
        return self._env.get_template(f"parts/{name}.html").render(t=TONGUES[language], **values).strip()


def chance(t: Tongue, share: float) -> str:
    """Return a probability in whole percents, never as 0 % or 100 % if it is only close."""
    if 0.01 <= share <= 0.99:
        return f"{t.number(100 * share)} %"
    return t("less_than", n="1 %") if share < 0.5 else t("more_than", n="99 %")


def query(**values: str) -> str:
    """Return the query part of an address with all values that are not empty; "" if none is left."""
    text = urlencode({name: value for name, value in values.items() if value}, quote_via=quote)
    return f"?{text}" if text else ""


def digest(text: str) -> str:
    """Return a digest that tells this text from others."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:DIGEST]


def known(key: str) -> bool:
    """Return True if the catalogue has this key."""
    return key in WORDS


def moment(at: datetime) -> str:
    """Return day and time, UTC."""
    return at.strftime("%Y-%m-%d %H:%M")


def clock(seconds: float) -> str:
    """Return hours, minutes and seconds, UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S")
