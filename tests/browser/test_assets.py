"""All style sheets and scripts of ours, linted by the browser that they are for."""

import re
from pathlib import Path

import pytest

import peerorder

SOURCE = Path(peerorder.__file__).parent
FILES = sorted(path for path in SOURCE.rglob("static/peerorder/**/*") if path.suffix in (".css", ".js"))
STYLES = [path for path in FILES if path.suffix == ".css"]
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
BLOCK = re.compile(r"([^{}]*)\{([^{}]*)\}")
TOKEN = re.compile(r"(--[\w-]+)\s*:")
USED = re.compile(r"var\((--[\w-]+)")


def named(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: str(path.relative_to(SOURCE)))


@pytest.fixture
def page(browser):
    return browser.new_page()


def rules(text):
    """Selectors and their declarations, without comments, whatever they are nested in."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for selectors, body in BLOCK.findall(text):
        parts = [part.strip() for part in body.split(";") if part.strip()]
        yield selectors.strip(), [tuple(map(str.strip, part.partition(":")[::2])) for part in parts]


@named(STYLES)
def test_the_browser_knows_every_selector_property_and_value(path, page):
    found = list(rules(path.read_text("utf-8")))
    steps = {"from", "to"}
    selectors = [selector for selector, _ in found if selector not in steps]
    pairs = [pair for _, pairs in found for pair in pairs if not pair[0].startswith("--")]
    assert found
    unknown = page.evaluate(
        """([selectors, pairs]) => [
            ...selectors.filter((each) => !CSS.supports(`selector(:is(${each}))`) && !valid(each)),
            ...pairs.filter(([name, value]) => !CSS.supports(name, value)).map((pair) => pair.join(": ")),
        ];
        function valid(selector) {
            try { document.querySelector(selector); return true; } catch { return false; }
        }""",
        [selectors, pairs],
    )
    assert unknown == []


def test_every_colour_that_is_used_is_defined_and_the_other_way_round():
    texts = [path.read_text("utf-8") for path in STYLES]
    defined = {name for text in texts for name in TOKEN.findall(text)}
    used = {name for text in texts for name in USED.findall(text)}
    # Figures of studies use the colours that have the names of theirs.
    from peerorder.studies.figure_style import COLOURS

    assert used <= defined
    assert defined - used <= {f"--{name}" for name in COLOURS}


@named(SCRIPTS)
def test_scripts_are_strict_and_can_be_read(path, page):
    text = path.read_text("utf-8")
    assert '"use strict";' in text
    assert (
        page.evaluate("(text) => { try { new Function(text); return ''; } catch (e) { return String(e); } }", text)
        == ""
    )
    assert not re.search(r"\b(eval|document\.write|var)\b", re.sub(r"//.*", "", text))


@named(FILES)
def test_nothing_is_loaded_from_elsewhere(path):
    assert not re.search(r"(url\(|@import|fetch\(|import )\s*['\"]?(https?:)?//", path.read_text("utf-8"))


@named(STYLES)
def test_every_class_that_has_a_look_is_used_somewhere(path):
    sources = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.html"), *SCRIPTS]
    words = {word for source in sources for word in re.findall(r"[\w-]+", source.read_text("utf-8"))}
    classes = {
        name for selector, _ in rules(path.read_text("utf-8")) for name in re.findall(r"\.([a-z][\w-]*)", selector)
    }
    # Those of states (is-done) are put together; htmx adds its own.
    assert {name for name in classes - words if not name.startswith(("is-", "stage-", "htmx-"))} == set()
