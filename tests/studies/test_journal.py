import json

import pytest

from peerorder.core.errors import InputError
from peerorder.studies.journal import Journal, code_digest


def test_results_are_on_disk_at_once_and_come_back(tmp_path):
    journal = Journal(tmp_path, {"seed": 0})
    journal.add("a/0", {"borda": 1 / 3})
    # Not closed: this is what is left when the process is killed now.
    again = Journal(tmp_path, {"seed": 0})
    assert again.get("a/0") == {"borda": 1 / 3}
    assert again.get("a/1") is None
    assert len(again) == 1
    journal.close()
    again.close()


def test_another_seed_or_other_code_has_a_journal_of_its_own(tmp_path, monkeypatch):
    first = Journal(tmp_path, {"seed": 0})
    first.add("a/0", {"borda": 1.0})
    first.close()
    monkeypatch.setattr("peerorder.studies.journal.code_digest", lambda: "other code")
    other = Journal(tmp_path, {"seed": 0})
    assert len(other) == 0
    other.close()
    monkeypatch.undo()
    reseeded = Journal(tmp_path, {"seed": 1})
    assert len(reseeded) == 0
    reseeded.discard()
    again = Journal(tmp_path, {"seed": 0})
    assert len(again) == 1
    again.close()


@pytest.mark.parametrize("tail", ['["a/1", {"bor', "[1, 2, 3]\n", "\x00\xff", "17\n"])
def test_a_last_line_that_was_cut_off_costs_that_run_alone(tmp_path, tail):
    journal = Journal(tmp_path, {"seed": 0})
    journal.add("a/0", {"borda": 1.0})
    journal.close()
    with journal.path.open("a") as stream:
        stream.write(tail)
    again = Journal(tmp_path, {"seed": 0})
    assert again.get("a/0") == {"borda": 1.0}
    again.add("a/1", {"borda": 2.0})
    again.close()
    lines = again.path.read_text().splitlines()
    assert [json.loads(line)[0] for line in lines[1:]] == ["a/0", "a/1"]


def test_an_empty_file_is_an_empty_journal(tmp_path):
    journal = Journal(tmp_path, {})
    journal.close()
    journal.path.write_text("")
    again = Journal(tmp_path, {})
    assert len(again) == 0
    again.close()


def test_a_discarded_journal_is_gone(tmp_path):
    journal = Journal(tmp_path, {})
    journal.add("a/0", {"borda": 1.0})
    journal.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_journal_that_cannot_be_written_is_bad_input(tmp_path):
    journal = Journal(tmp_path, {})
    journal.discard()
    journal.path.mkdir()
    with pytest.raises(InputError, match="choose another `out`"):
        Journal(tmp_path, {})


def test_the_code_digest_is_stable_within_a_process():
    assert code_digest() == code_digest()
    assert len(code_digest()) == 24
