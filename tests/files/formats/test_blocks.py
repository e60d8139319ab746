import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from peerorder.core import InputError
from peerorder.files.formats.blocks import write_blocks
from tests.full_disk import largest_file

SCHEMA = pa.schema({"number": pa.int64()})
SIZE = 10_000


def batches(times=5):
    rng = np.random.default_rng(0)
    for _ in range(times):
        yield pa.record_batch({"number": rng.integers(2**60, size=SIZE)}, SCHEMA)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "numbers.parquet"


def test_every_batch_is_a_row_group_of_one_table(path):
    write_blocks(path, SCHEMA, batches())
    assert pq.read_metadata(path).num_row_groups == 5
    assert pq.read_table(path).equals(pa.Table.from_batches(batches()))
    assert [*path.parent.iterdir()] == [path]


def test_no_batch_at_all_is_an_empty_table(path):
    write_blocks(path, SCHEMA, [])
    assert pq.read_table(path).equals(SCHEMA.empty_table())


# Before the first byte, in the first block, in a later one, and in the footer.
@pytest.mark.parametrize("size", [0, 1000, 2 * SIZE * 8, 5 * SIZE * 8 + 1000])
@pytest.mark.parametrize("old", [None, b"old"])
def test_a_full_disk_is_one_line_and_leaves_nothing(path, size, old):
    if old is not None:
        path.write_bytes(old)
    with largest_file(size), pytest.raises(InputError, match=re.escape(str(path))) as caught:
        write_blocks(path, SCHEMA, batches())
    assert "\n" not in str(caught.value)
    assert [each.read_bytes() for each in path.parent.iterdir()] == ([] if old is None else [old])


def test_the_limits_of_the_test_above_are_below_the_size_of_the_file(path):
    write_blocks(path, SCHEMA, batches())
    assert path.stat().st_size > 5 * SIZE * 8 + 1000


@pytest.mark.parametrize("error", [KeyboardInterrupt, InputError, MemoryError])
def test_batches_that_end_in_an_error_leave_nothing(path, error):
    def some():
        yield from batches(2)
        raise error

    with pytest.raises(error):
        write_blocks(path, SCHEMA, some())
    assert not [*path.parent.iterdir()]


def test_the_check_sees_the_whole_file_before_it_has_its_name(path):
    seen = []

    def check(new):
        seen.append((pq.read_metadata(new).num_rows, path.exists()))
        if len(seen) > 1:
            raise InputError("refused")

    write_blocks(path, SCHEMA, batches(), check=check)
    assert seen == [(5 * SIZE, False)]
    with pytest.raises(InputError, match="refused"):
        write_blocks(path, SCHEMA, batches(1), check=check)
    assert pq.read_metadata(path).num_rows == 5 * SIZE
    assert [*path.parent.iterdir()] == [path]
