import inspect
import re

import pytest

import peerorder.core
from peerorder.core import errors

CLASSES = {name: value for name, value in vars(errors).items() if inspect.isclass(value)}


def drawn_tree():
    """Child and parent, as the drawing in the docstring of the module has them."""
    parents, path = {}, {}
    for line in errors.__doc__.splitlines():
        drawn = re.match(r"    ((?:[|` ]|--)*)(\w+)(?:  |$)", line)
        if drawn and drawn[2] in CLASSES:
            depth = len(drawn[1]) // 4
            path[depth] = drawn[2]
            parents[drawn[2]] = path.get(depth - 1)
    return parents


def test_drawing_is_the_tree():
    real = {name: value.__bases__[0].__name__ for name, value in CLASSES.items()}
    assert drawn_tree() == {**real, "PeerorderError": None}


def test_every_error_is_drawn_exported_and_explained():
    assert sorted(CLASSES) == sorted(errors.__all__) == sorted(drawn_tree())
    for name, value in CLASSES.items():
        assert getattr(peerorder.core, name) is value
        assert value.__doc__


def test_input_errors_are_value_errors():
    assert issubclass(errors.InputError, ValueError)
    assert not issubclass(errors.PartlyDone, ValueError)
    with pytest.raises(ValueError, match="no such paper"):
        raise errors.ProfileError("no such paper")
