"""Hand-outs in Parquet: written in blocks, read back, and complete or not there."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

from peerorder.core import InputError
from peerorder.files.formats import blocks
from tests.full_disk import largest_file

N, K = 160, 8
LARGE = "student\n" + "".join(f"s{x}\n" for x in range(N))


@pytest.fixture
def large(folder):
    (folder / "roster.csv").write_text(LARGE)
    return folder


def assign(peerorder, out, *more):
    result = peerorder("assign", "roster.csv", "-k", K, "--seed", N + K, "--out", out, *more)
    assert result.code == 0, result
    return result


@pytest.mark.parametrize("codes", [["--no-codes"], []])
@pytest.mark.parametrize("rows", [1, K, 99, N * K, N * K + 1])
def test_blocks_of_any_size_hold_the_rows_of_the_csv_file(large, peerorder, monkeypatch, codes, rows):
    assign(peerorder, "handout.csv", *codes)
    monkeypatch.setattr(blocks, "BLOCK_ROWS", rows)
    assign(peerorder, "handout.parquet", *codes)
    assert pq.read_table("handout.parquet").equals(arrow_csv.read_csv("handout.csv"))
    assert pq.read_metadata("handout.parquet").num_row_groups == -(-N * K // rows)


@pytest.mark.parametrize(
    ("codes", "digest"),
    [
        (["--no-codes"], "510f552bb80b5c51358a730ba38d9bdd275ad394a4b97ac3929e7a3b4d8e7ff8"),
        ([], "42a6a99c132193412aaa45f8229b5e3ddd201b15b6beeca56d2e4faa6394c2a7"),
    ],
)
def test_the_same_seed_gives_the_hand_out_of_earlier_versions(large, peerorder, codes, digest):
    assign(peerorder, "h.csv", *codes)
    assert hashlib.sha256((large / "h.csv").read_bytes()).hexdigest() == digest


def test_ids_may_be_numbers(folder, peerorder):
    ids = np.random.default_rng(0).permutation(N) + 10**10
    pq.write_table(pa.table({"student": ids}), "roster.parquet")
    assert peerorder("assign", "roster.parquet", "-k", K, "--no-codes", "--out", "handout.parquet").code == 0
    table = {name: np.array(pq.read_table("handout.parquet")[name].to_pylist(), int) for name in ("grader", "paper")}
    assert table["grader"].tolist() == np.repeat(ids, K).tolist()
    assert sorted(table["paper"].tolist()) == sorted(np.repeat(ids, K).tolist())


@pytest.mark.parametrize("size", [100, 3000])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_full_disk_is_one_line_and_nothing_is_written(large, peerorder, refused, suffix, size):
    # Kernels are compiled, and kept on the disk, before it is full.
    assign(peerorder, f"first.{suffix}", "--no-codes")
    before = {path: path.read_bytes() for path in large.iterdir()}
    with largest_file(size):
        problem = refused("assign", "roster.csv", "-k", K, "--out", f"handout.{suffix}")
        refused("assign", "roster.csv", "-k", K, "--force", "--out", f"first.{suffix}")
    assert str(large) in problem
    assert {path: path.read_bytes() for path in large.iterdir()} == before


@pytest.mark.parametrize(
    "change", [lambda batch: batch.slice(1), lambda batch: batch.set_column(1, "paper", batch["paper"][::-1])]
)
def test_a_hand_out_that_reads_back_differently_is_not_there(large, refused, monkeypatch, change):
    real = blocks.fill_blocks

    def broken(path, schema, batches):
        real(path, schema, map(change, batches))

    monkeypatch.setattr(blocks, "fill_blocks", broken)
    assert "handout.parquet" in refused("assign", "roster.csv", "-k", K, "--out", "handout.parquet")
    assert [path.name for path in large.iterdir()] == ["roster.csv"]


def test_codes_that_cannot_be_written_leave_no_hand_out(large, refused, monkeypatch):
    from peerorder.files.outgoing import handouts

    real = handouts.replaced

    def full(path):
        if path.name == "codes.csv":
            raise InputError("no room")
        return real(path)

    monkeypatch.setattr(handouts, "replaced", full)
    refused("assign", "roster.csv", "-k", K, "--out", "handout.parquet")
    assert [path.name for path in large.iterdir()] == ["roster.csv"]
