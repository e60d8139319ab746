"""A kind of output decides how its file is written, and that no other kind replaces it."""

import pytest

from peerorder.core.errors import InputError
from peerorder.files import check_output, table_bytes, write_provenance, write_table
from peerorder.files.formats.file_types import BYTE_ORDER_MARK
from peerorder.files.formats.kinds import (
    ANCHORS,
    CODES,
    EXPORT,
    FORM,
    GRADERS,
    GRADES,
    HANDOUT,
    KINDS,
    STUDENTS,
    kind_of,
)

PEOPLE_OPEN = {"students", "letters", "codes", "mail merge", "ranking", "anchors", "courses"}


def test_csv_that_people_open_has_a_byte_order_mark_and_no_other_has(tmp_path):
    marked = {
        kind.name
        for kind in KINDS.values()
        if table_bytes(tmp_path / "x.csv", {"a": ["é"]}, kind)[:3] == BYTE_ORDER_MARK.encode()
    }
    assert marked == PEOPLE_OPEN
    assert table_bytes(tmp_path / "x.csv", {"a": ["é"]}, EXPORT).startswith(BYTE_ORDER_MARK.encode())
    assert not table_bytes(tmp_path / "x.csv", {"a": ["é"]}).startswith(BYTE_ORDER_MARK.encode())


@pytest.mark.parametrize("kind", [kind for kind in KINDS.values() if kind.columns], ids=lambda kind: kind.name)
def test_a_table_without_provenance_is_known_by_its_columns(tmp_path, kind):
    for name in ("x.csv", "x.xlsx", "x.tsv"):
        write_table(tmp_path / name, {key: ["1"] for key in kind.columns}, kind)
        assert kind_of(tmp_path / name) is kind


def test_its_provenance_comes_first(tmp_path):
    path = tmp_path / "x.csv"
    write_table(path, {key: ["1"] for key in GRADES.columns})
    write_provenance(path, {"command": "grade", "table": "students"})
    assert kind_of(path) is STUDENTS
    write_provenance(path, {"command": "assign"})
    assert kind_of(path) is HANDOUT


def test_what_is_no_table_has_no_kind(file):
    assert kind_of(file("<html>grader,paper", "x.html")) is None
    assert kind_of(file("", "x.csv")) is None
    assert kind_of(file("name,colour\na,b\n", "y.csv")) is None


@pytest.mark.parametrize("kind", [GRADERS, ANCHORS, HANDOUT, FORM])
def test_a_file_of_another_kind_is_never_replaced(tmp_path, kind):
    path = tmp_path / "x.csv"
    write_table(path, {key: ["1"] for key in GRADES.columns})
    with pytest.raises(InputError, match=r"^--some .*x\.csv would overwrite grades; choose another name$"):
        check_output(path, "--some", kind)
    check_output(path, "--some", GRADES)


def test_columns_that_fit_two_kinds_fit_the_expected_one(file):
    path = file("paper,code,grader\np,c,g\n", "codes.csv")
    check_output(path, "--codes", CODES)
    check_output(path, "--out", HANDOUT)


@pytest.mark.parametrize("name", ["x.pdf", "g.xls", "grades", "x.html", "x.ods"])
def test_names_that_end_in_something_else_are_refused(tmp_path, name):
    with pytest.raises(InputError, match=r"^--out .*: give it a name that ends in \.csv, .* or \.pq$"):
        check_output(tmp_path / name, "--out", GRADES)
    assert list(tmp_path.iterdir()) == []
