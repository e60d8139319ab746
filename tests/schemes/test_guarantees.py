import numpy as np
import pytest

from peerorder.schemes import allocate
from peerorder.schemes.guarantees import Guarantees

N, K = 200, 4
OWN = np.arange(N)


@pytest.fixture(scope="module")
def allocation():
    return allocate(OWN, N, K, 0)


@pytest.fixture
def rows(allocation):
    return np.repeat(OWN, K), allocation.bundles.papers.copy()


def check(allocation, grader, paper, block=7, own=OWN):
    guarantees = Guarantees(own, N)
    for begin in range(0, len(grader), block):
        guarantees.add(grader[begin : begin + block], paper[begin : begin + block])
    guarantees.finish(allocation, K)


@pytest.mark.parametrize("block", [1, 7, 10**6])
def test_a_hand_out_of_ours_keeps_them_in_blocks_of_any_size(allocation, rows, block):
    check(allocation, *rows, block)


def test_excused_graders_and_teams_keep_them():
    own = np.repeat(np.arange(N // 2), 2)
    excused = np.arange(N) < 3
    allocation = allocate(own, N // 2, K, 0, excused=excused)
    guarantees = Guarantees(own, N // 2)
    guarantees.add(np.repeat(np.arange(N), allocation.bundles.sizes), allocation.bundles.papers)
    guarantees.finish(allocation, K)


def test_ones_own_paper(allocation, rows):
    grader, paper = rows
    paper[N] = grader[N]
    with pytest.raises(RuntimeError, match="own paper"):
        check(allocation, grader, paper)


@pytest.mark.parametrize("block", [1, 10**6])
def test_rows_of_a_grader_that_are_apart(allocation, rows, block):
    grader, paper = rows
    order = np.roll(np.arange(len(grader)), 1)
    with pytest.raises(RuntimeError, match="adjacent"):
        check(allocation, grader[order], paper[order], block)


def test_a_grader_with_fewer_papers(allocation, rows):
    with pytest.raises(RuntimeError, match="4 papers"):
        check(allocation, *(side[:-1] for side in rows))
    with pytest.raises(RuntimeError, match="4 papers"):
        check(allocation, *(side[:-K] for side in rows))


def test_a_paper_with_more_graders(allocation, rows):
    grader, paper = rows
    paper[np.flatnonzero((paper != 0) & (grader != 0))[0]] = 0
    with pytest.raises(RuntimeError, match="graders than others"):
        check(allocation, grader, paper)


def test_papers_in_two_groups(allocation):
    half, step = N // 2, np.arange(1, K + 1)
    rows = (np.arange(half)[:, None] + step) % half
    with pytest.raises(RuntimeError, match="2 groups"):
        check(allocation, np.repeat(OWN, K), np.concatenate([rows, rows + half]).ravel())
