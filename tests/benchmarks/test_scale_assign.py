"""The independent reader of a large hand-out finds what is wrong with one."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.scale import assign

N, K = 400, assign.K
IDS = np.random.default_rng(1).permutation(N) + assign.FIRST_ID


@pytest.mark.slow
def test_a_hand_out_of_ours_passes(tmp_path):
    found = assign.measure(N, tmp_path)
    assert (found.pop("students"), found.pop("k")) == (N, K)
    assert found.pop("seconds") > 0
    assert found.pop("processor_seconds") > 0
    found.pop("megabytes")
    found.pop("file_megabytes")
    assert set(found.values()) == {True}


def circle(n):
    return np.repeat(np.arange(n), K), ((np.arange(n)[:, None] + np.arange(1, K + 1)) % n).ravel()


def own(n):
    grader, paper = circle(n)
    return grader, (paper - 1) % n


def apart(n):
    grader, paper = circle(n // 2)
    return np.concatenate([grader, grader + n // 2]), np.concatenate([paper, paper + n // 2])


def one_too_often(n):
    grader, paper = circle(n)
    paper[100] = (paper[100] + K) % n
    return grader, paper


def mixed(n):
    grader, paper = circle(n)
    order = np.roll(np.arange(n * K), 1)
    return grader[order], paper[order]


def short(n):
    return tuple(side[:-1] for side in circle(n))


@pytest.mark.parametrize(
    ("rows", "broken"),
    [
        (circle, []),
        (own, ["nobody their own"]),
        (apart, ["one component"]),
        (one_too_often, ["k graders per paper"]),
        (mixed, ["k rows per grader", "k different papers each"]),
        (short, ["k rows per grader"]),
    ],
)
def test_what_is_wrong_is_found(tmp_path, rows, broken):
    table = {name: IDS[side].astype(str).tolist() for name, side in zip(("grader", "paper"), rows(N), strict=True)}
    pq.write_table(pa.table(table), tmp_path / "h.parquet", row_group_size=999)
    found = assign.check(tmp_path / "h.parquet", IDS)
    assert [name for name, good in found.items() if not good] == broken
