from peerorder.files import read_codes


def test_the_paper_behind_every_code(file):
    assert read_codes(file("Code;Paper;x\nK1;p1;\n K2 ;007;\n")) == {"K1": "p1", "K2": "007"}


def test_no_codes(file):
    assert read_codes(file("paper,code\n")) == {}


def test_everything_that_is_wrong_is_named_at_once(file, complaints):
    path = file("paper,code\np1,K1\np2,K1\np1,K2\n,K3\np4,\np5,#N/A\np6,K6\n")
    assert complaints(read_codes, path) == [
        (3, "code", "K1 is in row 2 already"),
        (4, "paper", "p1 is in row 2 already"),
        (5, "paper", "this cell is empty"),
        (6, "code", "this cell is empty"),
        (7, "code", "this is an error of the spreadsheet, #N/A"),
    ]


def test_columns_that_are_missing(file, complaints):
    cause = "a file of codes needs the column code, and this file has paper"
    assert complaints(read_codes, file("paper\np1\n")) == [(None, None, cause)]
