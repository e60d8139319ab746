from peerorder.reports.collusion import promise_of_collusion
from peerorder.reports.reproduction import page, promises


def row(rule, gained, k=8, stderr=0.25, runs=20):
    return {"k": k, "rule": rule, "gained": gained, "stderr": stderr, "runs": runs}


ROWS = [
    row("posterior", 4.0),
    row("borda", 10.0),
    row("posterior", 6.0, k=5),
    row("borda", 11.0, k=5),
    row("rsd", -1.25, k=5, stderr=None, runs=1),
]


def test_posterior_lets_a_team_gain_half_of_what_borda_does():
    (promise,) = promise_of_collusion(ROWS)
    assert (promise.within, len(promise.cases)) == (1, 2)
    assert promise.worst.sentence == "k = 5, where Borda gives 11.0: 6.0 (wanted: at most 5.5)"


def test_without_one_of_the_two_there_is_nothing_to_hold_it_to():
    assert promise_of_collusion(ROWS[:1]) == []
    assert promise_of_collusion(ROWS[1:2]) == []


def test_the_page_has_the_promise_and_every_gain():
    html = page({"collusion": ROWS}, {}, {})
    assert "Collusion: what a team gains" in html
    assert "1 of 2" in html
    assert "+10.00" in html
    assert "\N{MINUS SIGN}1.25" in html
    assert "not run" in html
    assert "a team gains least under RSD (\N{MINUS SIGN}1.2 places) and most under Borda (10.5 places)." in html
    assert "Collusion" not in page({"robustness": []}, {}, {})


def test_the_terminal_has_the_same_promise():
    assert promises({"collusion": ROWS}) == promise_of_collusion(ROWS)
