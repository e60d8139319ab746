import pytest

from peerorder.files import FileError
from peerorder.files.formats.writing import write_provenance
from peerorder.files.tables.folders import files_in, passed_over, whole_folders


def test_a_folder_stands_for_the_tables_in_it(tmp_path):
    forms = tmp_path / "forms"
    (forms / "old").mkdir(parents=True)
    for name in ("b.csv", "A.XLSX", "old/c.csv", "~$A.xlsx", ".d.csv", "readme.txt", "b.csv.provenance.json"):
        (forms / name).write_text("")
    (forms / "folder.csv").mkdir()
    alone = tmp_path / "more.csv"
    assert files_in([forms, alone]) == (forms / "A.XLSX", forms / "b.csv", alone)
    [note] = passed_over([forms, alone])
    assert note.startswith(f"{forms}: not read: folder.csv/, old/, readme.txt; ")
    (forms / "old" / "empty").mkdir()
    with pytest.raises(FileError, match=r"old/empty: this folder contains no table; put CSV or XLSX files into it"):
        files_in([forms / "old" / "empty"])


def test_what_commands_wrote_into_a_folder_is_not_read_as_rankings(tmp_path):
    """A hand-out may have been filled in."""
    for name, command in (("grades.csv", "grade"), ("report.html", "grade"), ("form.csv", None), ("h.csv", "assign")):
        (tmp_path / name).write_text("")
        if command:
            write_provenance(tmp_path / name, {"command": command})
    assert files_in([tmp_path]) == (tmp_path / "form.csv", tmp_path / "h.csv")
    [note] = passed_over([tmp_path])
    assert note.startswith(f"{tmp_path}: not read: grades.csv (which grade wrote); ")


def test_a_folder_without_tables_says_what_is_in_it(tmp_path):
    (tmp_path / "form.numbers").write_text("")
    with pytest.raises(FileError, match=r"this folder contains no table, only form\.numbers; put CSV"):
        files_in([tmp_path])


def test_what_a_spreadsheet_keeps_beside_an_open_file_is_passed_over(tmp_path):
    """As a shell names it by returned/*."""
    paths = [tmp_path / name for name in ("form.xlsx", "~$form.xlsx")]
    assert files_in(paths) == (paths[0],)


def test_files_become_their_folder_where_these_are_all_tables_of_it(tmp_path):
    for name in ("all/a.csv", "all/b.xlsx", "all/readme.txt", "some/a.csv", "some/b.csv", "some/c.csv", "one/a.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    named = [tmp_path / name for name in ("all/a.csv", "some/a.csv", "all/b.xlsx", "some/c.csv", "one/a.csv")]
    some = [tmp_path / "some" / "a.csv", tmp_path / "some" / "c.csv"]
    assert whole_folders(named) == [tmp_path / "all", *some, tmp_path / "one" / "a.csv"]
    # What is written into the folder later would be read as rankings.
    assert tmp_path / "all" not in whole_folders(named, [tmp_path / "all" / "grades.csv"])
