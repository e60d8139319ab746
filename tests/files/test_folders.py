import pytest

from peerorder.files import FileError
from peerorder.files.folders import files_in


def test_a_folder_stands_for_the_tables_in_it(tmp_path):
    forms = tmp_path / "forms"
    (forms / "old").mkdir(parents=True)
    for name in ("b.csv", "A.XLSX", "old/c.csv", "~$A.xlsx", ".d.csv", "readme.txt", "b.csv.provenance.json"):
        (forms / name).write_text("")
    (forms / "folder.csv").mkdir()
    alone = tmp_path / "more.csv"
    assert files_in([forms, alone]) == (forms / "A.XLSX", forms / "b.csv", alone)
    (forms / "old" / "empty").mkdir()
    with pytest.raises(FileError, match=r"old/empty: there is no table in this folder; put CSV or XLSX files into it"):
        files_in([forms / "old" / "empty"])
