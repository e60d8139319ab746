"""Names in papers."""

import pytest

from peerorder.web.papers.identity import shown
from tests.web.conftest import enrol


@pytest.fixture
def author(course):
    member = enrol(course, "x", student="u4711")
    member.person.name, member.person.email = "Zoë de la Cruz", "zoe@example.edu"
    member.person.save()
    return member


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("An essay by ZOE  DE LA\nCRUZ.", ["Zoë de la Cruz"]),
        ("Cruz, Zoë de la", ["Zoë de la Cruz"]),
        ("de la Cruz, Zoë", ["Zoë de la Cruz"]),
        ("write to Zoe@Example.EDU", ["zoe@example.edu"]),
        ("(U4711)", ["u4711"]),
        ("https://example.edu/~u4711/essay", ["u4711"]),
        ("u47110 and xu4711", []),
        ("Zoë wrote of de la Cruz", []),
        ("", []),
    ],
)
def test_what_is_found(author, text, found):
    assert shown(text, [author]) == found


def test_short_names_are_ordinary_words(course):
    assert shown("bo and 12", [enrol(course, "Bo", student="12")]) == []
