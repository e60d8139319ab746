"""Names of courses as names of folders: safe on every system, and no two the same.

A name that is safe stays as it is. Any other, such as ``../x``, ``CON`` or each of two that differ only in case, is
made safe and gets some characters of its digest: the same ones in every run, in whatever order the courses come.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable

__all__ = ["folder_names"]

# File systems allow 255 bytes, and a name may be part of a longer path.
LONGEST = 100
UNSAFE = re.compile(r"[^\w .,;+&()\[\]@#=~-]")
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
DIGITS = 8


def folder_names(courses: Iterable[str], taken: Collection[str] = ()) -> dict[str, str]:
    """Return a name for the folder of every course; ``taken`` are names that no course gets."""
    safe = {course: _safe(course) for course in courses}
    keys = Counter(map(_key, [*safe.values(), *taken]))
    result = {course: name for course, name in safe.items() if name == course != "" and keys[_key(name)] == 1}
    used = {*map(_key, [*result.values(), *taken])}
    for course, name in safe.items():
        if course in result:
            continue
        digest, digits = hashlib.sha256(course.encode("utf-8", "surrogatepass")).hexdigest(), DIGITS
        while _key(new := f"{name or 'course'}-{digest[:digits]}") in used:
            digits += DIGITS
        used.add(_key(new))
        result[course] = new
    return result


def _safe(course: str) -> str:
    """Return a name with nothing in it that a system might not take, or take for something else."""
    name = UNSAFE.sub("_", unicodedata.normalize("NFC", course))
    while len(name.encode()) > LONGEST:
        name = name[:-1]
    # Neither hidden, nor an option or a formula in somebody's hands.
    name = name.strip(" .").lstrip(" .~=+@-")
    return f"_{name}" if DEVICES.fullmatch(name) else name


def _key(name: str) -> str:
    """Return what is equal for names that some file system does not tell apart."""
    return unicodedata.normalize("NFKC", name).casefold()
