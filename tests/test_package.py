import ast
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import peerorder

HOMES = {f"peerorder.{home}": sorted(names) for home, names in peerorder._HOMES.items()}


def type_checking_imports():
    """What type checkers are told: module by module, the names imported from it."""
    tree = ast.parse(Path(peerorder.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return {node.module: sorted(alias.name for alias in node.names) for node in block.body}


def test_type_checkers_are_told_what_is_there():
    assert type_checking_imports() == HOMES


def test_export_list_is_what_it_says():
    assert sorted(peerorder.__all__) == sorted([*(name for names in HOMES.values() for name in names), "__version__"])
    assert len(set(peerorder.__all__)) == len(peerorder.__all__)
    assert sorted(dir(peerorder)) == sorted(peerorder.__all__)


@pytest.mark.parametrize(("home", "name"), [(home, name) for home, names in HOMES.items() for name in names])
def test_every_name_resolves(home, name):
    assert getattr(peerorder, name) is getattr(import_module(home), name)


@pytest.mark.parametrize("home", HOMES)
def test_every_name_is_public_at_home(home):
    assert set(HOMES[home]) <= set(import_module(home).__all__)


def test_other_names_do_not():
    with pytest.raises(AttributeError, match="module 'peerorder' has no attribute 'Borda'"):
        _ = peerorder.Borda


def test_version_is_the_installed_one():
    assert peerorder.__version__ == version("peerorder")


def in_new_process(code):
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_package_alone_is_cheap():
    heavy = ("numpy", "scipy", "numba", "matplotlib", "galois", "networkx", "click", "rich")
    loaded = in_new_process("import sys, peerorder; print(*sys.modules)")
    assert "peerorder" in loaded
    assert not set(heavy) & set(loaded)


def test_using_a_name_loads_it():
    assert "numba" in in_new_process("import sys, peerorder; peerorder.Bundles; print(*sys.modules)")
