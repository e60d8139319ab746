"""The back end; Django finds it under this name.

A connection is kept from one request to the next, and may have died in between, when the server was started anew.
Django asks the server a question before the first query of every request. Looking whether the server has hung up does
as well, and needs no answer.

The server adds to some errors the values of the row that it refused. These are names, which have no place in a log.

Queries that are written out (``peerorder.web.database.sql``) are prepared: the server parses and plans each one
once for a connection, which takes it longer than to answer.
"""

import select
from types import TracebackType
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property


class ErrorsWithoutValues(DatabaseErrorWrapper):
    """Errors of the server in its first line alone, which names the constraint and no values."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, psycopg.Error) and error.diag.message_primary:
            error.args = (error.diag.message_primary,)
        super().__exit__(kind, error, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL."""

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        """Turn errors of the driver into Django's."""
        return ErrorsWithoutValues(self)

    def is_usable(self) -> bool:
        """Return whether the server is still there: an idle connection has something to read only when it closes."""
        if self.connection is None or self.connection.closed:
            return False
        line = select.poll()
        line.register(self.connection.fileno(), select.POLLIN | select.POLLERR | select.POLLHUP)
        return not line.poll(0)

    def get_connection_params(self) -> dict[str, Any]:
        """Let prepared cursors prepare a query when it comes for the second time; ``?prepare_threshold=off``, never."""
        params = super().get_connection_params()
        asked = params["prepare_threshold"]
        return {**params, "prepare_threshold": 1 if asked is None else None if asked == "off" else int(asked)}

    def prepared_cursor(self) -> CursorWrapper:
        """Return a cursor whose queries are prepared. Django's own never are; they can be logged."""
        if self.queries_logged:
            return self.cursor()
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            return CursorWrapper(psycopg.Cursor(self.connection), self)
