"""Catalogues of the pages' words: updated from the English texts, compiled, searched for faults.

`make words` keeps each translation. One whose English has changed becomes fuzzy: it is not shown until
somebody has removed the mark. A language of `maumau.page.catalogue.NAMES` without a catalogue gets an empty
one. A test fails as long as a text is missing or fuzzy: docs/how-to/translate.md.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from gettext import c2py
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import Final, NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po, write_po
from jinja2 import Environment
from jinja2.nodes import Call, Name

from maumau.page import labels, states
from maumau.page import words as deal
from maumau.page.catalogue import DOMAIN, FOLDER, LANGUAGES, NAMES, find_plurals
from services.web import words as pages
from services.web.delivery.render import FOLDER as WEB

ROOT: Final = Path(__file__).parents[1]
TEMPLATES: Final = WEB / "templates"
HEAD: Final = "# {}: the words of the pages. `make words` updates this file; only msgstr is written by hand."
TAG: Final = re.compile(r"</?[a-z][^>]*>|&#?\w+;|`[^`]*`")
NUMBERS: Final = (*range(1000), 1_000_000, 2_000_000)
"""Numbers by which it is found out what a plural form stands for."""


class Entry(NamedTuple):
    """A text as a catalogue has it. english: one text, or those of one thing and of several."""

    key: str
    english: tuple[str, ...]
    source: str


class Catalogue(Catalog):
    """A catalogue whose head says nothing but what a reader of it needs: no dates, no names."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """The fields of the head."""
        return [
            ("Language", str(self.locale_identifier)),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms),
        ]


def list_entries() -> list[Entry]:
    """Return all texts in the order of their modules."""
    return [entry for words, of, source in _list_words() for entry in _list_module(words, of, source)]


def _list_words() -> Iterator[tuple[Mapping[str, str], str, str]]:
    """Yield the texts of each module, the beginning of their contexts, and the module's file."""
    own = "maumau/page"
    yield from ((deal.WORDS, "deal.", f"{own}/words.py"), (deal.KINDS, "kind.", f"{own}/words.py"))
    yield from ((labels.WORDS, "", f"{own}/labels.py"), (states.WORDS, "", f"{own}/states.py"))
    modules = pkgutil.walk_packages(pages.__path__, f"{pages.__name__}.")
    for found in sorted(modules, key=lambda one: one.name.rpartition(".")[2]):
        module = importlib.import_module(found.name)
        if (words := getattr(module, "WORDS", pages.WORDS)) is not pages.WORDS:
            yield words, "", f"{found.name.replace('.', '/')}.py"
    for path in sorted(TEMPLATES.rglob("*.html")):
        yield read_template(path.read_text(encoding="utf-8")), "", str(path.relative_to(ROOT))


def read_template(source: str) -> dict[str, str]:
    """Return the texts that a template itself has, by key: those of `t("key", "English")`.

    Raises:
        ValueError: A key has two texts.
    """
    found: dict[str, str] = {}
    for call in Environment(autoescape=True).parse(source).find_all(Call):
        if isinstance(call.node, Name) and call.node.name == "t" and len(call.args) == 2:
            key, text = (argument.as_const() for argument in call.args)
            if found.setdefault(key, text) != text:
                raise ValueError(f"{key!r} has two texts: {found[key]!r} and {text!r}.")
    return found


def _list_module(words: Mapping[str, str], of: str, source: str) -> Iterator[Entry]:
    counted = find_plurals(words)
    ones = {f"{things}_one" for things in counted}
    inner = {f"{things}_n": words[f"{things}_one"] for things in counted}
    for key, text in words.items():
        if key in inner:
            yield Entry(of + key, (inner[key], text), source)
        elif key not in ones:
            yield Entry(of + key, (text,), source)


def find_path(language: str, folder: Path = FOLDER, kind: str = "po") -> Path:
    """Return the path of a language's catalogue."""
    return folder / language / "LC_MESSAGES" / f"{DOMAIN}.{kind}"


def read_messages(language: str, folder: Path = FOLDER) -> list[Message]:
    """Return the messages of a catalogue without its head; none if there is no such file."""
    path = find_path(language, folder)
    if not path.exists():
        return []
    with path.open("rb") as file:
        return [one for one in read_po(file, locale=language, abort_invalid=True) if one.id]


def update_catalogue(language: str, folder: Path = FOLDER) -> Catalogue:
    """Return the catalogue as it should be: with all texts of the code, and the translations that it has."""
    known = {str(message.context): message for message in read_messages(language, folder)}
    made = Catalogue(language, header_comment=HEAD.format(NAMES.get(language, language)), fuzzy=False)
    for entry in list_entries():
        now = entry.english[0] if len(entry.english) == 1 else entry.english
        old = known.get(entry.key)
        string, flags, previous = _keep_string(old, now, made.num_plurals)
        comments = _keep_comments(old, now) if old else []
        message = Message(
            now, string, [(entry.source, 0)], flags, user_comments=comments, previous_id=previous,
            context=entry.key,
        )  # fmt: skip
        message.flags -= {"python-format"}  # "95 % interval"
        made[now] = message
    return made


def _keep_string(
    old: Message | None, now: str | tuple[str, ...], forms: int
) -> tuple[str | tuple[str, ...], set[str], str | tuple[str, ...]]:
    """Return the translation that stays, its flags, and the English that it had before."""
    is_one = isinstance(now, str)
    strings = _list_parts(old.string) if old else ()
    if old is None or isinstance(old.string, str) != is_one or not any(strings):
        return ("" if is_one else ("",) * forms), set(), ()
    string = strings[0] if is_one else strings
    if old.id == now:
        return string, {"fuzzy"} & old.flags, tuple(old.previous_id) if old.fuzzy else ()
    return string, {"fuzzy"}, _list_parts(old.id)


def _keep_comments(old: Message, now: str | tuple[str, ...]) -> list[str]:
    """Return the comments that stay: the English before a change is read as one, and stays with `fuzzy`."""
    is_waiting = old.fuzzy and old.id == now
    return [one for one in old.user_comments if is_waiting or not one.startswith("| ")]


def _list_parts(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the texts of an entry, of which it has several if it has plural forms."""
    return (text,) if isinstance(text, str) else tuple(text or ())


def write_text(catalogue: Catalog) -> bytes:
    """Return a catalogue as its file holds it."""
    file = BytesIO()
    write_po(file, catalogue, width=0, include_previous=True, include_lineno=False)
    return file.getvalue()


def compile_text(catalogue: Catalog) -> bytes:
    """Return a catalogue as `gettext` reads it."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def find_stale(folder: Path = FOLDER) -> list[str]:
    """Return the catalogues that `make words` would change."""
    stale = []
    for language in list_languages():
        made = update_catalogue(language, folder)
        for kind, content in (("po", write_text(made)), ("mo", compile_text(made))):
            path = find_path(language, folder, kind)
            if not path.exists() or path.read_bytes() != content:
                stale.append(f"{language}/{path.name}")
    return stale


def list_languages() -> list[str]:
    """Return the languages that have a catalogue: all but that of the code."""
    return list(LANGUAGES[1:])


def find_faults(language: str, folder: Path = FOLDER) -> list[str]:
    """Return what is wrong with a catalogue: missing, superfluous, fuzzy and outdated texts, broken ones."""
    entries, forms = {entry.key: entry for entry in list_entries()}, Catalogue(language)
    try:
        found = read_messages(language, folder)
    except PoFileError as error:
        return [str(error)]
    counts = Counter(str(message.context) for message in found)
    faults = [f"{key}: missing" for key in entries if key not in counts]
    faults += [f"{key}: {count} times" for key, count in counts.items() if count > 1]
    for message in found:
        if (entry := entries.get(str(message.context))) is None:
            faults.append(f"{message.context}: superfluous")
        else:
            faults += [f"{entry.key}: {fault}" for fault in _find_faults_of(message, entry, forms)]
    return faults


def _find_faults_of(message: Message, entry: Entry, forms: Catalog) -> Iterator[str]:
    english, texts = _list_parts(message.id), _list_parts(message.string)
    if message.fuzzy:
        yield "fuzzy"
    if english != entry.english:
        yield "its English is another one in the code"
    elif len(texts) != (1 if len(english) == 1 else forms.num_plurals):
        yield f"{len(texts)} plural forms instead of {forms.num_plurals}"
    else:
        for form, text in enumerate(texts):
            wanted = english if _is_for_one_number(forms, form) else english[-1:]
            yield from _compare_texts(text, wanted)


def _is_for_one_number(forms: Catalog, form: int) -> bool:
    """Return True if a plural form stands for one number only, so that a text may leave the number out."""
    choose = c2py(forms.plural_expr)
    return sum(choose(number) == form for number in NUMBERS) == 1


def _compare_texts(text: str, english: tuple[str, ...]) -> Iterator[str]:
    """Yield what a text lacks, or has too much, in comparison with English ones."""
    if not text.strip():
        yield "empty"
        return
    try:
        values = list_values(text)
    except ValueError as error:
        yield f"{error}: {text!r}"
        return
    if all(values != list_values(one) for one in english):
        yield f"other placeholders: {text!r}"
    if all(Counter(TAG.findall(text)) != Counter(TAG.findall(one)) for one in english):
        yield f"other tags or commands: {text!r}"


def list_values(text: str) -> Counter[str]:
    """Return the placeholders of a text with their formats; raise ValueError if it cannot be formatted."""
    parsed = [(name, spec, kind) for _, name, spec, kind in Formatter().parse(text) if name is not None]
    return Counter(f"{name}!{kind}:{spec}" for name, spec, kind in parsed)


def write_catalogues(folder: Path = FOLDER) -> None:
    """Update and compile all catalogues."""
    for language in list_languages():
        made = update_catalogue(language, folder)
        path = find_path(language, folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(write_text(made))
        find_path(language, folder, "mo").write_bytes(compile_text(made))


def main() -> None:
    """Update the catalogues and list the texts that are left to translate or check."""
    write_catalogues()
    for language in list_languages():
        faults = find_faults(language)
        things = "text" if len(faults) == 1 else "texts"
        print("\n".join([f"{language}: {len(faults)} {things} to translate or check", *faults[:20]]))  # noqa: T201


if __name__ == "__main__":
    main()
