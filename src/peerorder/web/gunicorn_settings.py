"""How gunicorn serves the pages: ``gunicorn -c python:peerorder.web.gunicorn_settings peerorder.web.wsgi``."""

import os

worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY", "1"))
# Threads of one process share one interpreter: with more of them, a rush is spent on taking turns.
threads = 8 if workers == 1 else 4
timeout = 60
graceful_timeout = 30
keepalive = 5
# A fresh process now and then, not all at once, so that memory that was lost somewhere comes back.
max_requests = 20_000
max_requests_jitter = 2_000
# Our own line for every request says more, and no tokens.
accesslog = None
loglevel = "warning"
# We stop it by its id; older versions have no such setting and pass over it.
control_socket_disable = True
