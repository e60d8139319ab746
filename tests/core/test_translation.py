"""Texts of the library in another language, and a look at the source for texts that nobody could translate."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

import peerorder
from peerorder.core import errors, translation
from peerorder.core.text import join_with_and, join_with_or, number_range, ordinal, shortlist
from peerorder.core.translation import gettext, message, ngettext, pgettext, translate, translate_into
from translations.extraction import is_of_library

SOURCE = Path(peerorder.__file__).parent
# What running a site says on the command line must be in the library's domain: Django may not be loaded yet.
COMMANDS_OF_SITE = (SOURCE / "web" / "operations", SOURCE / "web" / "audit")
FILES = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if (is_of_library(path) or any(path.is_relative_to(folder) for folder in COMMANDS_OF_SITE))
    and path != Path(translation.__file__)
]
GETTEXT = {"_": 1, "gettext": 1, "message": 1, "ngettext": 2, "pgettext": 2}
# What people read of these: an error, a problem with a file, a note.
FOR_PEOPLE = {
    *errors.__all__,
    "FileError",
    "Problem",
    "OverrideProblem",
    "ClickException",
    "UsageError",
    "BadParameter",
    "ImproperlyConfigured",
    "print",
    # Of peerorder.web.operations.environment and peerorder.web.audit.ledger.
    "_error",
    "_unusable",
}
PROBLEMS = {"add", "refuse"}
NOTES = {("append", "notes"), ("add", "report"), ("add", "_report")}


@pytest.fixture
def german(tmp_path, monkeypatch):
    """A catalogue of a few texts, and the language as the environment says."""
    catalog = Catalog("de")
    catalog.add("papers", "Arbeiten")
    catalog.add(("{count} paper", "{count} papers"), ("{count} Arbeit", "{count} Arbeiten"))
    catalog.add("Open", "Offen", context="state")
    catalog.add("{names} and {last}", "{names} und {last}")
    catalog.add("{names} or {last}", "{last} oder {names}")
    more = "{names} and {count:,} more"
    catalog.add((more, more), ("{names} und {count:,} weiterer", "{names} und {count:,} weitere"))
    catalog.add("{low} to {high}", "{low} bis {high}")
    catalog.add("{number:,}rd", "{number:,}.", context="ordinal")
    path = tmp_path / "de" / "LC_MESSAGES" / "peerorder.mo"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_mo(file, catalog)
    monkeypatch.setattr(translation, "CATALOGUES", tmp_path)
    monkeypatch.setattr(translation, "_language", lambda: None)
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    translation._catalogue.cache_clear()
    yield monkeypatch
    translation._catalogue.cache_clear()


@pytest.mark.parametrize("variable", ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"])
def test_language_by_environment(german, variable):
    german.setenv(variable, "de_AT.UTF-8")
    assert gettext("papers") == "Arbeiten"


def test_language_by_the_reader(german):
    language = "de"
    translate_into(lambda: language)
    assert gettext("papers") == "Arbeiten"
    assert [ngettext("{count} paper", "{count} papers", n).format(count=n) for n in (1, 2)] == [
        "1 Arbeit",
        "2 Arbeiten",
    ]
    assert ngettext("{count} paper", "{count} papers", np.int64(1)) == "{count} Arbeit"
    assert pgettext("state", "Open") == "Offen"
    assert [translate(text) for text in (message("papers"), "")] == ["Arbeiten", ""]
    language = "en"
    assert gettext("papers") == "papers"


def test_english_where_there_is_no_translation(german):
    assert gettext("papers") == "papers"
    translate_into(lambda: "fr")
    assert gettext("papers") == "papers"
    assert ngettext("{count} paper", "{count} papers", 2) == "{count} papers"
    assert pgettext("state", "Open") == "Open"
    translate_into(lambda: "de")
    assert gettext("graders") == "graders"
    assert pgettext("verb", "Open") == "Open"


def test_lists_ranges_and_ordinals(german):
    translate_into(lambda: "de")
    assert join_with_and("abc") == "a, b und c"
    assert join_with_or("ab") == "b oder a"
    assert shortlist("abcdef", 2) == "a, b und 4 weitere"
    assert number_range(2, 4) == "2 bis 4"
    assert ordinal(3) == "3."


def name_of(call: ast.Call) -> str:
    return (
        call.func.id
        if isinstance(call.func, ast.Name)
        else call.func.attr
        if isinstance(call.func, ast.Attribute)
        else ""
    )


def messages_in(tree: ast.AST) -> Iterator[ast.Call]:
    return (
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in GETTEXT
    )


def texts_of(call: ast.Call) -> list[ast.expr]:
    return call.args[: GETTEXT[name_of(call)]]


def is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def placeholders(call: ast.Call) -> set[str]:
    texts = texts_of(call)[1:] if name_of(call) == "pgettext" else texts_of(call)
    literals = [text.value for text in texts if is_literal(text)]
    fields = [field for text in literals for _, field, _, _ in string.Formatter().parse(text) if field]
    # As in {row[mark]}.
    return {re.split(r"[.\[]", field)[0] for field in fields}


def keywords(call: ast.Call) -> set[str]:
    return {each.arg for each in call.keywords if each.arg}


@pytest.fixture(scope="module")
def trees():
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in FILES}


def test_texts_can_be_extracted(trees):
    wrong = [
        f"{file}:{each.lineno}: {ast.unparse(each)}"
        for file, tree in trees.items()
        for each in messages_in(tree)
        if not all(map(is_literal, texts_of(each)))
    ]
    assert wrong == []


def is_sentence(node: ast.expr) -> bool:
    """Whether words stand there that are not translated; a path or a spec of a rule has no spaces."""
    match node:
        case ast.Constant(value=str(text)):
            return " " in text.strip()
        case ast.JoinedStr(values=parts):
            return any(isinstance(part, ast.Constant) and str(part.value).strip(" ,;:.()'\"") for part in parts)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            return is_sentence(one) or is_sentence(other)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return any(map(is_sentence, items))
        case ast.Call(func=ast.Attribute(value=value, attr="format" | "join")):
            return is_sentence(value)
    return False


def shown_to_people(tree: ast.AST) -> Iterator[ast.expr]:
    for each in ast.walk(tree):
        if not isinstance(each, ast.Call):
            if isinstance(each, ast.Assign) and any(
                getattr(to, "id", "") in ("cause", "cure", "note") for to in each.targets
            ):
                yield each.value
            continue
        of = each.func.value if isinstance(each.func, ast.Attribute) else None
        owner = getattr(of, "attr", getattr(of, "id", ""))
        name = name_of(each)
        if name in FOR_PEOPLE or (name in PROBLEMS and "problems" in owner) or (name, owner) in NOTES:
            yield from each.args


def test_what_people_read_goes_through_gettext(trees):
    wrong = [
        f"{file}:{each.lineno}: {ast.unparse(each)}"
        for file, tree in trees.items()
        for each in shown_to_people(tree)
        if is_sentence(each)
    ]
    assert wrong == []


def test_placeholders_are_filled_in(trees):
    wrong = []
    for file, tree in trees.items():
        for each in ast.walk(tree):
            match each:
                case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name()) as call, attr="format")):
                    whole_row = any(keyword.arg is None for keyword in each.keywords)
                    if name_of(call) in GETTEXT and not whole_row and placeholders(call) != keywords(each):
                        wrong.append(f"{file}:{each.lineno}: {ast.unparse(each)}")
                case ast.FunctionDef():
                    wrong += [f"{file}: {text}" for text in unfilled(each)]
    assert wrong == []


def unfilled(function: ast.FunctionDef) -> list[str]:
    """Return the texts that a variable holds and whose placeholders no ``format`` of it names."""
    named: dict[str, set[str]] = {}
    for each in ast.walk(function):
        match each:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="format")):
                everything = any(keyword.arg is None for keyword in each.keywords)
                named.setdefault(name, set()).update({"*"} if everything else keywords(each))
    result = []
    for each in ast.walk(function):
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() | ast.IfExp() as value) if name in named:
                calls = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
                result += [
                    ast.unparse(call)
                    for call in calls
                    if isinstance(call, ast.Call)
                    and name_of(call) in GETTEXT
                    and "*" not in named[name]
                    and not placeholders(call) <= named[name]
                ]
    return result
