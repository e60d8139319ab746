from peerorder.files import read_handout


def given_to(handout):
    return [(handout.graders[g], handout.papers[p]) for g, p in zip(handout.grader, handout.paper, strict=True)]


def test_a_hand_out_row_by_row(file):
    path = file("Grader,Paper,place\nann,p2,\nann,p1,\nbob,p2,\n")
    handout = read_handout(path)
    assert given_to(handout) == [("ann", "p2"), ("ann", "p1"), ("bob", "p2")]
    assert handout.graders == ("ann", "bob")
    assert handout.papers == ("p2", "p1")
    assert len(handout) == 3
    assert (handout.path, handout.notes, handout.dropped) == (path, (), ())


def test_papers_behind_codes(file):
    handout = read_handout(file("grader,paper\nann,K2\nbob,K1\n"), {"K1": "p1", "K2": "p2", "K3": "p3"})
    assert given_to(handout) == [("ann", "p2"), ("bob", "p1")]


def test_everything_that_is_wrong_is_named_at_once(file, complaints):
    path = file("grader,paper\nann,K1\n,K1\nbob,\nann,K1\nbob,K9\nbob,K2\ncarl,#N/A\n")
    codes = {"K1": "p1", "K2": "p2"}
    expected = [
        (3, "grader", "this cell is empty"),
        (4, "paper", "this cell is empty"),
        (5, "paper", "ann already has K1 in row 2"),
        (6, "paper", "K9 is not one of the codes"),
        (8, "paper", "this is a spreadsheet error, #N/A"),
    ]
    assert complaints(read_handout, path, codes) == expected
    handout = read_handout(path, codes, lenient=True)
    assert [problem.row for problem in handout.dropped] == [3, 4, 5, 6, 8]
    assert given_to(handout) == [("ann", "p1"), ("bob", "p2")]
    # Nobody and nothing that only bad rows name.
    assert (handout.graders, handout.papers) == (("ann", "bob"), ("p1", "p2"))


def test_a_header_alone(file):
    assert given_to(read_handout(file("grader,paper\n"))) == []


def test_columns_that_are_missing(file, complaints):
    cause = "a hand-out needs the columns grader, paper, but this file has student"
    assert complaints(read_handout, file("student\nann\n")) == [(None, None, cause)]


def test_what_stands_in_two_hand_outs_counts_once(file):
    first = read_handout(file("grader,paper\nann,p1\nann,p2\nbob,p1\n", "first.csv"))
    extended = read_handout(file("grader,paper\nann,p1\nann,p2\nann,p3\nbob,p1\ncid,p2\n", "second.csv"))
    both = first.join(extended)
    pairs = [(both.graders[g], both.papers[p]) for g, p in zip(both.grader, both.paper, strict=True)]
    assert pairs == [("ann", "p1"), ("ann", "p2"), ("bob", "p1"), ("ann", "p3"), ("cid", "p2")]
