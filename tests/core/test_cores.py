import os

from peerorder.core.cores import cores, limit_cores


def test_cores_are_those_of_the_process_and_can_be_limited():
    every = cores()
    assert 1 <= every <= os.cpu_count()
    with limit_cores(1):
        assert cores() == 1
        with limit_cores(every + 1):
            assert cores() == every
    assert cores() == every
