import ast
import inspect
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import peerorder

LAZY = ("peerorder", "peerorder.core", "peerorder.files", "peerorder.rounds")


def type_checking_imports(package):
    """What type checkers are told: module by module, the names imported from it."""
    tree = ast.parse(Path(import_module(package).__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return {node.module: [alias.name for alias in node.names] for node in block.body}


NAMES = [
    (package, home, name)
    for package in LAZY
    for home, names in type_checking_imports(package).items()
    for name in names
]


@pytest.mark.parametrize("package", LAZY)
def test_export_list_is_what_it_says(package):
    module = import_module(package)
    told = [name for whose, _, name in NAMES if whose == package]
    assert sorted(module.__all__) == sorted([*told, *(["__version__"] if package == "peerorder" else [])])
    assert len(set(module.__all__)) == len(module.__all__)
    assert sorted(dir(module)) == sorted(module.__all__)


@pytest.mark.parametrize(("package", "home", "name"), NAMES)
def test_every_name_resolves_to_what_is_public_at_home(package, home, name):
    assert getattr(import_module(package), name) is getattr(import_module(home), name)
    assert name in import_module(home).__all__


def test_other_names_do_not():
    with pytest.raises(AttributeError, match="module 'peerorder' has no attribute 'Borda'"):
        _ = peerorder.Borda


def test_version_is_the_installed_one():
    assert peerorder.__version__ == version("peerorder")


def in_new_process(code):
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("module", ["peerorder", "peerorder.core.errors", "peerorder.files.formats.problems"])
def test_importing_little_is_cheap(module):
    heavy = ("numpy", "scipy", "numba", "pyarrow", "matplotlib", "galois", "networkx", "click", "rich")
    loaded = in_new_process(f"import sys, {module}; print(*sys.modules)")
    assert module in loaded
    assert not set(heavy) & set(loaded)


def test_using_a_name_loads_it():
    assert "numpy" in in_new_process("import sys, peerorder; peerorder.Bundles; print(*sys.modules)")


def callables():
    for name in peerorder.__all__:
        found = getattr(peerorder, name)
        if callable(found) and not (inspect.isclass(found) and issubclass(found, Exception)):
            yield name, found
        for method, function in vars(found).items() if inspect.isclass(found) else ():
            function = getattr(function, "__func__", function)
            if inspect.isfunction(function) and not method.startswith("_"):
                yield f"{name}.{method}", function


def test_signatures_can_be_read():
    """As a notebook shows them: types by their names, not by what they are made of."""
    for name, function in callables():
        shown = str(inspect.signature(function))
        assert "numpy._typing" not in shown, name
        assert len(shown) < 800, name
