"""Files as people send them, and what the readers say of them."""

import pytest

from peerorder.files import FileError


@pytest.fixture
def file(tmp_path):
    """Writes a file of this content, text or bytes, and gives its path."""

    def write(content, name="file.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def workbook(tmp_path):
    """Writes a workbook of rows of Python values and gives its path; ``edit`` may do more to the sheet."""
    import xlsxwriter

    def write(rows, edit=None, name="file.xlsx"):
        path = tmp_path / name
        with xlsxwriter.Workbook(path, {"default_date_format": "d-mmm"}) as book:
            sheet = book.add_worksheet()
            for at, row in enumerate(rows):
                for column, value in enumerate(row):
                    if value is not None:
                        sheet.write(at, column, value)
            if edit is not None:
                edit(book, sheet)
        return path

    return write


@pytest.fixture
def complaints():
    """Runs a reader that must refuse a file; gives row, column and cause of each of its problems."""

    def run(read, *arguments, **options):
        with pytest.raises(FileError) as caught:
            read(*arguments, **options)
        for problem in caught.value.problems:
            line = str(problem)
            assert "\n" not in line
            assert line.startswith(f"{problem.path}")
            assert problem.cause
            assert problem.cure
        return [(problem.row, problem.column, problem.cause) for problem in caught.value.problems]

    return run
