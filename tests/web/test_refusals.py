"""Refusals of forms in the language of the page: each kind of error, and the frequent sentences."""

import ast
import re
from pathlib import Path

import pytest
from markupsafe import escape

from maumau import errors
from maumau.contest.spec.spec import parse_spec
from maumau.errors import (
    AlreadyEntered,
    BadRequest,
    BadSpec,
    MaumauError,
    NotValidated,
    QuotaReached,
    by_reason,
)
from maumau.page.catalogue import LANGUAGES
from services.web.delivery.render import tell_reason, tell_refusal
from services.web.private.spec_form import DEFAULTS, draw_spec
from services.web.words import TONGUES
from services.web.words.services.refusal import KINDS, STATES, explain_reason
from services.web.words.services.told import translate_words

EN, DE = TONGUES["en"], TONGUES["de"]
ROOMS = ("arena", "contest", "program")
OF_SERVICES = {
    "BadBackup", "BadReport", "BadResult", "BadSetting", "BlockDropped", "LaterDatabase", "NoProgress",
    "NotEmpty", "NotLeading", "PortInUse", "RatingDiverged", "StaleFence", "UnknownArtifact", "UnknownBlock",
    "UnknownContest", "UnreadableExport", "BadOrder", "BlockStopped", "LinuxOnly", "PlatformFault",
    "ProgramGone", "SandboxUnavailable", "TurnsAssigned",
}  # fmt: skip
"""Errors between services, of workers and of commands, which no form meets."""
SPEC = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n'


def classes():
    """Yield the errors of all modules that a form can meet."""
    for room in ROOMS:
        text = (Path(errors.__file__).parent / f"{room}.py").read_text()
        yield from (one.name for one in ast.parse(text).body if isinstance(one, ast.ClassDef))


@pytest.mark.parametrize("name", sorted(set(classes()) - OF_SERVICES))
def test_each_kind_of_refusal_has_its_own_german_sentence(name):
    kind = getattr(errors, name)
    assert kind.reason in KINDS
    told = str(tell_refusal(DE, kind("Ein Satz, den niemand kennt: 4711.")))
    assert told.startswith(f"{KINDS[kind.reason]} <span lang=")
    assert told.endswith("4711.</span>")
    assert str(tell_refusal(EN, kind("As it came."))) == "As it came."


def test_no_sentence_is_of_a_reason_that_no_error_has():
    known = {*by_reason(), "FOREIGN_FORM", "TOO_LONG", "BAD_HOST", "OTHER_HOST", "METHOD_NOT_ALLOWED"}
    assert set(KINDS) <= known
    assert explain_reason("TOO_FEW_ENTRANTS") == KINDS["TOO_FEW_ENTRANTS"]
    assert explain_reason("UNREADABLE_EXPORT") == KINDS["BAD_REQUEST"]  # that of the kind above it
    assert explain_reason("A_REASON_OF_TOMORROW") == KINDS["MAUMAU_ERROR"]


def spec_errors():
    """Yield what the arena says of specs that cannot be, from the functions that say it."""
    for text in (
        "blok = 3\n", "[match]\nblok = 3\n", "[match]\nblock = 'viel'\n", "[match]\nblock = 0\n",
        "[match]\ndecide = 'never'\n", "[stage\n", "[match]\ndelta = 'viel'\n", "[match]\ncap = 2.5\n",
    ):  # fmt: skip
        with pytest.raises(BadSpec) as refused:
            parse_spec(SPEC + text if not text.startswith("blok") else text + SPEC)
        yield str(refused.value)
    with pytest.raises(BadSpec) as refused:
        parse_spec('rules = "mau_mau"\n')
    yield str(refused.value)
    for field, value in (("cap", "viel"), ("closes", "morgen"), ("more", "[match\n"), ("block", "0")):
        yield from draw_spec({**DEFAULTS, "name": "cup", field: value}).wrong.values()


def sentences():
    """Yield refusals of the tournament and matchmaking services, word for word."""
    yield "cup belongs to ada, not to bob."
    yield "cup is organised by ada, not by bob."
    yield "There is a tournament 'cup' already."
    yield "fox has entered cup already."
    yield "cup takes no entries yet: its organiser has to open it."
    confirms = "any maumau command of theirs does it, or opening the arena's page while logged in"
    awaited = "its entries are closed, and 1 of 2 authors still has to confirm (for fox)"
    yield f"cup takes no entries: {awaited}; {confirms}."
    yield "cup takes 3 bots of an account; you have entered fox, hen, owl."
    yield "fox cannot practise against itself."
    yield "You wait for 4 practice matches; more begin when one is over."
    yield "text: 501 characters are more than the 500 there may be."
    for state in STATES:
        yield f"cup is {state}; that is possible only while it is running or paused."
        yield f"cup is {state}: nobody can withdraw any more."


FOLDERS = ("play", "http")
NOBODYS = {"PortInUse", "ConnectionAbortedError", "HTTPException"}
"""Errors of the process and of the connection, which no form meets."""


def own_sentences():
    """Yield the English sentences with which the page itself refuses forms of play and of the log-in."""
    for path in sorted(path for one in FOLDERS for path in Path("services/web", one).glob("*.py")):
        tree = ast.parse(path.read_text())
        raised = [one.exc for one in ast.walk(tree) if isinstance(one, ast.Raise)]
        named = {
            one.target.id: one.value
            for one in tree.body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        for call in raised:
            if isinstance(call, ast.Call) and call.args and getattr(call.func, "id", "") not in NOBODYS:
                given = call.args[0]
                yield from read_words(named.get(getattr(given, "id", ""), given))


def read_words(given):
    """Yield a text, with 7 for each value in it; nothing for one of the catalogue."""
    if isinstance(given, ast.Constant):
        yield given.value
    elif isinstance(given, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "7" for part in given.values)


def test_the_page_s_own_refusals_are_found():
    found = set(own_sentences())
    assert "An action has 1 to 7 characters." in found
    assert any(words.startswith("Only the account that opened") for words in found)
    assert any(words.startswith("This form cannot be read") for words in found)


@pytest.mark.parametrize("words", [*spec_errors(), *sentences(), *own_sentences()])
def test_frequent_refusals_are_german_throughout(words):
    told, is_own = translate_words(words, "de")
    assert is_own, words
    assert not re.search(r"\b(the|is|has|not|known|missing|expected|there)\b", told), told
    assert translate_words(words, "en") == (words, True)


def test_a_refusal_is_said_in_german_with_its_names():
    refused = AlreadyEntered("fox has entered cup already.")
    assert str(tell_refusal(DE, refused)) == "fox ist bei cup schon angemeldet."
    assert "lang" not in str(tell_refusal(DE, "match.block: 'viel' is not a whole number."))


@pytest.mark.parametrize("language", ["cs", "fr", "nl"])
def test_a_refusal_is_english_and_says_so_in_languages_without_sentences_for_it(language):
    told = str(tell_refusal(TONGUES[language], AlreadyEntered("fox has entered cup already.")))
    assert told == '<span lang="en">fox has entered cup already.</span>'
    assert str(tell_reason(TONGUES[language], "It rests: ")) == '<span lang="en">It rests: </span>'


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_page_itself_refuses_is_in_its_language_and_not_marked(language):
    t = TONGUES[language]
    assert str(tell_refusal(t, BadRequest(t("join_no_cookie")))) == escape(t("join_no_cookie"))


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("cs", "na místo A, C nikdo nepřišel"),
        ("en", "nobody came to A, C"),
        ("nl", "niemand kwam naar stoel A, C"),
    ],
)
def test_why_a_table_ended_is_said_in_each_language(language, told):
    assert translate_words("nobody came to A, C", language) == (told, True)


def test_what_a_refusal_quotes_is_escaped():
    told = str(tell_refusal(DE, QuotaReached("<b>you</b> have all there is")))
    assert "<b>" not in told
    assert "&lt;b&gt;" in told


def test_a_kind_without_a_sentence_has_that_of_the_one_above_it():
    assert issubclass(NotValidated, MaumauError)
    assert explain_reason("NOT_VALIDATED") == KINDS["NOT_VALIDATED"]
