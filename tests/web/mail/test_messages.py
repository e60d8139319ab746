import pytest

from peerorder.web.mail.messages import LINK, greeting


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Else Eriksen", "Else Eriksen"),
        ("Eriksen, Else", "Else Eriksen"),
        ("Eriksen, Else, PhD", "Eriksen, Else, PhD"),
        ("Eriksen,", "Eriksen,"),
        (f"Else{LINK}", "Else"),
    ],
)
def test_people_are_greeted_by_their_names_as_they_are_said(name, called):
    assert greeting(name) == f"Hello {called},"


def test_somebody_without_a_name_is_greeted_too():
    assert greeting("") == "Hello,"
