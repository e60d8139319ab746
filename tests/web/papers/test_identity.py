"""Names in papers."""

import pytest

from peerorder.web.papers.identity import find_identities
from tests.web.factories import enrol


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
        ("An essay. Zoë Cruz", ["Zoë de la Cruz"]),
        ("As Cruz says", ["Cruz"]),
        ("CRUZ", ["Cruz"]),
        ("vera cruz, and cruzado, Cruzado", []),
        # A first name alone is a weak hint: only as a signature.
        ("Zoë goes to the market. I thank Zoë.", []),
        ("A text.\n\nzoe\n", ["Zoë"]),
        ("Name: Zoë\n\nA text.", ["Zoë"]),
        ("A text.\n**by Zoë C.**", ["Zoë"]),
        ("Zoë is a name", []),
        ("", []),
    ],
)
def test_what_is_found(author, text, found):
    assert find_identities(text, [author]) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [("Jane Mary Doeson", True), ("Jane Doeson", True), ("Doeson", True), ("Doeson Jane", True), ("Jane spoke", False)],
)
def test_a_roster_may_write_the_surname_first(course, text, found):
    member = enrol(course, "x", student="1")
    member.person.name = "Doeson, Jane Mary"
    assert bool(find_identities(text, [member])) is found


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Ayşe Özdemir", "Submitted by Ayse Oezdemir", "Ayşe Özdemir"),
        ("Ayşe Özdemir", "AYSE OZDEMIR", "Ayşe Özdemir"),
        ("Ayse Oezdemir", "Von Ayşe Özdemir", "Ayse Oezdemir"),
        ("Jörg Müller", "As Mueller says", "Müller"),
        ("Jörg Müller", "Name: Joerg", "Jörg"),
        ("Müller, Jörg", "Joerg Mueller", "Müller, Jörg"),
        ("Søren Kjærgaard", "Soeren Kjaergaard", "Søren Kjærgaard"),
        ("Łukasz Żak", "Lukasz Zak", "Łukasz Żak"),
        ("Åsa Ek", "Aasa Ek", "Åsa Ek"),
        ("Anna Baer", "The Bar is open", ""),
        ("Joel Blue", "a blue sky, Jol", ""),
    ],
)
def test_names_are_found_in_other_spellings(course, name, text, found):
    """Ayse Oezdemir was not found for Ayşe Özdemir (m13)."""
    member = enrol(course, "x", student="1")
    member.person.name = name
    assert find_identities(text, [member]) == ([found] if found else [])


@pytest.mark.parametrize("text", ["Smith-Jones", "by O'Hara-Smith", "an O\u2019Hara-Smith's idea"])
def test_surnames_of_several_parts(course, text):
    member = enrol(course, "x", student="1")
    member.person.name = "Ann Smith-Jones" if "Jones" in text else "Ann O'Hara-Smith"
    assert find_identities(text, [member])
    assert not find_identities("a smith and his jones", [member])


def test_of_a_single_name_nobody_knows_more(course):
    member = enrol(course, "Xanthippe", student="1")
    assert find_identities("Socrates and Xanthippe", [member]) == []
    assert find_identities("Socrates.\nXanthippe", [member]) == ["Xanthippe"]


def test_short_names_are_ordinary_words(course):
    assert find_identities("bo and 12", [enrol(course, "Bo", student="12")]) == []
