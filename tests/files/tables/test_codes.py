import re
from itertools import product

from hypothesis import given, strategies as st

from peerorder.core import child
from peerorder.files import make_codes, read_codes, write_table
from peerorder.files.tables.codes import LETTERS, SIGNS

SHAPE = re.compile(r"[BCDFGHJKLMNPQRSTVWXZ][BCDFGHJKLMNPQRSTVWXZ3479]{3,}")


@given(
    papers=st.lists(st.text(min_size=1, max_size=3), unique=True, max_size=40),
    known=st.dictionaries(st.text("BCD3", min_size=4, max_size=4), st.text(min_size=1, max_size=3), max_size=8),
    seed=st.integers(0, 99),
)
def test_every_paper_has_a_code_of_its_own_and_known_ones_stay(papers, known, seed):
    known = {code: paper for paper, code in {paper: code for code, paper in known.items()}.items()}
    codes = make_codes(papers, child(seed), known=known, taken=papers)
    assert {*papers} | {*known.values()} == {*codes}
    assert len({*codes.values()}) == len(codes)
    assert all(codes[paper] == code for code, paper in known.items())
    new = [codes[paper] for paper in papers if paper not in known.values()]
    assert all(SHAPE.fullmatch(code) and code not in papers for code in new)
    assert len({len(code) for code in new}) <= 1


def test_codes_are_sparse_and_as_short_as_that_allows(rng):
    assert {len(code) for code in make_codes([str(x) for x in range(2000)], rng).values()} == {4}
    assert {len(code) for code in make_codes([str(x) for x in range(3000)], rng).values()} == {5}


def test_texts_that_are_taken_are_drawn_again(rng, monkeypatch):
    # Every code of four signs is taken but those that begin with B, and codes need not be sparse.
    monkeypatch.setattr("peerorder.files.tables.codes.SPARSE", 1)
    taken = {"".join(code) for code in product(LETTERS[1:], SIGNS, SIGNS, SIGNS)}
    codes = make_codes([str(paper) for paper in range(50)], rng, taken=taken)
    assert all(len(code) == 4 and code.startswith("B") for code in codes.values())


def test_the_same_seed_gives_the_same_and_order_tells_nothing():
    papers = [f"{x:03d}" for x in range(300)]
    one, again, other = (make_codes(papers, child(seed)) for seed in (1, 1, 2))
    assert one == again != other
    rises = sum(a < b for a, b in zip(one.values(), [*one.values()][1:], strict=False))
    assert 110 < rises < 190


def test_there_and_back(tmp_path, rng):
    codes = make_codes(["007", "=1+1", 'a "b", c'], rng)
    for name in ("codes.csv", "codes.xlsx", "codes.parquet"):
        write_table(tmp_path / name, {"paper": [*codes], "code": [*codes.values()]})
        assert read_codes(tmp_path / name) == {code: paper for paper, code in codes.items()}


def test_the_paper_behind_every_code(file):
    assert read_codes(file("Code;Paper;x\nK1;p1;\n K2 ;007;\n")) == {"K1": "p1", "K2": "007"}


def test_no_codes(file):
    assert read_codes(file("paper,code\n")) == {}


def test_everything_that_is_wrong_is_named_at_once(file, complaints):
    path = file("paper,code\np1,K1\np2,K1\np1,K2\n,K3\np4,\np5,#N/A\np6,K6\n")
    assert complaints(read_codes, path) == [
        (3, "code", "K1 is already in row 2"),
        (4, "paper", "p1 is already in row 2"),
        (5, "paper", "this cell is empty"),
        (6, "code", "this cell is empty"),
        (7, "code", "this is a spreadsheet error, #N/A"),
    ]


def test_columns_that_are_missing(file, complaints):
    cause = "a file of codes needs the column code, but this file has paper"
    assert complaints(read_codes, file("paper\np1\n")) == [(None, None, cause)]
