import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import peerorder.rounds
from peerorder.core import InputError, Profile
from peerorder.rounds import GradeSettings, HandoutRows, Round, StaffMarks, grade, verify


@pytest.fixture
def made():
    """A round that nobody read from anywhere."""
    profile = Profile.from_ballots([[1, 2], [2, (0, 3)], [1, 0, 3]], 4, authored=[0, 1, 2])
    ids = pa.array(["p0", "p1", "p2", "p3"])
    return Round(profile, ids, pa.array(["ann", "bob", "cid"]), np.zeros(3, bool))


def test_no_module_of_the_package_knows_files():
    for path in Path(peerorder.rounds.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & {"pathlib", "os", "tempfile", "shutil"}, path.name


def test_there_is_one_round():
    library = Path(peerorder.rounds.__file__).parents[1]
    nodes = [node for path in library.rglob("*.py") for node in ast.parse(path.read_text("utf-8")).body]
    assert sum(isinstance(node, ast.ClassDef) and node.name == "Round" for node in nodes) == 1


def test_a_round_is_graded_without_files(made):
    graded = grade(made, GradeSettings("borda", marks="percentile"))
    assert graded.grades()["paper"].to_pylist() == ["p1", "p2", "p0", "p3"]
    assert graded.provenance["inputs"] == {}
    assert verify(graded.grades(), made, graded.settings) == []
    kept = {name: ["" if cell is None else str(cell) for cell in cells.tolist()] for name, cells in table(graded)}
    assert verify(kept, made, graded.settings) == []
    kept["mark"][0] = "1"
    (difference,) = verify(kept, made, graded.settings)
    assert (difference.column, difference.row, difference.kept) == ("mark", 0, "1")


def table(graded):
    return [(name, np.asarray(cells, object)) for name, cells in graded.grades().items()]


def test_errors_name_parameters(made):
    with pytest.raises(InputError, match="`staff_weight` is 0"):
        grade(made, GradeSettings("borda", staff_weight=0))
    with pytest.raises(InputError, match=r"`roster`.*`marks`"):
        grade(made, GradeSettings("borda")).students()
    empty = replace(made, anchors=StaffMarks(np.zeros(0, np.int64), np.zeros(0), unmarked=2))
    with pytest.raises(InputError, match="the anchors: none of its 2 rows has a mark"):
        grade(empty)


def test_the_digest_is_of_what_counts(made):
    rows = HandoutRows(np.array([1, 0]), np.array([0, 1]), np.array([True, False]))
    turned = HandoutRows(*(column[::-1] for column in rows))
    asked = replace(made, handout=rows)
    assert asked.digest == replace(made, handout=turned, reading_notes=("read",), codes={"K7": "p0"}).digest
    others = [
        made,
        asked,
        replace(made, handout=rows._replace(favour=np.zeros(2, bool))),
        replace(made, paper_ids=pa.array(["p0p", "1", "p2", "p3"])),
        replace(made, staff=np.array([True, False, False])),
        replace(made, anchors=StaffMarks(np.array([1]), np.array([70.0]))),
        made.reversed(),
    ]
    assert len({each.digest for each in others}) == len(others)
    parts = pa.array(["x", "p0", "p1", "p2", "p3"])[1:]
    assert replace(made, paper_ids=parts).digest == made.digest
