"""Tasks that workers find by name."""

import os
import time
from pathlib import Path

__all__ = ["die_at_three", "die_once", "pid", "root"]


def pid(task):
    time.sleep(0.02)
    return os.getpid()


def root(task):
    if task == 3:
        raise KeyError("three")
    return task**0.5


def die_at_three(path):
    """Add a character to the file for every try; the process dies with the file called 3."""
    with Path(path).open("a") as stream:
        stream.write(".")
    if Path(path).name == "3":
        os._exit(1)
    return Path(path).name


def die_once(path):
    if Path(path).exists():
        return "again"
    Path(path).touch()
    os._exit(1)
