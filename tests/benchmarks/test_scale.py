"""The benchmarks of large rounds grade what they say, compare equals, and tell what went wrong."""

import sys
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

import benchmarks.scale
from benchmarks.scale import courses, data, grade, groups, reproduce, rules
from benchmarks.scale.processes import Finished, Limits, ProcessFailed, run, run_in_turn
from benchmarks.scale.reductions import FLOOR, OURS, REDUCTIONS, checksum
from peerorder import RULES

N, K = 2000, data.K
PYTHON = [sys.executable, "-c"]


def finished(seconds, **figures):
    return Finished(
        **{"processor": seconds, "output": "", "exit_code": 0, "megabytes": None, "largest": None} | figures,
        seconds=seconds,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("scale")
    data.write(N, place / f"rankings-{N}", text=False)
    return place


@pytest.fixture(scope="module")
def source(folder):
    return folder / f"rankings-{N}"


@pytest.fixture(scope="module")
def columns(source):
    return [column.to_numpy().reshape(N, K) for column in pq.read_table(source).columns]


@pytest.fixture(scope="module")
def expected(columns):
    _, paper, rank = columns
    wins = np.bincount(paper.ravel(), (K - rank).ravel(), N)
    return checksum(np.arange(N), 2 * wins, (K - 1) * np.bincount(paper.ravel(), minlength=N))


# The data.


def test_every_grader_ranks_k_papers_of_others_in_adjacent_rows(columns):
    grader, paper, rank = columns
    assert (grader == np.arange(N)[:, None]).all()
    assert (paper != grader).all()
    assert (np.diff(np.sort(paper, axis=1), axis=1) > 0).all()
    assert (np.bincount(paper.ravel(), minlength=N) == K).all()
    assert (np.sort(rank, axis=1) == np.arange(1, K + 1)).all()
    assert (np.diff(rank, axis=1) > 0).mean() < 0.6  # not in the order of their ranks


def test_text_ids_say_the_same(tmp_path, source):
    data.write(N, tmp_path, text=True)
    numbers, texts = pq.read_table(source), pq.read_table(tmp_path)
    for name in ("grader", "paper"):
        assert texts[name].to_pylist() == [f"s{each:07}" for each in numbers[name].to_pylist()]
    assert texts["rank"].equals(numbers["rank"])


@pytest.mark.slow
def test_data_are_made_once_and_kept_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv(data.KEPT, str(tmp_path / "kept"))
    with data.data_folder() as place:
        first = data.rankings(200, place)
        before = (first / "part-000.parquet").stat()
    with data.data_folder() as place:
        assert data.rankings(200, place) == first
    assert (first / "part-000.parquet").stat() == before
    assert len([*first.iterdir()]) == data.FILES


# The same sums by everybody.


@pytest.mark.parametrize(
    "name", [name for name, each in REDUCTIONS.items() if name != OURS and find_spec(each.package)]
)
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's, of pandas
def test_everybody_finds_the_same_sums(name, source, expected, monkeypatch):
    monkeypatch.setenv("POLARS_MAX_THREADS", "2")
    if name == FLOOR:
        expected = {**expected, "comparisons": None}
    assert checksum(*REDUCTIONS[name].compute(source, N)) == expected


@pytest.mark.slow
def test_ours_finds_the_same_sums_in_a_process_of_its_own(source, expected):
    assert grade._check(grade.reduction_command(OURS, source, N)) == expected


def test_a_checksum_depends_on_the_sums_and_not_on_the_order():
    papers, wins, pairs = np.arange(9), np.arange(9) * 3, np.full(9, 56)
    turned = np.random.default_rng(0).permutation(9)
    assert checksum(papers, wins, pairs) == checksum(papers[turned], wins[turned].astype(float), pairs[turned])
    assert checksum(papers, wins, pairs) != checksum(papers, wins[::-1], pairs)
    assert checksum(papers, wins, pairs) != checksum(papers, wins, pairs[:, None] + np.eye(9, dtype=int)[0])


# Processes.


def test_a_process_that_takes_too_long_is_ended():
    program = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"
    with pytest.raises(ProcessFailed, match="ran out of time") as raised:
        run([*PYTHON, program], limits=Limits(0.3, 8000))
    assert raised.value.stopped == 0.3


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of another process is read from /proc")
def test_memory_is_that_of_all_processes_together():
    child = "import time; x = bytearray(10**8); time.sleep(0.5)"
    program = f"import subprocess, sys; x = bytearray(5 * 10**7); subprocess.run([sys.executable, '-c', {child!r}])"
    found = run([*PYTHON, program], watch=0.02)
    assert 150 < found.megabytes < 200
    assert 100 < found.largest < 150
    with pytest.raises(ProcessFailed, match="ran out of memory") as raised:
        run([*PYTHON, program], limits=Limits(60, 50))
    assert raised.value.stopped is None


def test_another_exit_code_is_told_with_the_last_error():
    with pytest.raises(ProcessFailed, match="exit code 7: no such luck"):
        run([*PYTHON, "import sys; print('no such luck', file=sys.stderr); sys.exit(7)"])
    assert run([*PYTHON, "import sys; print('well'); sys.exit(3)"], exit_code=3).output == "well\n"


def test_commands_run_in_turn():
    found = run_in_turn({"one": [*PYTHON, ""], "two": [*PYTHON, "print(2)"]}, 2)
    assert [each.output for each in found["one"]] == ["", ""]
    assert [each.output for each in found["two"]] == ["2\n", "2\n"]


# What the lines say.


@pytest.mark.slow
def test_what_grade_writes_agrees_with_the_floor(source, expected):
    run(grade.grade_command(source, "local"))
    assert grade._graded_wins(grade._grades(source, "local")) == expected["wins"]


def test_grade_is_held_to_the_floor(monkeypatch, source):
    watched = finished(9, megabytes=2500.0, largest=1.0)
    monkeypatch.setattr(grade, "run", lambda command, **_: watched)
    monkeypatch.setattr(grade, "_check", lambda command: {"wins": 5})
    monkeypatch.setattr(grade, "_graded_wins", lambda path: 5)
    seconds = {"local": 6.0, "dask": 9.0, FLOOR: 2.0}
    monkeypatch.setattr(
        grade, "run_in_turn", lambda commands, rounds: {name: [finished(seconds[name])] for name in commands}
    )
    clock, _, memory, dask, _, _ = grade._beside_the_floor(source, N, "", 1)
    assert (clock.ratio, clock.met, memory.ours.value, memory.met) == (3.0, True, 2500.0, True)
    assert (dask.ratio, dask.met) == (4.5, False)
    monkeypatch.setattr(grade, "_graded_wins", lambda path: 6)
    with pytest.raises(ValueError, match="other wins"):
        next(grade._beside_the_floor(source, N, "", 1))


def test_others_that_break_a_limit_are_told_and_those_that_are_wrong_stop_everything(monkeypatch, source):
    def check(command, limits=None):
        if "duckdb" in command:
            raise ProcessFailed("ran out of time: stopped after 600 s", 600)
        if "polars" in command:
            raise ProcessFailed("ran out of memory: stopped at 12,000 MB")
        return {"wins": 5}

    ran = []
    monkeypatch.setattr(grade, "_check", check)
    monkeypatch.setattr(
        grade,
        "run_in_turn",
        lambda commands, rounds: ran.extend(commands) or {name: [finished(2.0)] for name in commands},
    )
    duckdb, polars, dask, *known = grade._beside_others(source, N, "", 1)
    assert (duckdb.ratio, duckdb.met) == (2 / 600, True)
    assert (polars.met, "ran out of memory" in polars.left_out) == (None, True)
    assert (dask.ratio, dask.met) == (1.0, True)
    assert [line.met for line in known] == [None] * 3
    assert ran == [OURS, "dask", "duckdb_known", "polars_known", "dask_known"]
    monkeypatch.setattr(grade, "_check", lambda command, limits=None: {"wins": len(command[3])})
    with pytest.raises(ValueError, match="other wins"):
        next(grade._beside_others(source, N, "", 1))


def test_text_ids_are_reported_without_a_target_and_so_is_what_went_wrong(monkeypatch, source):
    monkeypatch.setattr(grade, "run", lambda command, watch: finished(70.0, megabytes=5000.0, largest=1.0))
    clock, memory = grade._text_ids(source, "")
    assert (clock.ours.value, clock.met, memory.ours.value, memory.met) == (70.0, None, 5000.0, None)

    def fails(command, watch):
        raise ProcessFailed("ended with exit code 1: no such luck")

    monkeypatch.setattr(grade, "run", fails)
    (line,) = grade._text_ids(source, "")
    assert (line.met, line.left_out) == (None, "ended with exit code 1: no such luck")


def test_rules_that_merge_no_partitions_are_left_out(monkeypatch, folder):
    monkeypatch.setattr(rules, "RULES", {name: each for name, each in RULES.items() if name == "rsd"})
    for name in ("rsd", "no-such-rule"):
        for line in (*rules._agreement(name, N, folder), *rules._to_the_end(name, N, folder)):
            assert (line.met, bool(line.left_out)) == (None, True)
    assert rules._in_memory(N, 1).left_out


@pytest.mark.slow
def test_a_rule_over_partitions_agrees_with_itself_in_memory(folder):
    for line in rules._agreement("borda", N, folder):
        assert line.met
    found = rules.seconds(200, ["borda", "rsd"], 2)
    assert {name: len(times) for name, times in found.items()} == {"borda": 2, "rsd": 2}


def test_tables_with_different_bytes_are_counted(monkeypatch, tmp_path):
    def write(command, text="1"):
        out = command[command.index("--out") + 1]
        out.mkdir(exist_ok=True)
        for name in ("table1.csv", "figure2.csv"):
            (out / name).write_text(text if name == "table1.csv" else "1")

    def run_in_turn(commands, repeat):
        for command in commands.values():
            write(command)
        return {"local": [finished(10.0)], "dask": [finished(12.0)]}

    monkeypatch.setattr(reproduce, "run_in_turn", run_in_turn)
    for text, different in (("1", 0), ("2", 1)):
        monkeypatch.setattr(reproduce, "run", lambda command, text=text: write(command, text))
        clock, tables = reproduce.lines(1, tmp_path)
        assert (clock.ratio, clock.met) == (1.2, True)
        assert (tables.ours.value, tables.met) == (different, not different)


def test_broken_guarantees_of_a_handout_are_counted(monkeypatch, tmp_path):
    found = {"students": 10, "k": 8, "seconds": 1.5, "megabytes": 3500.0, "one component": False, "nobody": True}
    monkeypatch.setattr(benchmarks.scale, "assign", SimpleNamespace(measure=lambda n, folder: found), raising=False)
    clock, memory, broken = groups.assigned(10, tmp_path)
    assert (clock.ours.value, clock.met) == (1.5, None)
    assert not memory.met
    assert (broken.ours.value, broken.ours.name, broken.met) == (1, "one component", False)


@pytest.mark.slow
def test_the_broken_course_alone_is_not_graded():
    clock, _, otherwise = courses.lines({"borda": 3})
    assert clock.ours.value > 0
    assert otherwise.met
