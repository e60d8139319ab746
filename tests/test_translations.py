"""Whatever people read can be collected for translators, and survives a language that is longer and accented."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

import peerorder
from tests.pseudo_locale import KEPT, outside, pseudo
from translations.extraction import library_messages, web_messages

SOURCES = Path(peerorder.__file__).parent


@pytest.fixture(scope="module")
def library() -> Catalog:
    return library_messages()


@pytest.fixture(scope="module")
def web() -> Catalog:
    return web_messages()


def places(catalog: Catalog, message: str | tuple[str, str], context: str | None = None) -> list[str]:
    found = catalog.get(message, context)
    assert found is not None, message
    return [where for where, _line in found.locations]


def test_texts_of_the_library_are_collected(library):
    assert "peerorder rules --json" in places(library, "Print JSON.")
    assert places(library, "Run a round") == ["peerorder"]
    assert places(library, "the share of comparisons won") == ["borda"]
    assert places(library, "scale of marks") == ["peerorder/marks/__init__.py"]
    assert places(library, "Show this message and exit.") == ["click/decorators.py"]
    web = {where for each in library for where, _line in each.locations if where.startswith("peerorder/web")}
    # What the command line shows of the web app.
    assert {where.split("/")[2] for where in web} == {"audit", "operations", "sandbox"}


def test_texts_of_the_web_app_are_collected(web):
    assert places(web, "Skip to content") == ["peerorder/web/templates/base.html"]
    assert places(web, "Hello %(name)s,") == ["peerorder/web/mail/messages.py"]
    kinds = {each.pluralizable: each for each in web if any(where.endswith(".html") for where, _ in each.locations)}
    assert set(kinds) == {False, True}


def test_translators_can_put_placeholders_in_another_order(web, library):
    for catalog in (web, library):
        for each in catalog:
            if not any(where.startswith("click/") for where, _line in each.locations):
                text = each.id[1] if each.pluralizable else each.id
                assert len(re.findall(r"%[sd]|\{\}", text.replace("%%", ""))) < 2, text


CALLS = ("_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy", "message")


def test_no_message_stands_inside_an_f_string():
    """Babel sees none there."""
    for path in SOURCES.rglob("*.py"):
        text = path.read_text()
        if "translation" in text:
            for string in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.JoinedStr)):
                calls = (node.func for node in ast.walk(string) if isinstance(node, ast.Call))
                assert not any(isinstance(call, ast.Name) and call.id in CALLS for call in calls), (path, string.lineno)


def test_placeholders_survive_the_pseudo_locale(web, library):
    for catalog in (web, library):
        for each in catalog:
            for text in each.id if each.pluralizable else (each.id,):
                assert KEPT.findall(pseudo(text)) == KEPT.findall(text)


def test_the_pseudo_locale_stands_out_and_is_longer():
    assert pseudo("Hello %(name)s, {count:,} <b>papers</b>") == "⟦Ĥééļļöö %(name)s, {count:,} <b>pååpéérš</b>⟧"
    assert pseudo("%(n)d / {k}") == "%(n)d / {k}"
    assert outside("Bad ⟦Ĝöööð ⟦ñåååmé⟧ ⟧ worse").split() == ["Bad", "worse"]
    with pytest.raises(ValueError, match="open"):
        outside("⟦Ñéévéér çļöšéééð")
