import pytest

from peerorder.reports.labels import plain_count, rule_name, scheme_name, signed


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (0.054, "+0.05"),
        (-1.2, "\N{MINUS SIGN}1.20"),
        (0.0, "0.00"),
        (-0.0, "0.00"),
        (-0.004, "0.00"),
        (0.004, "0.00"),
        (10, "+10.00"),
    ],
)
def test_signed(difference, text):
    assert signed(difference) == text


def test_names():
    assert rule_name("mc4-restart") == "MC4 with restart"
    assert rule_name("something-else") == "something-else"
    assert scheme_name("complete") == "copies of K(k,k)"
    assert scheme_name("girth6") == "girth6"
    assert (plain_count(1002), plain_count(10_000)) == ("1002", "10,000")
