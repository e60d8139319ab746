import json

import pytest

from peerorder.core.errors import InputError
from peerorder.engines import SameProcess
from peerorder.studies import Cell, Shard, Study, run_kept, run_shard, run_studies

CELLS = (
    Cell("random", 30, 3, "perfect", ("borda", "rsd")),
    Cell("random", 30, 4, "condorcet:level=40", ("borda",)),
)


def a_study(cells=CELLS, runs=3):
    return Study("test", "a small one", cells, runs, (), lambda results: [])


def in_shards(folder, count, *, only=(), **settings):
    for number in only or range(1, count + 1):
        run_shard({"mine": a_study()}, folder, Shard(number, count), engine=SameProcess(), **settings)


def merge(folder, study=None, **settings):
    return run_kept({"mine": study or a_study()}, folder, merge_shards=True, engine=SameProcess(), **settings)


def test_shards_are_written_as_a_number_and_a_count():
    assert Shard.parse("3/40") == Shard.parse(" 3 / 40 ") == Shard(3, 40)
    assert str(Shard(3, 40)) == "3/40"


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "-1/4", "1/0", "a/b", "1/4/2", "1.5/4"])
def test_anything_else_is_bad_input(text):
    with pytest.raises(InputError, match="3/40"):
        Shard.parse(text)


@pytest.mark.parametrize("count", [1, 3, 4, 7])
def test_every_run_is_in_one_shard_and_neighbours_are_in_different_ones(count):
    shares = [range(20)[Shard(number, count).part] for number in range(1, count + 1)]
    assert sorted(run for share in shares for run in share) == [*range(20)]
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    assert all(b - a == count for share in shares for a, b in zip(share, share[1:], strict=False))


@pytest.mark.parametrize("count", [1, 4, 9])
def test_merged_shards_are_one_run_and_leave_nothing_behind(tmp_path, count):
    in_shards(tmp_path, count)
    assert {path.name for path in tmp_path.iterdir()} == {
        f"mine-shard-{number}-of-{count}.jsonl" for number in range(1, count + 1)
    }
    results, discard = merge(tmp_path)
    assert results == run_studies([a_study()], workers=1)
    discard()
    assert list(tmp_path.iterdir()) == []


def test_a_shard_continues_where_it_was_stopped(tmp_path):
    in_shards(tmp_path, 2)
    file = tmp_path / "mine-shard-1-of-2.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:-1]))
    with pytest.raises(InputError, match=r"shard 1/2 of mine .*not finished"):
        merge(tmp_path)
    progress = []
    in_shards(tmp_path, 2, only=[1], progress=lambda *now: progress.append(now))
    assert progress == [(2, 3), (3, 3)]
    assert merge(tmp_path)[0] == run_studies([a_study()], workers=1)


def test_missing_shards_are_named_and_nothing_is_written(tmp_path):
    with pytest.raises(InputError, match="no shards of mine"):
        merge(tmp_path)
    in_shards(tmp_path, 4, only=[1, 3])
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=r"shards 2/4, 4/4 of mine"):
        merge(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_shards_of_two_divisions_are_refused(tmp_path):
    in_shards(tmp_path, 2)
    in_shards(tmp_path, 3, only=[1])
    with pytest.raises(InputError, match="in 2 and in 3 parts"):
        merge(tmp_path)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"seed": 1}, "seed is 0"),
        ({"runs": 4}, "runs is 3"),
        ({"study": a_study(CELLS[:1])}, "cells"),
        ({"study": a_study((Cell("random", 30, 3, "perfect", ("borda",)), CELLS[1]))}, "cells"),
    ],
)
def test_shards_of_other_settings_are_refused(tmp_path, settings, named):
    in_shards(tmp_path, 2)
    with pytest.raises(InputError, match=named):
        merge(tmp_path, **settings)


@pytest.mark.parametrize("setting", ["version", "code"])
def test_shards_of_other_code_are_refused(tmp_path, setting):
    in_shards(tmp_path, 2)
    file = tmp_path / "mine-shard-2-of-2.jsonl"
    head, *rest = file.read_text().splitlines()
    file.write_text("\n".join([json.dumps({**json.loads(head), setting: "other"}), *rest]) + "\n")
    with pytest.raises(InputError, match=f"mine-shard-2-of-2.*{setting} is other"):
        merge(tmp_path)


@pytest.mark.parametrize("text", ["", "mine\n", "[1, 2]\n"])
def test_a_file_that_is_no_journal_is_refused(tmp_path, text):
    in_shards(tmp_path, 2)
    (tmp_path / "mine-shard-2-of-2.jsonl").write_text(text)
    with pytest.raises(InputError, match="mine-shard-2-of-2"):
        merge(tmp_path)


def test_a_shard_does_not_replace_one_of_other_settings(tmp_path):
    in_shards(tmp_path, 2)
    before = (tmp_path / "mine-shard-1-of-2.jsonl").read_text()
    with pytest.raises(InputError, match="other settings"):
        in_shards(tmp_path, 2, seed=1)
    assert (tmp_path / "mine-shard-1-of-2.jsonl").read_text() == before
