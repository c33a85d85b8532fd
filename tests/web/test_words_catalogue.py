"""Catalogues of the pages' words are complete, compiled and free of faults, and the faults would be found."""

from __future__ import annotations

import shutil

import pytest

from deploy.catalogues import (
    compile_text,
    find_faults,
    find_path,
    find_stale,
    list_entries,
    list_languages,
    read_template,
    update_catalogue,
    write_catalogues,
    write_text,
)
from maumau.page.catalogue import FOLDER, LANGUAGES, NAMES
from maumau.page.labels import list_labels
from maumau.page.words import tell_event
from maumau.rulebook import meaning
from services.web.words import TONGUES, WRITTEN_LANGUAGES, choose_language


@pytest.fixture
def catalogues(tmp_path):
    """Return a folder with a copy of all catalogues."""
    return shutil.copytree(FOLDER, tmp_path / "locale")


def plant(catalogues, language, planted) -> list[str]:
    """Return the faults of a catalogue in which texts were replaced by others."""
    path = find_path(language, catalogues)
    text = path.read_text()
    for before, after in planted.items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    path.write_text(text)
    return find_faults(language, catalogues)


@pytest.mark.parametrize("language", list_languages())
def test_a_catalogue_has_every_text_and_no_fault(language) -> None:
    assert find_faults(language) == []


def test_catalogues_are_as_make_words_writes_and_compiles_them() -> None:
    assert find_stale() == []


def test_every_language_has_a_name_a_catalogue_and_nothing_else_has_one() -> None:
    assert sorted(NAMES) == sorted(LANGUAGES) == sorted(TONGUES)
    assert {path.name for path in FOLDER.iterdir()} == set(list_languages()) == set(LANGUAGES) - {"en"}
    assert list(NAMES.values()) == sorted(NAMES.values(), key=lambda name: name.replace("Č", "C"))


def test_keys_are_contexts_and_no_two_texts_have_one() -> None:
    keys = [entry.key for entry in list_entries()]
    assert len(keys) == len(set(keys))


def test_the_texts_of_a_template_stand_in_the_template() -> None:
    template = """{{ t("title") }} {{ t("about_title", "About") }}
    <p title="{{ t("about_title", "About") }}">{{ t("about_n", "{n} \\"bots\\"", n=t.number(3)) }}</p>"""
    assert read_template(template) == {"about_title": "About", "about_n": '{n} "bots"'}
    with pytest.raises(ValueError, match="'about_title' has two texts: 'About' and 'Over'"):
        read_template(template + '{{ t("about_title", "Over") }}')
    (entry,) = [entry for entry in list_entries() if entry.key == "status_says"]
    assert entry.source == "services/web/templates/status.html"
    shown = {language: TONGUES[language]("status_says", *entry.english)[:15] for language in ("en", "de")}
    assert shown == {"en": "The same counts", "de": "Die gleichen Za"}


PLANTED = {
    'msgctxt "nav"': 'msgctxt "nave"',
    'msgid "Skip to the content"': 'msgid "Skip to content"',
    'msgctxt "now"': '#, fuzzy\nmsgctxt "now"',
    'msgstr "Projektor-Ansicht"': 'msgstr ""',
    '"{who} wünscht sich {suit}"': '"{wer} wünscht sich {suit}"',
    '"{who} zieht eine Karte"': '"Jemand zieht eine Karte"',
    '"{who} zieht weiter"': '"{who:>9} zieht weiter"',
    '"{who} greift nicht ein"': '"{who greift nicht ein"',
    '"{who} nimmt {n}"': '"<b>{who}</b> nimmt {n}"',
    'msgstr[1] "{n} Mitglieder"\n': "",
    '"{n} offene Einsprüche"': '"offene Einsprüche"',
}  # fmt: skip
FOUND = {
    "nav: missing",
    "nave: superfluous",
    "skip: its English is another one in the code",
    "now: fuzzy",
    "wall: empty",
    "deal.wish: other placeholders: '{wer} wünscht sich {suit}'",
    "deal.draws: other placeholders: 'Jemand zieht eine Karte'",
    "deal.on: other placeholders: '{who:>9} zieht weiter'",
    "deal.hold: expected '}' before end of string: '{who greift nicht ein'",
    "deal.takes: other tags or commands: '<b>{who}</b> nimmt {n}'",
    "group_members_n: empty",
    "protests_open_n: other placeholders: 'offene Einsprüche'",
}


@pytest.mark.long
def test_planted_faults_are_found_and_no_others(catalogues) -> None:
    assert set(plant(catalogues, "de", PLANTED)) == FOUND


def test_a_plural_form_too_many_is_found(catalogues) -> None:
    more = {'msgstr[1] "{n} Karten"\n': 'msgstr[1] "{n} Karten"\nmsgstr[2] "{n} Karten"\n'}
    (fault,) = plant(catalogues, "de", more)
    assert "more translations than num_plurals" in fault


@pytest.mark.long
def test_a_changed_english_text_keeps_its_translation_as_a_fuzzy_one(catalogues) -> None:
    plant(catalogues, "de", {'msgid "Skip to the content"': 'msgid "Skip to content"'})
    made = update_catalogue("de", catalogues)
    (message,) = [message for message in made if message.context == "skip"]
    assert (message.id, message.string, message.fuzzy) == ("Skip to the content", "Zum Inhalt springen", True)
    assert message.previous_id == ["Skip to content"]
    assert b"Zum Inhalt springen" in write_text(made)
    assert b"Zum Inhalt springen" not in compile_text(made)
    assert "de/words.po" in find_stale(catalogues)


def test_the_english_before_a_change_stays_until_the_translation_is_right_again(catalogues) -> None:
    plant(catalogues, "de", {'msgid "Skip to the content"': 'msgid "Skip to content"'})
    path = find_path("de", catalogues)
    for _ in range(2):
        path.write_bytes(write_text(update_catalogue("de", catalogues)))
        assert '| msgid "Skip to content"\n' in path.read_text()
    assert plant(catalogues, "de", {"#, fuzzy\n": ""}) == []
    path.write_bytes(write_text(update_catalogue("de", catalogues)))
    assert path.read_bytes() == find_path("de").read_bytes()


@pytest.mark.long
def test_updating_twice_changes_nothing_more_and_drops_superfluous_texts(catalogues) -> None:
    plant(catalogues, "de", {'msgctxt "nav"\n': 'msgctxt "nave"\n'})
    write_catalogues(catalogues)
    assert find_faults("de", catalogues) == ["nav: empty"]
    assert find_stale(catalogues) == []


@pytest.mark.long
def test_a_compiled_catalogue_that_is_older_than_its_source_is_stale(catalogues) -> None:
    plant(catalogues, "de", {'msgstr "Zum Inhalt springen"': 'msgstr "Zum Inhalt"'})
    assert find_stale(catalogues) == ["de/words.mo"]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("cs-CZ,cs;q=0.9", "cs"),
        ("fr-CH", "fr"),
        ("nl", "nl"),
        ("de-AT,de;q=0.9", "de"),
        ("en-GB", "en"),
        ("sk,cs;q=0.5,en;q=0.4", "cs"),
        ("fr;q=0.2,nl-BE;q=0.8", "nl"),
        ("csb,frr", "en"),
        ("da,sv;q=0.8", "en"),
        ("", "en"),
    ],
)
def test_the_browser_chooses_the_language(accepted, language) -> None:
    assert choose_language("", accepted) == language


def test_rules_and_reasons_are_written_in_the_languages_of_the_rulebook() -> None:
    assert WRITTEN_LANGUAGES == meaning.LANGUAGES
    written = {language: t.written_language for language, t in TONGUES.items()}
    assert written == {"cs": "en", "de": "de", "en": "en", "fr": "en", "nl": "en"}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("cs", {0: "0 karet", 1: "1 karta", 2: "2 karty", 4: "4 karty", 5: "5 karet", 22: "22 karet"}),
        ("de", {0: "0 Karten", 1: "1 Karte", 2: "2 Karten"}),
        ("en", {0: "0 cards", 1: "1 card", 2: "2 cards"}),
        ("fr", {0: "0 carte", 1: "1 carte", 2: "2 cartes", 1_000_000: "1\u202f000\u202f000 cartes"}),
        ("nl", {0: "0 kaarten", 1: "1 kaart", 2: "2 kaarten"}),
    ],
)
def test_things_are_counted_by_the_rule_of_the_language(language, words) -> None:
    assert {number: TONGUES[language].count("cards", number) for number in words} == words


def test_a_counted_text_has_other_values_too() -> None:
    assert TONGUES["en"].count("awaited", 1, of=7) == "1 of 7 authors still has to confirm:"
    assert TONGUES["de"].count("awaited", 2, of=7) == "2 von 7 Autoren müssen noch bestätigen:"


def test_scripts_get_a_form_for_each_category_of_numbers() -> None:
    forms = {
        language: [list_labels(language)[f"cards_{form}"] for form in ("one", "few", "n")]
        for language in LANGUAGES
    }
    assert forms == {
        "cs": ["1 karta", "# karty", "# karet"],
        "de": ["1 Karte", "# Karten", "# Karten"],
        "en": ["1 card", "# cards", "# cards"],
        "fr": ["# carte", "# cartes", "# cartes"],
        "nl": ["1 kaart", "# kaarten", "# kaarten"],
    }


@pytest.mark.parametrize(
    ("language", "number"),
    [("en", "\u22121\u202f234.5"), *((one, "\u22121\u202f234,5") for one in ("cs", "de", "fr", "nl"))],
)
def test_numbers_have_the_decimal_sign_of_the_language(language, number) -> None:
    assert TONGUES[language].number(-1234.5, 1) == number


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("cs", "bob hraje J♠ a přeje si ♥, „Mau!“"),
        ("de", "bob legt J♠ und wünscht sich ♥, „Mau!“"),
        ("en", "bob lays J♠ and wishes for ♥, “Mau!”"),
        ("fr", "bob pose J♠ et demande ♥, «\u202fMau\u202f!\u202f»"),
        ("nl", "bob legt J♠ en kiest ♥, \u2018Mau!\u2019"),
    ],
)
def test_an_event_of_a_deal_is_one_sentence_in_each_language(language, told) -> None:
    assert tell_event("B JS>H!", ["ada", "bob"], language) == told
