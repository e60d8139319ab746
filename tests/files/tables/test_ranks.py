import numpy as np
from hypothesis import given, strategies as st

from peerorder.files.tables.ranks import begins_anew


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=14))
def test_ballots_that_begin_anew(entries):
    of, rank = (np.array([entry[i] for entry in entries], np.int32) for i in range(2))
    found = begins_anew(of, rank, 3)
    for ballot in range(3):
        ranks = rank[of == ballot].tolist()
        expected = any(ranks == list(range(1, most + 1)) * times for most in range(2, 8) for times in range(2, 8))
        assert found[ballot] == expected
