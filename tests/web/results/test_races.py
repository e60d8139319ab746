"""Releases where two act at once, or the worker is killed in the middle, on either database."""

import signal

import pytest

RACES = "from tests.web.results.races import *\n"
WAITS = {"stage": "review", "in force": None, "releases": 1, "mails": 0, "published": 0, "moved": 0}
OUT = {"stage": "released", "in force": 1, "releases": 1, "mails": 6, "published": 1, "moved": 1}


@pytest.fixture
def app(app):
    return app.migrate()


def test_two_at_once(app):
    """One app for all of them: to start one takes longer than these."""
    assert app.ask(f"{RACES}tell(sign_off_at_once())") == {"got": "refused", **WAITS}
    assert app.ask(f"{RACES}tell(publish_at_once())") == {"got": 0, **OUT}
    got = app.ask(f"{RACES}tell(withdraw_in_the_tenth_minute())")
    # It was published: withdrawing it needs a reason now, so that it stays.
    assert got["published"] == {"got": "refused", **OUT}
    assert got["withdrawn"] == {"got": 0, **WAITS}
    got = app.ask(f"{RACES}tell(decide_while_a_result_is_computed())")
    assert got == {"decided": ["3"], "marks": [3, 3], "changed": True}


def test_killed_while_it_publishes_and_down_when_it_was_due(app):
    """All of it is there, or nothing, and then it is published once when the server is back."""
    app.ask(f"{RACES}sign_off(*scene()); tell(None)")
    code = f"import django; django.setup()\n{RACES}publish_and_die()"
    assert app.command("-c", code, check=False).returncode == -signal.SIGKILL
    assert app.ask(f"{RACES}tell(state(Assignment.objects.get()))") == WAITS
    again = "due = timezone.now() + timedelta(days=2); counts = [publish_due(due), publish_due(due)]"
    got = app.ask(f"{RACES}from datetime import timedelta; {again}\ntell([counts, state(Assignment.objects.get())])")
    assert got == [[1, 0], OUT]
