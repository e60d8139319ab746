"""What one person may ask of a process in a short time.

Every kind of work has a budget, a token bucket for each person: it begins full, each request takes from it, and it
fills again at a steady rate. The buckets are in the memory of a process, so that a refusal costs no query; with several
processes a person has that many buckets. Nobody can fill that memory: beyond ``MOST_BUCKETS`` the one that was not used
for the longest time is forgotten, which gives its owner a full one.

The sizes are in the settings (``BUDGETS``), and ``docs/howto/running.md`` says how they were chosen.
"""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext as _

from peerorder.web.errors import TooManyRequests

MOST_BUCKETS = 20_000
MOST_AT_ONCE = 2
"""Requests of one person that run at the same time in a process, once half of their budget is used."""
CPU_SECOND = 20
"""What a second of processor time costs, in requests."""

clock = time.monotonic


class Buckets:
    """The buckets of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._levels: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._people: OrderedDict[str, str] = OrderedDict()

    def clear(self) -> None:
        """Forget everything: all buckets are full."""
        self.__init__()  # type: ignore[misc]

    def take(self, kind: str, who: str, cost: float = 1.0, *, owe: bool = False) -> float:
        """Take from a bucket; return the seconds to wait where there is not enough in it, and nothing is taken.

        With ``owe`` it is taken in any case, because the work is done already.
        """
        burst, refill = settings.BUDGETS[kind]
        cost = min(cost, burst)
        with self._lock:
            level = self._level(kind, who, burst, refill)
            enough = owe or level >= cost
            if enough:
                # Nobody waits for longer than half a minute.
                self._levels[kind, who] = (max(level - cost, -30 * refill), clock())
            return 0.0 if enough else (cost - level) / refill

    def _level(self, kind: str, who: str, burst: float, refill: float) -> float:
        now = clock()
        level, since = self._levels.pop((kind, who), (burst, now))
        level = min(burst, level + (now - since) * refill)
        self._levels[kind, who] = (level, now)
        if len(self._levels) > MOST_BUCKETS:
            self._levels.popitem(last=False)
        return level

    def begin(self, who: str) -> bool:
        """Begin a request; return False, and begin nothing, where enough of this person run already."""
        burst, refill = settings.BUDGETS["requests"]
        with self._lock:
            if self._running[who] >= MOST_AT_ONCE and self._level("requests", who, burst, refill) < burst / 2:
                return False
            self._running[who] += 1
            return True

    def end(self, who: str) -> None:
        """End a request that began."""
        with self._lock:
            self._running[who] -= 1
            if not self._running[who]:
                del self._running[who]

    def person_behind(self, session: str) -> str:
        """Return whose bucket counts for a session; of one that is not known yet, its own."""
        return self._people.get(session, session)

    def remember(self, session: str, person: int) -> None:
        """Remember whose session it is: all sessions of a person share their buckets."""
        with self._lock:
            self._people[session] = f"person {person}"
            if len(self._people) > MOST_BUCKETS:
                self._people.popitem(last=False)


BUCKETS = Buckets()


def spend(kind: str, person: int) -> None:
    """Take one from the budget of a person; raises TooManyRequests where nothing is left."""
    if wait := BUCKETS.take(kind, f"person {person}"):
        raise TooManyRequests(too_often(), wait)


def too_often() -> str:
    """Return what people are told."""
    return _("You sent too many requests in a short time. Nothing is lost: wait a moment and try again.")


@contextmanager
def one_request(who: str, size: int) -> Iterator[None]:
    """Count a request while it runs, and the time that it takes; raises TooManyRequests before it begins."""
    if wait := BUCKETS.take("requests", who) or BUCKETS.take("megabytes", who, size / 2**20):
        raise TooManyRequests(too_often(), wait)
    if not BUCKETS.begin(who):
        raise TooManyRequests(too_often(), 1)
    since = time.thread_time()
    try:
        yield
    finally:
        BUCKETS.end(who)
        BUCKETS.take("requests", who, CPU_SECOND * (time.thread_time() - since), owe=True)
