import json

import pytest

from peerorder.core.errors import InputError
from peerorder.files import write_provenance, write_rows
from peerorder.reports.directory import write_page
from peerorder.reports.reproduction import page
from peerorder.studies import exact_law
from peerorder.studies.figure_style import svg
from peerorder.studies.figures import figure2


def put(directory, name, rows, **provenance):
    path = directory / f"{name}.csv"
    write_rows(path, list(rows[0]), rows)
    if provenance:
        write_provenance(path, provenance)


def test_the_page_is_made_of_what_is_in_the_directory(tables, tmp_path):
    rows = [row for row in tables["figure2"] if row["k"] <= 5]
    law = exact_law(rows)
    put(tmp_path, "figure2", rows, seed=3, version="1.0")
    put(tmp_path, "table1", tables["table1"], seed=3, version="1.0")
    figure = figure2(rows, law)
    (tmp_path / "figure2.svg").write_text(svg(figure), encoding="utf-8")
    path = write_page(tmp_path)
    assert path == tmp_path / "index.html"
    facts = {
        "seed": "3",
        "version": "1.0",
        "table1": {"seed": 3, "version": "1.0"},
        "figure2": {"seed": 3, "version": "1.0"},
    }
    shown = {"table1": tables["table1"], "figure2": rows}
    assert path.read_text(encoding="utf-8") == page(shown, {"figure2": svg(figure)}, facts, law)


def test_seeds_that_differ_are_all_named(tables, tmp_path):
    put(tmp_path, "table1", tables["table1"], seed=3)
    put(tmp_path, "table2", tables["table2"], seed=4)
    assert "<dd>3, 4</dd>" in write_page(tmp_path).read_text(encoding="utf-8")


def test_a_csv_without_provenance_is_shown_without(tables, tmp_path):
    put(tmp_path, "table1", tables["table1"])
    text = write_page(tmp_path).read_text(encoding="utf-8")
    assert "Table 1: perfect grading" in text
    assert "Where these numbers come from" not in text


def test_a_directory_without_studies_is_an_error_that_says_what_to_run(tmp_path):
    with pytest.raises(InputError, match=r"table1\.csv.*peerorder reproduce --out"):
        write_page(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["{", json.dumps([1])])
def test_broken_provenance_is_an_error_that_names_the_file(tables, tmp_path, text):
    put(tmp_path, "table1", tables["table1"])
    (tmp_path / "table1.csv.provenance.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"table1\.csv\.provenance\.json"):
        write_page(tmp_path)
