"""Rounds on a real Dask cluster: the bytes of this machine, whatever happens to workers."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from peerorder.cli import run
from peerorder.core.errors import InputError
from peerorder.engines import open_engine
from peerorder.files.streaming import sources
from peerorder.files.streaming.rankings import stream_rankings
from peerorder.rounds.settings import GradeSettings
from peerorder.rounds.streamed import grade_streamed

pytestmark = pytest.mark.slow


@pytest.fixture
def rankings(tmp_path, monkeypatch):
    """Rankings of 200 students in two files, in partitions of a few hundred rows."""
    monkeypatch.setattr(sources, "PARTITION", 300 * sources.BYTES_A_ROW)
    rng = np.random.default_rng(5)
    quality = rng.permutation(200)
    others = [rng.choice(np.setdiff1d(np.arange(200), [grader]), 6, replace=False) for grader in range(200)]
    rank = [np.argsort(np.argsort(quality[papers] + rng.normal(0, 40, 6))) + 1 for papers in others]
    table = pa.table(
        {"grader": np.repeat(np.arange(200), 6), "paper": np.concatenate(others), "rank": np.concatenate(rank)}
    )
    (folder := tmp_path / "rankings").mkdir()
    for part in range(2):
        pq.write_table(table.slice(600 * part, 600), folder / f"{part}.parquet", row_group_size=150)
    return sorted(folder.iterdir())


def graded(engine, rankings, tmp_path, rule, progress=lambda done, total: None):
    with stream_rankings(engine, rankings, tmp_path, progress) as streamed:
        result = grade_streamed(streamed, GradeSettings(rule=rule))
        assert len(streamed.partitions) > 2
        return result.grades()["paper"].to_pylist(), result.outcome.scores.tobytes()


def test_a_round_loses_a_worker_and_gains_one(rankings, tmp_path, dask_cluster):
    with open_engine(workers=1) as engine:
        expected = graded(engine, rankings, tmp_path, "plackett-luce")
    calls = []

    def disturb(done, total):
        calls.append(done)
        if total is None and done == 3:
            dask_cluster.kill(dask_cluster.workers[0])
        if total is None and done == 8:
            dask_cluster.start_worker()

    with open_engine("dask", scheduler=dask_cluster.address) as engine:
        assert graded(engine, rankings, tmp_path, "plackett-luce", disturb) == expected
    assert len(dask_cluster.workers) == 2
    assert len(calls) > 8
    assert [path.name for path in tmp_path.iterdir()] == ["rankings"]


def test_grades_from_the_command_line_are_the_same_bytes(rankings, tmp_path, dask_cluster, monkeypatch, capsys):
    # Workers have other folders of their own, so relative names must reach them whole.
    monkeypatch.chdir(tmp_path)
    for rule in ("borda", "posterior"):
        for name, options in (
            ("here", ["local", "--workers", "1"]),
            ("there", ["dask", "--scheduler", dask_cluster.address]),
        ):
            line = ["grade", "rankings", "--rule", rule, "--out", f"{name}-{rule}.csv", "--engine", *options]
            assert run(line) == 0, capsys.readouterr().err
        assert (tmp_path / f"here-{rule}.csv").read_bytes() == (tmp_path / f"there-{rule}.csv").read_bytes()


def test_courses_are_graded_on_the_cluster(rankings, tmp_path, dask_cluster, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for course in ("a", "b"):
        (tmp_path / "courses" / course).mkdir(parents=True)
        pq.write_table(pq.read_table(rankings[0]), tmp_path / "courses" / course / "rankings.parquet")
    line = ["grade", "courses", "--by-course", "--rule", "borda", "--engine", "dask", "--scheduler"]
    assert run([*line, dask_cluster.address]) == 0, capsys.readouterr().err
    assert (tmp_path / "grades/a/grades.csv").read_bytes() == (tmp_path / "grades/b/grades.csv").read_bytes()


def test_a_partition_that_does_not_fit_into_a_worker_is_refused(rankings, tmp_path, dask_cluster):
    with open_engine("dask", scheduler=dask_cluster.address) as engine:
        engine.memory_limit = 1000
        with pytest.raises(InputError, match="memory"), stream_rankings(engine, rankings, tmp_path):
            pass
