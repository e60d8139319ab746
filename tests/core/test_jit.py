import os
import time

from peerorder.core.jit import is_compiled

SOURCE = """
from peerorder.core.jit import kernel


@kernel
def doubled(x):
    return 2 * x
"""


def loaded(filename):
    """The kernel as another process would get it by importing that file."""
    names = {}
    exec(compile(SOURCE, str(filename), "exec"), names)
    return names["doubled"]


def test_a_kernel_is_compiled_once_and_anew_when_its_source_changes(tmp_path):
    path = tmp_path / "doubling.py"
    path.write_text(SOURCE)
    first = loaded(path)
    assert not is_compiled(first)
    assert first(4) == 8
    assert is_compiled(first)
    assert is_compiled(loaded(path))
    later = time.time() + 10
    os.utime(path, (later, later))
    assert not is_compiled(loaded(path))


def test_a_kernel_that_cannot_be_kept_is_compiled_in_every_process():
    for _ in range(2):
        kernel = loaded("<no file>")
        assert not is_compiled(kernel)
        assert kernel(4) == 8
        assert is_compiled(kernel)
