"""Tasks that do what an exploit in a reader of PDFs would do. The file says, in JSON, what to attack."""

import json
import os
import socket
import time
from pathlib import Path


def tries(function, *arguments):
    """Return what a function gives, or nothing if the system refuses."""
    try:
        return function(*arguments)
    except OSError:
        return None


def read(source, _folder):
    """Return those of the files that can be read."""
    found = {name: tries(Path(name).read_bytes) for name in json.loads(source.read_text())}
    return [name for name, content in found.items() if content]


def look_around(_source, _folder):
    """Return the environment, and all of the environment of others that can be read."""
    others = [tries(path.read_bytes) or b"" for path in Path("/proc").glob("[0-9]*/environ")]
    return {
        "mine": sorted(os.environ),
        "others": b"".join(others).decode("latin-1"),
        "root": [path.name for path in Path("/").iterdir()],
    }


def write(source, _folder):
    """Return those of the files that could be written."""
    return [name for name in json.loads(source.read_text()) if tries(Path(name).write_text, "changed") is not None]


def connect(source, _folder):
    """Return which of the sockets could be connected to."""
    address, path = json.loads(source.read_text())
    found = []
    for family, where in ((socket.AF_INET, tuple(address)), (socket.AF_UNIX, path)):
        with socket.socket(family) as there:
            there.settimeout(5)
            if tries(there.connect_ex, where) == 0:
                found.append(family.name)
    return found


def multiply(_source, _folder):
    """Return how many processes could be started."""
    started = []
    for _ in range(20):
        number = tries(os.fork)
        if number is None:
            break
        if number == 0:
            time.sleep(60)
            os._exit(0)
        started.append(number)
    for number in started:
        os.kill(number, 9)
        os.waitpid(number, 0)
    return len(started)


def signal_others(source, _folder):
    """Return those of the processes that could be sent a signal."""
    return [number for number in json.loads(source.read_text()) if tries(lambda each: os.kill(each, 0) is None, number)]


def burn(_source, _folder):
    """Never come to an end."""
    while True:
        pass


def sleep(_source, _folder):
    """Come to no end either, and take nothing."""
    time.sleep(600)


def grow(_source, _folder):
    """Take a gigabyte."""
    return len(bytearray(2**30))


def fill(_source, folder):
    """Write 100 files of a megabyte; return how many there are."""
    for number in range(100):
        if tries((folder / f"{number}.bin").write_bytes, bytes(2**20)) is None:
            break
    count = len(list(folder.iterdir()))
    for path in folder.iterdir():
        path.unlink()
    return count


def fill_elsewhere(source, _folder):
    """Write 100 megabytes into the answer."""
    return "x" * (100 * 2**20)


def say(source, folder):
    """Answer what the file says, past the one who sends answers."""
    os.write(1, source.read_bytes())
    os._exit(0)


def complain(_source, _folder):
    """Fail, with a name in the error."""
    raise ValueError("Bo Bobson of Room 12")


def give_back(source, folder):
    """Write the file into two, and return its length and its name."""
    for name in ("a.txt", "b.txt"):
        (folder / name).write_bytes(source.read_bytes())
    return [source.stat().st_size, source.name]
