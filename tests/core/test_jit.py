import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from peerorder.core.jit import is_compiled

SOURCE = """
from peerorder.core.jit import kernel


@kernel
def doubled(x):
    return 2 * x
"""


def loaded(filename):
    """The kernel as another process would get it by importing that file."""
    names = {"__name__": "doubling"}
    exec(compile(SOURCE, str(filename), "exec"), names)
    return names["doubled"]


def test_a_kernel_is_compiled_once_and_anew_when_its_source_changes(tmp_path, monkeypatch):
    path = tmp_path / "doubling.py"
    path.write_text(SOURCE)
    monkeypatch.setitem(sys.modules, "doubling", ModuleType("doubling"))
    first = loaded(path)
    assert not is_compiled(first)
    assert first(4) == 8
    assert is_compiled(first)
    assert is_compiled(loaded(path))
    path.write_text(SOURCE.replace("2 * x", "x + x + 0"))
    assert not is_compiled(loaded(path))


def test_a_kernel_that_cannot_be_kept_is_compiled_in_every_process():
    for _ in range(2):
        doubled = loaded("<no file>")
        assert not is_compiled(doubled)
        assert doubled(4) == 8
        assert is_compiled(doubled)


FORESIGHT = """
from peerorder.core.jit import kernel, prefetch


@kernel
def doubled_with_foresight(numbers):
    for i in range(len(numbers)):
        prefetch(numbers, (i * 7) % len(numbers))
        numbers[i] *= 2
"""


def test_a_prefetch_becomes_an_instruction_and_changes_nothing():
    names = {"__name__": "foresight"}
    # Without a file: numba shows the instructions of what it compiled, not of what it found on the disk.
    exec(compile(FORESIGHT, "<no file>", "exec"), names)
    doubled = names["doubled_with_foresight"]
    for numbers in (np.arange(100, dtype=np.uint16), np.arange(100.0)):
        expected = 2 * numbers
        doubled(numbers)
        assert np.array_equal(numbers, expected)
    assert len(doubled.inspect_asm()) == 2
    for assembly in doubled.inspect_asm().values():
        assert "prefetch" in assembly or "prfm" in assembly


def test_numba_waits_for_the_first_call_of_a_kernel():
    code = (
        "import pickle, sys, numpy as np; from peerorder.core.graph import count_four_cycles as kernel;"
        "assert pickle.loads(pickle.dumps(kernel)) is kernel;"
        "graph = [np.array(x) for x in ([0, 1, 0, 1], [0, 2, 4], [0, 2, 4], [0, 1, 0, 1])];"
        "assert kernel.py_func(*graph) == 1; assert 'numba' not in sys.modules;"
        "assert kernel(*graph) == 1; assert 'numba' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_kernel_on_the_disk_is_loaded_without_what_it_takes_to_compile():
    code = (
        "import sys, numpy as np; from peerorder.core.graph import count_four_cycles as kernel;"
        "graph = [np.array(x) for x in ([0, 1, 0, 1], [0, 2, 4], [0, 2, 4], [0, 1, 0, 1])];"
        "assert kernel(*graph) == 1; print('scipy.linalg' in sys.modules);"
        "import numba; assert numba.njit(lambda x: x.sum())(np.ones(3)) == 3"
    )
    call = [sys.executable, "-c", code]
    subprocess.run(call, check=True, capture_output=True)
    assert subprocess.run(call, check=True, capture_output=True, text=True).stdout == "False\n"


CALLING = """
from peerorder.core.jit import kernel


@kernel
def doubled(x):
    return 2 * x


@kernel
def quadrupled(x):
    return doubled(doubled(x))
"""


def test_a_kernel_calls_a_kernel_that_nobody_has_called_yet():
    names = {"__name__": "calling"}
    exec(compile(CALLING, "<no file>", "exec"), names)
    assert names["quadrupled"](3) == 12
    assert names["doubled"].signatures


PARTED = """
from peerorder.core.jit import kernel, subroutine


@subroutine
def doubled_inside(x):
    return 2 * x


@kernel
def quadrupled_by_parts(x):
    return doubled_inside(doubled_inside(x))
"""


def test_a_subroutine_is_plain_python_outside_of_kernels_and_not_kept_apart(tmp_path, monkeypatch):
    path = tmp_path / "parts.py"
    path.write_text(PARTED)
    module = ModuleType("parts")
    monkeypatch.setitem(sys.modules, "parts", module)
    names = vars(module)
    exec(compile(PARTED, str(path), "exec"), names)
    assert names["doubled_inside"]("ab") == "abab"
    assert names["quadrupled_by_parts"](3) == 12
    kept = [index.name for index in tmp_path.rglob("*.nbi")]
    assert len(kept) == 1
    assert "quadrupled_by_parts" in kept[0]


DEFINED = """
from typing import NamedTuple

STEP = 1


class Numbers(NamedTuple):
    first: int
    second: int
"""
CALLED = """
from defined_elsewhere import STEP

from peerorder.core.jit import subroutine


@subroutine
def added(x):
    return x + STEP
"""
CALLER = """
from called_elsewhere import added
from defined_elsewhere import Numbers

from peerorder.core.jit import kernel


@kernel
def added_twice(numbers: Numbers) -> int:
    return added(added(numbers.first))
"""


@pytest.mark.parametrize(
    ("module", "was", "becomes", "expected"),
    [
        ("called_elsewhere", "x + STEP", "x - STEP", -1),
        ("defined_elsewhere", "STEP = 1", "STEP = 5", 11),
        ("defined_elsewhere", "    first: int\n    second: int", "    second: int\n    first: int", 102),
    ],
    ids=["a subroutine", "a constant", "fields"],
)
def test_a_kernel_is_compiled_anew_when_another_file_changes(tmp_path, monkeypatch, module, was, becomes, expected):
    files = {"defined_elsewhere": DEFINED, "called_elsewhere": CALLED, "calling_elsewhere": CALLER}

    def imported():
        for name, source in files.items():
            (tmp_path / f"{name}.py").write_text(source)
            module = ModuleType(name)
            monkeypatch.setitem(sys.modules, name, module)
            exec(compile(source, str(tmp_path / f"{name}.py"), "exec"), vars(module))
        return module.added_twice, sys.modules["defined_elsewhere"].Numbers

    added, numbers = imported()
    assert added(numbers(1, 100)) == 3
    assert is_compiled(imported()[0])
    files[module] = files[module].replace(was, becomes)
    changed, numbers = imported()
    assert not is_compiled(changed)
    assert changed(numbers(1, 100)) == expected
