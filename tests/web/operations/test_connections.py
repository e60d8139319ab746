"""A connection to PostgreSQL that died between two requests is replaced before anybody asks it something."""

import pytest

from tests.web.processes import App

ASKS = """
import time
import psycopg
from django.db import connection
from peerorder.web.database.sql import fetch_all


def pid():
    connection.close_if_unusable_or_obsolete()  # what Django does when a request begins
    if prepared:
        return fetch_all("SELECT pg_backend_pid()")[0][0]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


first, again = pid(), pid()
params = connection.get_connection_params()
given = {name: params[name] for name in ("dbname", "user", "host")}
with psycopg.connect(**given, autocommit=True) as other:
    other.execute("SELECT pg_terminate_backend(%s)", [first])
    while other.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [first]).fetchone():
        time.sleep(0.05)
tell([first, again, pid()])
"""


@pytest.mark.parametrize("prepared", [False, True])
def test_a_connection_is_kept_and_a_dead_one_replaced(prepared, postgresql, tmp_path):
    app = App(tmp_path / "home", postgresql.database(f"connections{int(prepared)}"))
    first, again, after = app.ask(f"prepared = {prepared}\n{ASKS}")
    assert first == again
    assert after != first
