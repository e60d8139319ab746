"""A connection to PostgreSQL that died between two requests is replaced before anybody asks it something."""

from tests.web.processes import App

ASKS = """
import time
import psycopg
from django.db import connection


def pid():
    connection.close_if_unusable_or_obsolete()  # what Django does when a request begins
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


def test_a_connection_is_kept_and_a_dead_one_replaced(postgresql, tmp_path):
    first, again, after = App(tmp_path / "home", postgresql.database("connections")).ask(ASKS)
    assert first == again
    assert after != first
