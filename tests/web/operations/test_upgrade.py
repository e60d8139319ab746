"""A database that this version cannot go on with: one line says so, and nothing in it is changed."""

BEGIN = """
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from peerorder.core.errors import InputError
from peerorder.web.operations import serving

def run(*statements):
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)

def state():
    with connection.cursor() as cursor:
        tables = sorted(connection.introspection.table_names(cursor))
        found = {table: [column.name for column in connection.introspection.get_table_description(cursor, table)]
                 for table in tables}
        for table in ("django_migrations", "django_session", "people_session"):
            cursor.execute(f"SELECT * FROM {table} ORDER BY 1")
            found[f"rows of {table}"] = [list(map(str, row)) for row in cursor.fetchall()]
    return found

def attempt():
    before = state()
    try:
        serving.prepare(pages=False)
        said = ""
    except InputError as error:
        said = str(error)
    return said, state() == before

def unapply(app, name):
    run(f"DELETE FROM django_migrations WHERE app = '{app}' AND name = '{name}'")

def pretend(app, name):
    run(f"INSERT INTO django_migrations (app, name, applied) VALUES ('{app}', '{name}', CURRENT_TIMESTAMP)")

"""


def test_a_database_that_cannot_be_upgraded_stays_as_it_is(app):
    told = app.ask(
        BEGIN
        + """
serving.prepare(pages=False)
run("INSERT INTO django_session VALUES ('" + "k" * 32 + "', 'data', CURRENT_TIMESTAMP)")
seen = {"up to date": attempt()}

# By a newer version: an app of ours has more migrations, or there is one more app.
for name, row in {"newer": ("rounds", "0999_from_the_future"), "newer app": ("appeals", "0001_initial")}.items():
    pretend(*row)
    seen[name] = attempt()
    unapply(*row)

# What an older version used and this one does without.
pretend("django_tasks_database", "0001_initial")
seen["retired app"] = attempt()

# Interrupted before it was written down: the first of two that are missing would work, the second does not.
unapply("people", "0005_move_sessions")
of_results = [name for app, name in MigrationRecorder(connection).applied_migrations() if app == "results"]
for name in of_results:
    unapply("results", name)
seen["interrupted"] = attempt()
for name in of_results:
    pretend("results", name)

# With the reason gone it goes on, from where it was.
said, same = attempt()
with connection.cursor() as cursor:
    cursor.execute("SELECT count(*) FROM django_session")
    seen["mended"] = said, cursor.fetchone()[0]

unapply("people", "0001_initial")
seen["inconsistent"] = attempt()
tell(seen)
"""
    )
    assert told["up to date"] == ["", True]
    assert told["retired app"] == ["", True]
    for name, row in {"newer": "rounds.0999_from_the_future", "newer app": "appeals.0001_initial"}.items():
        said, same = told[name]
        assert "made by a newer version" in said
        assert f"does not know {row}. Nothing was changed; upgrade peerorder" in said
        assert same
    for name, words in {"interrupted": "already exists", "inconsistent": "people.0001_initial"}.items():
        said, same = told[name]
        assert "could not be upgraded: " in said
        assert words in said
        assert "Nothing was changed" in said
        assert same
    assert told["mended"] == ["", 0]
    assert not any("\n" in said for said, _same in told.values())

    seen = app.command("-m", "peerorder", "staff", "list", check=False)
    assert seen.returncode == 2
    assert len(seen.stderr.strip().splitlines()) == 1
    assert "could not be upgraded" in seen.stderr
