"""gunicorn's threaded worker, with limits for clients that hold a connection and send nothing."""

import socket
import struct
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import gunicorn.http.wsgi
from gunicorn.util import close_graceful
from gunicorn.workers.gthread import ThreadWorker

# How many seconds a client that has begun a request may send nothing: a thread waits for it. A proxy, which sends whole
# requests, never comes near it.
SILENCE = 2
# Connections that wait for their client to close them, at a time.
CLOSING = 8
# The most of a body that was refused and is read for nothing, in bytes: a proxy that is still sending it when the
# connection ends shows an error of its own instead of our answer. No proxy passes on more at once.
MOST_UNREAD = 2**25
# Not which server this is.
gunicorn.http.wsgi.SERVER = "peerorder"


class Worker(ThreadWorker):  # type: ignore[misc]
    """gthread, of which neither a thread nor the main loop waits long for a client."""

    def init_process(self) -> None:
        """Have accepted connections inherit the limit."""
        for listener in self.sockets:
            listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", SILENCE, 0))
        self._closing = ThreadPoolExecutor(CLOSING)
        super().init_process()

    def finish_request(self, conn: Any, fs: "Future[Any]") -> None:
        """Close the connection, if it is to be closed, without holding up the main loop until the client agrees."""
        conn.close = partial(self._closing.submit, _close, conn.sock)
        super().finish_request(conn, fs)


def _close(connection: socket.socket, graceful: bool = False) -> None:
    """Close a connection; where its client may still be sending, read that for a while, or our answer is lost."""
    if graceful:
        close_graceful(connection, timeout=SILENCE, max_drain=MOST_UNREAD)
    else:
        connection.close()
