"""Log lines that others can cause, kept few and short."""

import logging
import time

LONGEST = 200


class Occasional(logging.Filter):
    """Lets one event pass in a while, as one short line without a traceback, with how many there were meanwhile.

    Parameters
    ----------
    seconds
        How long to wait between two events.
    """

    def __init__(self, seconds: float = 60.0) -> None:
        super().__init__()
        self._seconds = seconds
        self._passed = float("-inf")
        self._held_back = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten an event, or hold it back."""
        now = time.monotonic()
        if now - self._passed < self._seconds:
            self._held_back += 1
            return False
        more = f" (and {self._held_back} more like it before)" if self._held_back else ""
        record.msg, record.args = record.getMessage().splitlines()[0][:LONGEST] + more, ()
        record.exc_info = record.exc_text = None
        self._passed, self._held_back = now, 0
        return True
