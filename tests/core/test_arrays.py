import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core.arrays import as_array, as_count, as_indices, as_offsets, freeze, group_by
from peerorder.core.errors import BundlesError, InputError, ProfileError


def test_frozen_is_the_same_array_read_only():
    array = np.zeros(3)
    assert freeze(array) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, ">i4", "<u2"])
def test_indices_of_every_integer_type(dtype):
    result = as_indices(np.array([0, 2, 1], dtype), "x", 0, 3, InputError)
    assert result.dtype == np.int32
    assert result.tolist() == [0, 2, 1]
    assert not result.flags.writeable


def test_indices_of_any_layout_become_one_block():
    table = np.arange(12, dtype=np.int32).reshape(3, 4)
    for view in (table[:, 1], table[0, ::-1], table[1, ::2]):
        result = as_indices(view, "x", 0, 12, InputError)
        assert result.flags.c_contiguous
        assert result.tolist() == view.tolist()


def test_indices_keep_an_array_that_nobody_can_change():
    array = freeze(np.array([1, 2], np.int32))
    assert as_indices(array, "x", 0, 3, InputError) is array
    view = array[:1]
    assert as_indices(view, "x", 0, 3, InputError) is view
    packed = np.frombuffer(np.array([1, 2], np.int32).tobytes(), np.int32)
    assert as_indices(packed, "x", 0, 3, InputError) is packed


@pytest.mark.parametrize("make", [lambda a: a[:], lambda a: np.frombuffer(memoryview(a), np.int32)])
def test_indices_copy_a_read_only_view_of_what_can_change(make):
    array = np.array([1, 2], np.int32)
    view = freeze(make(array))
    result = as_indices(view, "x", 0, 3, InputError)
    array[:] = 99
    assert result.tolist() == [1, 2]


def test_offsets_copy_a_read_only_view_of_what_can_change():
    array = np.array([0, 2])
    result = as_offsets(freeze(array[:]), "x", 2, InputError)
    array[:] = 99
    assert result.tolist() == [0, 2]
    assert as_offsets(result, "x", 2, InputError) is result


def test_empty_indices_whatever_they_are_made_of():
    for empty in ([], (), np.zeros(0), np.zeros(0, object)):
        assert as_indices(empty, "x", 0, 0, InputError).dtype == np.int32
    with pytest.raises(InputError, match="x must be a flat list of whole numbers; it has 2 dimensions"):
        as_indices(np.zeros((0, 2)), "x", 0, 0, InputError)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1), st.integers(-3, 3), st.integers(-3, 2**31))
def test_first_index_out_of_range_is_named(values, low, high):
    outside = [i for i, value in enumerate(values) if not low <= value < high]
    if not outside:
        assert as_indices(values, "x", low, high, InputError).tolist() == values
        return
    with pytest.raises(InputError) as caught:
        as_indices(values, "x", low, high, InputError)
    at = outside[0]
    assert str(caught.value) == f"x[{at}] is {values[at]}; it must be at least {low} and below {high}"


@given(st.lists(st.integers(0, 4), max_size=6), st.lists(st.integers(0, 4), max_size=6))
def test_offsets_rise_from_0_to_the_end(steps, wild):
    rising = np.cumsum([0, *steps]).tolist()
    result = as_offsets(rising, "x", rising[-1], InputError)
    assert (result.tolist(), result.dtype, result.flags.writeable) == (rising, np.int64, False)
    sound = wild[:1] == [0] and wild == sorted(wild) and wild[-1] == 4
    if sound:
        assert as_offsets(wild, "x", 4, InputError).tolist() == wild
    else:
        with pytest.raises(InputError, match=r"^x"):
            as_offsets(wild, "x", 4, InputError)


def test_offsets_beyond_64_bits_do_not_wrap_round():
    with pytest.raises(InputError):
        as_offsets(np.array([0, 2**63 + 1, 3], np.uint64), "x", 3, InputError)
    with pytest.raises(InputError):
        as_offsets(np.array([0, 2**64 - 1], np.uint64), "x", 2**64 - 1, InputError)


def test_unsigned_offsets_that_fall_are_seen():
    # 1 - 2 is a large number to an unsigned type.
    with pytest.raises(InputError, match=r"x\[2\] is smaller"):
        as_offsets(np.array([0, 2, 1, 3], np.uint8), "x", 3, InputError)


@pytest.mark.parametrize("error", [BundlesError, ProfileError])
def test_errors_are_of_the_kind_asked_for(error):
    for call in (
        lambda: as_array([[0], [1, 2]], "x", error),
        lambda: as_count(-1, "x", error),
        lambda: as_indices([5], "x", 0, 3, error),
        lambda: as_offsets([1], "x", 3, error),
    ):
        with pytest.raises(error, match=r"^x"):
            call()


def test_counts():
    assert as_count(np.uint8(7), "x", InputError) == 7
    assert type(as_count(np.uint8(7), "x", InputError)) is int
    assert as_count(2**31 - 1, "x", InputError) == 2**31 - 1
    for wrong, message in [
        (-1, "x is -1; it cannot be negative"),
        (2**31, "x is 2147483648; it can be at most 2147483647"),
        (1.0, "x is 1.0; it must be a whole number"),
        ("1", "x is '1'; it must be a whole number"),
    ]:
        with pytest.raises(InputError) as caught:
            as_count(wrong, "x", InputError)
        assert str(caught.value) == message


@given(st.lists(st.integers(0, 5)))
def test_group_by_gives_the_positions_of_every_key(keys):
    start, at = group_by(np.array(keys, np.int32), 6)
    assert len(start) == 7
    for key in range(6):
        assert at[start[key] : start[key + 1]].tolist() == [i for i, other in enumerate(keys) if other == key]
