import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given, strategies as st

from peerorder.files.courses.names import folder_names

HOSTILE = [
    "",
    ".",
    "..",
    "../x",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "C:x",
    "CON",
    "nul.txt",
    "x" * 300,
    "é" * 300,
    " x ",
    ".x",
]
HOSTILE += ["x.", "a\nb", "a\0b", "*", "summary.csv", "Summary.CSV", "\ud800", "\u202egpj.exe"]


def key(name):
    return unicodedata.normalize("NFKC", name).casefold()


def is_safe(name):
    return (
        name.strip(" .") == name != ""
        and len(name.encode()) < 200
        and PurePosixPath(name).parts == (name,)
        and PureWindowsPath(name).parts == (name,)
        and name.isprintable()
    )


def test_ordinary_names_stay():
    ordinary = ["Algebra", "Analysis 1", "CS-101 (evening)", "Übungen", "数学", "Law & Order"]
    assert folder_names(ordinary) == {name: name for name in ordinary}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_become_safe(name):
    (result,) = folder_names([name], ["summary.csv"]).values()
    assert is_safe(result)
    assert key(result) != "summary.csv"


def test_names_that_a_file_system_may_confuse_are_told_apart():
    names = ["Algebra", "algebra", "ALGEBRA", "Caf\u00e9", "Cafe\u0301", "x" * 300, "x" * 301]
    result = folder_names(names)
    assert len({key(name) for name in result.values()}) == len(names)
    assert folder_names(names[::-1]) == result


def test_nobody_takes_the_made_name_of_another():
    made = folder_names(["a/b"])["a/b"]
    result = folder_names(["a/b", made])
    assert result[made] == made
    assert result["a/b"] != made


@given(st.lists(st.text(max_size=12), unique=True, max_size=8))
def test_any_names_are_safe_and_different(names):
    result = folder_names(names, ["summary.csv"])
    assert {*result} == {*names}
    assert all(map(is_safe, result.values()))
    assert len({key(name) for name in result.values()}) == len(names)
