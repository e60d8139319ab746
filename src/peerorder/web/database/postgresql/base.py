"""The back end; Django finds it under this name.

A connection is kept from one request to the next, and may have died in between, when the server was started anew.
Django asks the server a question before the first query of every request. Looking whether the server has hung up does
as well, and needs no answer.
"""

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL."""

    def is_usable(self) -> bool:
        """Whether the server is still there. On a line where nothing was asked it says only that it goes."""
        if self.connection is None or self.connection.closed:
            return False
        line = select.poll()
        line.register(self.connection.fileno(), select.POLLIN | select.POLLERR | select.POLLHUP)
        return not line.poll(0)
