"""gunicorn's threaded worker, with limits for clients that hold a connection and send nothing."""

import socket
import struct
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import gunicorn.http.wsgi
from gunicorn.workers.gthread import ThreadWorker

# How many seconds a client that has begun a request may send nothing: a thread waits for it. A proxy, which sends whole
# requests, never comes near it.
SILENCE = 2
# Connections that wait for their client to close them, at a time.
CLOSING = 8
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
        if not isinstance(conn.close, _Later):
            conn.close = _Later(self._closing, conn.close)
        super().finish_request(conn, fs)


class _Later:
    """A function that is called in another thread."""

    def __init__(self, threads: ThreadPoolExecutor, function: Callable[..., None]) -> None:
        self._threads, self._function = threads, function

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self._threads.submit(self._function, *args, **kwargs)
