import pytest

from peerorder.reports.claims import Case, Check
from peerorder.reports.tables import check_table


@pytest.mark.parametrize(
    ("case", "kept", "wanted"),
    [
        (Case("here", 85.0, 85, 95), True, "85 to 95"),
        (Case("here", 95.1, 85, 95), False, "85 to 95"),
        (Case("here", 79.9, low=80), False, "at least 80"),
        (Case("here", 100.0, low=80), True, "at least 80"),
        (Case("here", 1.0, high=1), True, "at most 1"),
        (Case("here", 3.0, high=2.5, unit=""), False, "at most 2.5"),
    ],
)
def test_a_number_is_in_its_range_or_not(case, kept, wanted):
    assert (case.excess <= 0) == kept
    assert case.wanted == wanted


PROMISE = Check("Careful", "at <most> 1", (Case("a", 0.5, high=1), Case("b", 3.25, high=1), Case("c", 1.5, high=1)))


def test_a_promise_counts_and_names_the_furthest_off():
    assert PROMISE.within == 1
    assert PROMISE.worst.where == "b"
    assert [case.where for case in PROMISE.beyond] == ["b", "c"]
    assert PROMISE.worst.sentence == "b: 3.2% (wanted: at most 1)"


def test_a_loss_has_a_real_minus():
    assert Case("here", -6.55, high=11, unit="").shown == "\N{MINUS SIGN}6.5"


def test_the_table_shows_what_is_kept_and_lists_what_is_not():
    html = check_table([PROMISE], "Promises", notes=True)
    assert "1 of 3" in html
    assert "at &lt;most&gt; 1" in html
    assert "Careful. c: 1.5% (wanted: at most 1)" in html
    fine = check_table([Check("Fine", "", PROMISE.cases[:1])], "Promises", notes=True)
    assert "1 of 1" in fine
    assert "notes" not in fine
    assert check_table([], "Promises") is None
