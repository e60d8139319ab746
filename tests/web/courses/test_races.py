"""Invitations and roles where two act at once, or somebody is killed in the middle, on either database."""

import signal

import pytest

RACES = "from tests.web.courses.races import *\n"
ACCEPTED = {"staff": 1, "accounts": 1, "accepted": 1, "recorded": 1}


@pytest.fixture
def app(app):
    return app.migrate()


def test_an_invitation_accepted_by_many_at_once_makes_one_member(app):
    got = app.ask(f"{RACES}tell(accept_at_once())")
    assert got["got"] == ["accepted"] + 7 * ["refused"]
    assert (got["staff"], got["accepted"], got["recorded"]) == (1, 1, 1)
    assert got["accounts"] <= 1, "no account is left over of those who came too late"


def test_several_invitations_accepted_by_one_person_at_once_make_one_member(app):
    got = app.ask(f"{RACES}tell(accept_several_at_once())")
    assert got == {"got": ["accepted"] + 3 * ["refused"], **ACCEPTED, "accounts": 0}


def test_an_invitation_that_is_revoked_while_it_is_accepted(app):
    got = app.ask(f"{RACES}tell(accept_while_it_is_revoked())")
    assert got == {"got": "refused", **dict.fromkeys(ACCEPTED, 0)}


def test_the_last_two_instructors_cannot_both_step_back(app):
    got = app.ask(f"{RACES}tell(step_back_at_once())")
    assert got["role"] == got["removed"] == {"got": ["done", "refused"], "left": 1}


@pytest.mark.parametrize("step", ["account", "member", "recorded", "answered"])
def test_killed_while_an_invitation_is_accepted(app, step):
    """All of it is there, or nothing, and then it can be accepted."""
    app.ask(f"{RACES}scene(); tell(None)")
    code = f"import django; django.setup()\n{RACES}accept_and_die({step!r})"
    assert app.command("-c", code, check=False).returncode == -signal.SIGKILL
    nothing = dict.fromkeys(ACCEPTED, 0)
    assert app.ask(f"{RACES}tell(state())") == (ACCEPTED if step == "answered" else nothing)
    if step != "answered":
        app.ask(f"{RACES}invitations.accept(Invitation.objects.get(), None); tell(None)")
        assert app.ask(f"{RACES}tell(state())") == ACCEPTED
