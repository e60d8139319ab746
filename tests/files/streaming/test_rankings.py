"""Rankings that are streamed say what the same rankings say in memory."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

from peerorder.core.errors import InputError
from peerorder.engines import open_engine
from peerorder.files.rounds import read_round
from peerorder.files.streaming import sources
from peerorder.files.streaming.rankings import stream_rankings
from peerorder.rules.borda import borda_sums


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Batches and partitions of a few rows."""
    monkeypatch.setattr(sources, "BATCH", 7)
    monkeypatch.setattr(sources, "BATCH_OF_TEXT", 18)
    monkeypatch.setattr(sources, "PARTITION", 20 * sources.BYTES_A_ROW)


@pytest.fixture
def engine():
    with open_engine(workers=1) as engine:
        yield engine


def draw_rows(rng, *, graders=30, papers=12, text=False, ties=False, gaps=False, several=False, far=1):
    """Draw rows of a few ballots, in shuffled order within each."""
    rows = []
    for grader in range(graders):
        for ballot in range(1 + (several and rng.integers(3))):
            size = int(rng.integers(1, 6)) if grader % 7 else 11
            others = np.setdiff1d(np.arange(papers), [grader])
            ranked = rng.choice(others, min(size, len(others)), replace=False)
            ranks = rng.integers(1, 4, len(ranked)) if ties else 1 + np.arange(len(ranked))
            ranks = [None if gaps and rng.random() < 0.2 else int(rank) for rank in ranks]
            order = rng.permutation(len(ranked))
            rows += [(grader * far, int(ranked[index]) * far, ranks[index], f"b{ballot}") for index in order]
    columns = dict(zip(("grader", "paper", "rank", "ballot"), map(list, zip(*rows, strict=True)), strict=True))
    if text:
        columns |= {name: [f"id {value}" for value in columns[name]] for name in ("grader", "paper")}
    if not several:
        del columns["ballot"]
    return pa.table(columns)


def write_files(folder, table, cuts, row_group=5):
    """Write rows of whole graders into one file each."""
    grader = table.column("grader").to_pylist()
    begins = [0, *(index for index in range(1, len(grader)) if grader[index] != grader[index - 1]), len(grader)]
    edges = [0, *sorted(begins[int(cut * (len(begins) - 1))] for cut in cuts), len(grader)]
    paths = []
    for number, (begin, end) in enumerate(zip(edges, edges[1:], strict=False)):
        paths.append(folder / f"part-{number}.parquet")
        pq.write_table(table.slice(begin, end - begin), paths[-1], row_group_size=row_group)
    return paths


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "options",
    [{}, {"text": True}, {"ties": True, "gaps": True}, {"several": True}, {"far": 10**12}, {"gaps": True, "far": -3}],
)
def test_the_sums_are_those_of_the_same_rankings_in_memory(seed, options, tmp_path, engine):
    rng = np.random.default_rng(seed)
    table = draw_rows(rng, **options)
    paths = write_files(tmp_path, table, rng.random(2), row_group=int(rng.integers(1, 9)))
    read = read_round(paths)
    expected = dict(zip(read.papers, borda_sums(read.profile).tolist(), strict=True))
    rankings = dict(zip(read.papers, read.profile.rankings.tolist(), strict=True))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with stream_rankings(engine, paths, scratch) as streamed:
        ids = [str(each) for each in streamed.paper_ids(np.arange(streamed.n_papers)).to_pylist()]
        assert dict(zip(ids, streamed.borda_sums.tolist(), strict=True)) == expected
        assert dict(zip(ids, streamed.rankings.tolist(), strict=True)) == rankings
        heard = [row["grader"] for row in table.to_pylist() if row["rank"] is not None]
        assert streamed.n_graders == len(set(heard))
        graders, ballots = streamed.graders()
        assert set(graders.to_pylist()) == set(heard)
        assert ballots.sum() == len(read.profile)
        kept = [batch for partition in streamed.kept for batch in partition.batches()]
        assert len(streamed.kept) > 1
        again = sum(borda_sums(batch) for batch in kept)
        assert dict(zip(ids, again.tolist(), strict=True)) == expected
    assert not list(scratch.iterdir())


def test_csv_files_are_streamed(tmp_path, engine):
    table = draw_rows(np.random.default_rng(1), text=True)
    for number, part in enumerate((table.slice(0, 0), table)):
        arrow_csv.write_csv(part, tmp_path / f"{number}.csv")
    read = read_round(tmp_path / "1.csv")
    with stream_rankings(engine, sorted(tmp_path.glob("*.csv")), tmp_path) as streamed:
        ids = streamed.paper_ids(np.arange(streamed.n_papers)).to_pylist()
        expected = dict(zip(read.papers, borda_sums(read.profile).tolist(), strict=True))
        assert dict(zip(ids, streamed.borda_sums.tolist(), strict=True)) == expected


def rows(*values, **more):
    grader, paper, rank = zip(*values, strict=True)
    return pa.table({"grader": list(grader), "paper": list(paper), "rank": list(rank), **more})


GOOD = rows((1, 2, 1), (1, 3, 2), (2, 1, 1), (2, 3, 2), (3, 1, 1), (3, 2, 2))


@pytest.mark.parametrize(
    ("bad", "row", "column"),
    [
        (rows((4, 1, 1), (4, 4, 2)), 2, "paper"),
        (rows((4, 1, 1), (4, 1, 2)), 2, "paper"),
        (rows((4, 1, 1), (4, 2, 2), (5, 1, 1), (4, 3, 3)), 4, "grader"),
        (rows((4, 1, 1), (4, 2, 2), (1, 3, 1)), 3, "grader"),
        (rows((4, 1, 0), (4, 2, 1)), 1, "rank"),
        (rows((4, 1, 1.5), (4, 2, 1.0)), 1, "rank"),
        (rows((4, 1, 1), (None, 2, 1)), 2, "grader"),
        (rows((4, 1, 1), (4, None, 1)), 2, "paper"),
        (rows((4, 1, 1.0), (4, 2, float("inf"))), 2, "rank"),
        (rows((4, 1, 1), (4, 2, 2**40)), 2, "rank"),
    ],
)
def test_a_bad_row_is_named(bad, row, column, tmp_path, engine):
    pq.write_table(GOOD, tmp_path / "a.parquet")
    pq.write_table(bad, tmp_path / "b.parquet", row_group_size=1)
    with (
        pytest.raises(InputError, match=rf"b\.parquet, row {row}, column {column}: .+; .+"),
        stream_rankings(engine, sorted(tmp_path.glob("*.parquet")), tmp_path),
    ):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"a.parquet", "b.parquet"}


def test_the_rows_of_a_ballot_are_adjacent(tmp_path, engine):
    table = rows((4, 1, 1), (4, 2, 1), (4, 3, 2), ballot=["a", "b", "a"])
    pq.write_table(table, tmp_path / "a.parquet")
    with (
        pytest.raises(InputError, match=r"row 3, column ballot"),
        stream_rankings(engine, [tmp_path / "a.parquet"], tmp_path),
    ):
        pass


@pytest.mark.parametrize("kind", ["cut off", "empty", "other columns", "other ids", "text ranks"])
def test_a_file_that_differs_is_named_before_anything_is_read(kind, tmp_path, engine):
    good, bad = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(GOOD, good)
    pq.write_table(GOOD, bad)
    if kind == "cut off":
        bad.write_bytes(bad.read_bytes()[:-20])
    elif kind == "empty":
        bad.write_bytes(b"")
    elif kind == "other columns":
        pq.write_table(GOOD.drop_columns("rank"), bad)
    elif kind == "other ids":
        pq.write_table(GOOD.set_column(0, "grader", [["a"] * 6]).set_column(1, "paper", [["b"] * 6]), bad)
    else:
        pq.write_table(GOOD.set_column(2, "rank", [["1"] * 6]), bad)
    with pytest.raises(InputError, match=r"b\.parquet") as raised, stream_rankings(engine, [good, bad], tmp_path):
        pass
    assert "\n" not in str(raised.value)


def test_a_file_with_damaged_pages_is_named(tmp_path, engine):
    path = tmp_path / "a.parquet"
    pq.write_table(GOOD, path, compression="zstd")
    data = bytearray(path.read_bytes())
    data[10:60] = bytes(50)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"a\.parquet"), stream_rankings(engine, [path], tmp_path):
        pass


def test_ids_beyond_what_a_file_declares_are_refused(tmp_path, engine):
    path = tmp_path / "a.parquet"
    options = {"compression": "none", "use_dictionary": False}
    table = rows(*((g, p, (p - g) % 9) for g in range(9) for p in range(9) if p != g))
    pq.write_table(table, path, **options)
    data, eight, large = path.read_bytes(), (8).to_bytes(8, "little"), (4_000_000_000).to_bytes(8, "little")
    # Eights one after another are the rows of a grader; the others are in the statistics.
    path.write_bytes(data.replace(8 * eight, 8 * large, 1))
    assert path.read_bytes() != data
    with pytest.raises(InputError, match=r"a\.parquet, row \d+, column"), stream_rankings(engine, [path], tmp_path):
        pass


def test_rankings_that_change_between_passes_are_refused(tmp_path, engine):
    path = tmp_path / "a.parquet"
    pq.write_table(GOOD, path)
    with stream_rankings(engine, [path], tmp_path) as streamed:
        pq.write_table(GOOD.set_column(2, "rank", [[2, 1, 1, 2, 1, 2]]), path)
        with pytest.raises(InputError, match="changed"):
            streamed.kept  # noqa: B018


def test_csv_is_read_as_in_memory(tmp_path, engine):
    lines = ["Grader, Paper ,RANK", "NA,s2 ,1.0", "NA, s3,2", "s2,NA,1", "s2,s3,2", "s3,NA,", "s3,s2,1", "s3,s4,2"]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8-sig")
    read = read_round(path)
    with stream_rankings(engine, [path], tmp_path) as streamed:
        ids = streamed.paper_ids(np.arange(streamed.n_papers)).to_pylist()
        assert dict(zip(ids, streamed.borda_sums.tolist(), strict=True)) == dict(
            zip(read.papers, borda_sums(read.profile).tolist(), strict=True)
        )


def test_a_file_without_rows_does_no_harm(tmp_path, engine):
    for name in "abc":
        table = rows(("x", "y", 1), ("x", "z", 2)) if name == "b" else rows(("x", "y", 1)).slice(0, 0)
        pq.write_table(table, tmp_path / f"{name}.parquet")
    with stream_rankings(engine, sorted(tmp_path.glob("*.parquet")), tmp_path) as streamed:
        assert streamed.n_papers == 2


@pytest.mark.slow
def test_a_bad_row_is_named_by_workers_too(tmp_path):
    pq.write_table(GOOD, tmp_path / "a.parquet", row_group_size=2)
    pq.write_table(rows((4, 1, 1), (4, 4, 2)), tmp_path / "b.parquet")
    with (
        open_engine(workers=2) as engine,
        pytest.raises(InputError, match=r"b\.parquet, row 2, column paper"),
        stream_rankings(engine, sorted(tmp_path.glob("*.parquet")), tmp_path),
    ):
        pass


def test_points_are_not_ranks(tmp_path, engine):
    pq.write_table(rows(*((g, p, 50 + p) for g in range(10) for p in range(10) if p != g)), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="column rank"), stream_rankings(engine, [tmp_path / "a.parquet"], tmp_path):
        pass
