"""How gunicorn serves the pages, and the one command that starts it, which the benchmark of the rush uses too."""

import sys

from peerorder.web.operations.gunicorn_worker import Worker

worker_class = Worker
timeout = 60
graceful_timeout = 30
keepalive = 5
# A fresh process now and then, not all at once, so that memory that was lost somewhere comes back.
max_requests = 20_000
max_requests_jitter = 2_000
# Our own line for every request says more, and no tokens.
accesslog = None
loglevel = "warning"
logger_class = "peerorder.web.operations.gunicorn_logger.RedactingLogger"
# We stop it by its id; older versions have no such setting and pass over it.
control_socket_disable = True


def gunicorn_command(host: str, port: int, processes: int, application: str = "peerorder.web.wsgi") -> list[str]:
    """Return the command that serves an application, with these settings.

    The number of threads stands in the command: what is measured and what runs are then the same, whatever the
    environment says.
    """
    # Threads of one process share one interpreter: with more threads, a rush is spent on taking turns.
    per_process = 8 if processes == 1 else 4
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return [
        *(sys.executable, "-m", "gunicorn", "-c", f"python:{__name__}"),
        *("--workers", str(processes), "--threads", str(per_process), "--bind", bind),
        application,
    ]
