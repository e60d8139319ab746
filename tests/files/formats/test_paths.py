"""Whatever reads or fills a file takes its path as text too, and as anything path-like."""

import os

import pytest

from peerorder.files import (
    fill_gradebook,
    read_anchors,
    read_codes,
    read_conflicts,
    read_exercise,
    read_handout,
    read_rankings,
    read_roster,
    read_rows,
    read_sheet,
)
from peerorder.files.rounds import read_round


class PathLike:
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return os.fspath(self.path)


@pytest.fixture
def folder(tmp_path):
    files = {
        "rankings": "grader,paper,rank\na,b,1\na,c,2\nb,a,1\nb,c,2\n",
        "roster": "student\na\nb\nc\n",
        "conflicts": "student,paper\na,b\n",
        "handout": "grader,paper\na,b\na,c\nb,a\nb,c\n",
        "codes": "paper,code\na,QRST\n",
        "anchors": "paper,mark\na,80\nb,60\n",
        "session": "judge,candidate_chosen,candidate_not_chosen\na,x,y\n",
        "gradebook": "Student,ID,SIS User ID,Section,Essay (77)\n    Points Possible,,,,50\nDoe,1,a,A,\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


@pytest.mark.parametrize("kind", [str, PathLike])
def test_every_reader_takes_text_and_path_likes(folder, kind):
    def path(name):
        return kind(folder / f"{name}.csv")

    assert len(read_sheet(path("rankings"))) == 4
    assert sorted(read_rankings(path("rankings")).papers) == ["a", "b", "c"]
    roster = read_roster(path("roster"))
    assert roster.students == ("a", "b", "c")
    assert read_conflicts(path("conflicts"), roster).pairs == ((0, 1),)
    assert len(read_handout(path("handout")).graders) == 2
    assert read_codes(path("codes")) == {"QRST": "a"}
    assert len(read_anchors(path("anchors"), ["a", "b"]).papers) == 2
    assert read_exercise(path("session")).name == "session"
    assert read_rows(path("roster")) == [{"student": "a"}, {"student": "b"}, {"student": "c"}]
    round_ = read_round(path("rankings"), roster=path("roster"), handout=[path("handout")])
    assert round_.graders == ("a", "b", "c")
    fill_gradebook(path("gradebook"), kind(folder / "filled.csv"), {"a": 80.0})
    assert "40" in (folder / "filled.csv").read_text()
