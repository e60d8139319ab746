"""Looking for people."""

import pytest

from peerorder.web.courses.models import Member
from peerorder.web.courses.search import find_members, plain
from tests.web.factories import enrol


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("NOVÁK", "novak"), ("  Doe,  Jane ", "doe jane"), ("Łukasz Sørensen", "lukasz sorensen"), ("Groß", "gross")],
)
def test_accents_case_commas_and_blanks_go(typed, meant):
    assert plain(typed) == meant


def test_all_words_must_stand_somewhere(course, students):
    ana = enrol(course, "Ana Núñez", student="s1", team="Red")
    everybody = Member.objects.order_by("pk")
    for typed in ("nunez", "NÚÑEZ ana", "s1", "red ana", "ñ"):
        assert find_members(everybody, typed) == [ana.pk]
    assert find_members(everybody, "ana bo") == []
    assert find_members(everybody, "\0") == [member.pk for member in everybody]
    assert len(find_members(everybody, "", 3)) == 3
