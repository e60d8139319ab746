"""Numbers and texts as arrow arrays, without loading pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from peerorder.files.formats.arrow import Texts, bytes_of, empty_at, numbers, places_in, strings


@pytest.mark.parametrize(
    "values",
    [
        np.arange(9),
        np.arange(9, dtype=np.int32)[::2],
        np.array([1.5, np.nan, -2.0] * 7),
        np.array([np.nan]),
        np.array([], np.float64),
        np.arange(3, dtype=np.uint8),
    ],
)
def test_numbers_are_what_arrow_makes_of_them(values):
    assert numbers(values).equals(pa.array(values, from_pandas=True))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_letters_of_texts(kind):
    texts = pa.array(["one", "", "ä", "two"], kind)
    begin, letters = bytes_of(texts)
    found = [bytes(letters[first:last]).decode() for first, last in zip(begin[:-1], begin[1:], strict=True)]
    assert found == ["one", "", "ä", "two"]
    begin, letters = bytes_of(texts.slice(2, 2))
    assert bytes(letters[begin[0] : begin[1]]).decode() == "ä"
    assert [len(each) for each in bytes_of(pa.array([], kind))] == [1, 0]


def test_the_first_empty_text():
    assert empty_at(pa.array(["a", "", "b", ""])) == 1
    assert empty_at(pa.array(["a", "", "b"]).slice(2)) == -1
    assert empty_at(pa.array(["a", "b"])) == -1
    assert empty_at(pa.array([], pa.string())) == -1


@pytest.mark.processes
def test_grading_loads_neither_pandas_nor_the_reports(tmp_path):
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\na,b,1\na,c,2\nb,c,1\nb,a,2\nc,a,1\nc,b,2\n")
    program = (
        "import sys; from peerorder.cli import run; code = run(sys.argv[1:]); "
        "unused = {'pandas', 'numba', 'matplotlib', 'peerorder.reports', 'peerorder.studies'}; "
        "print(code, sorted(unused & set(sys.modules)))"
    )
    arguments = ["grade", "rankings.csv", "--rule", "borda"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "0 []"


@pytest.mark.processes
def test_files_of_a_class_are_read_and_written_without_pandas(tmp_path):
    """Neither by commands nor, as the web app reads a roster, in the sandbox."""
    program = (
        "import sys; from pathlib import Path; from peerorder.cli import run; "
        "from peerorder.web.courses.tasks import read_upload; "
        "codes = [run(command.split()) for command in sys.argv[1:]]; read_upload(Path('roster.csv'), None); "
        "print(codes, 'pandas' in sys.modules)"
    )
    (tmp_path / "roster.csv").write_text("student,name\na,Ann\nb,Bo\nc,Cy\nd,Di\n")
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\na,b,1\na,c,2\nb,c,1\nb,a,2\nc,d,1\nc,b,2\n")
    commands = (
        "assign roster.csv -k 2 --out handout.csv",
        "grade rankings.csv --roster roster.csv --rule borda --out order.csv",
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *commands], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[0, 0] False"


def test_strings():
    assert strings(["one", None, "ä"]).equals(pa.array(["one", None, "ä"], pa.string()))
    assert strings([]).equals(pa.array([], pa.string()))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_places_among_known_texts(kind):
    known = pa.array(["a", "b", "longer than eight bytes"], kind)
    texts = pa.array(["none", "b", "none", "longer than eight bytes", "a", "none"])
    assert places_in(known, texts).tolist() == [-1, 1, -1, 2, 0, -1]
    assert places_in(known, texts.slice(1, 2)).tolist() == [1, -1]
    assert places_in(known, texts.slice(0, 0)).tolist() == []


def test_texts_are_made_when_they_are_asked_for():
    texts = Texts(strings(["a", "ä", "", "b"]))
    assert len(texts) == 4
    assert (texts[1], texts[np.int64(-1)], texts[1:3], [*texts]) == ("ä", "b", ["ä", ""], ["a", "ä", "", "b"])
    assert "ä" in texts
