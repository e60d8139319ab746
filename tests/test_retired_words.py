"""Words and phrases that are retired, because they sound translated or are private to the project, stay away."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLACES = ("src/peerorder", "docs", "README.md")
# Decision records keep the words of their time, and results are computed. Delete a line to check one more place.
EXCEPT = (
    "docs/_build",
    "docs/decisions",
    "docs/extra",
)
SUFFIXES = (".py", ".md", ".html", ".js", ".css")
RETIRED = {
    "foretell": "predict",
    "foretold": "predicted",
    "whoever": "people who",
    "by itself": "automatically",
    "hangs? together": "is connected, linked",
    "alikeness": "assortativity",
    "an? (?:row|line|form|column) an? [a-z]+": "one row per paper",
    "of them": "of these",
    "so many": "this many",
    "without your doing": "automatically",
    "indicative solution": "sample solution",
    "letters (?:more|at least|at most)|fewer letters": "characters",
    "is no (?:rank|number|folder|role|e-mail)": "is not a rank",
    "log-in names?": "username",
    "she|hers?": "they",
    "(?-i:Who) (?:has|had|did not|is not|was not|handed|ranked|tied|wants)": "students who",
}


def texts():
    for place in PLACES:
        path = ROOT / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            name = file.relative_to(ROOT).as_posix()
            if file.suffix in SUFFIXES and not name.startswith(EXCEPT):
                yield name, file.read_text("utf-8")


def uses(pattern):
    word = re.compile(rf"\b(?:{pattern})\b".replace(" ", r"\s+(?:#\s+)?"), re.IGNORECASE)
    for name, text in texts():
        lines = text.splitlines()
        for match in word.finditer(text):
            number = text.count("\n", 0, match.start())
            yield f"{name}:{number + 1}: {lines[number].strip()[:120]}"


@pytest.mark.parametrize("pattern", RETIRED)
def test_a_retired_word_is_used_nowhere(pattern):
    assert [*uses(pattern)] == [], f"write {RETIRED[pattern]!r}"


def test_retired_words_are_found_across_lines_and_in_any_case(monkeypatch):
    monkeypatch.setattr(
        f"{__name__}.texts", lambda: [("a.md", "Some of\nthem. WHOEVER asks."), ("b.py", "# so\n# many")]
    )
    assert [*uses("of them")] == ["a.md:1: Some of"]
    assert [*uses("whoever")] == ["a.md:2: them. WHOEVER asks."]
    assert [*uses("so many")] == ["b.py:1: # so"]
