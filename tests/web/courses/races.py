"""Two at once, inside of the app's own process: ``app.ask("from tests.web.courses.races import ...")``."""

import os
import signal
import threading

from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Invitation, Member, Role
from peerorder.web.courses.services import invitations, members
from peerorder.web.courses.services.invitations import Invitee
from peerorder.web.errors import Refused
from peerorder.web.people.models import Person
from tests.web.factories import enrol
from tests.web.ranking.races import LONG, Other, while_it_waits

TOGETHER = 8


def scene() -> tuple[Member, Invitation, Person]:
    """An instructor, an invitation, and somebody who is staff of another course."""
    ida = enrol(Course.objects.create(name="Algorithms"), "Ida", Role.INSTRUCTOR)
    mel = enrol(Course.objects.create(name="Geometry"), "Mel", Role.INSTRUCTOR)
    return ida, _invite(ida), mel.person


def _invite(by: Member) -> Invitation:
    (invitation,) = invitations.invite(by.course, by.person, [Invitee("Tim", "tim@example.edu", Role.ASSISTANT)])
    return invitation


def _accept(invitation: Invitation, person: Person | None) -> str:
    # As at the entrance: everything is read before the wait, and nothing of it counts.
    try:
        invitations.accept(invitation, person)
    except Refused:
        return "refused"
    return "accepted"


def _at_once(deeds) -> list:
    everybody_is_there = threading.Barrier(len(deeds))

    def wait_and(does):
        everybody_is_there.wait(LONG)
        return does()

    others = [Other(lambda does=does: wait_and(does)) for does in deeds]
    return sorted(str(other.wait()) for other in others)


def state() -> dict:
    """What there is of an acceptance."""
    return {
        "staff": Member.objects.filter(course__name="Algorithms").exclude(person__name="Ida").count(),
        "accounts": Person.objects.filter(name="Tim").count(),
        "accepted": Invitation.objects.filter(accepted_at__isnull=False).count(),
        "recorded": Event.objects.filter(verb="invitation accepted").count(),
    }


def accept_at_once() -> dict:
    """One invitation, accepted by many at once: without an account, and with one."""
    _ida, invitation, mel = scene()
    got = _at_once([lambda at=at: _accept(invitation, mel if at % 2 else None) for at in range(TOGETHER)])
    return {"got": got} | state()


def accept_several_at_once() -> dict:
    """Several invitations to one course, accepted by one person at once."""
    ida, _invitation, mel = scene()
    several = [_invite(ida) for _ in range(4)]
    got = _at_once([lambda each=each: _accept(each, mel) for each in several])
    return {"got": got} | state()


def accept_while_it_is_revoked() -> dict:
    """An acceptance waits for a revocation that came first."""
    ida, invitation, _mel = scene()
    got = while_it_waits(lambda: invitations.revoke(invitation, ida.person), lambda: _accept(invitation, None))
    return {"got": got} | state()


def step_back_at_once() -> dict:
    """The only two instructors make each other assistants at once, and remove each other."""
    return {
        "role": _against_each_other(lambda of, by: members.change_role(of, by.person, Role.ASSISTANT)),
        "removed": _against_each_other(lambda of, by: members.remove_member(of, by.person)),
    }


def _against_each_other(does) -> dict:
    course = Course.objects.create(name="Logic")
    ida, jo = (enrol(course, name, Role.INSTRUCTOR) for name in ("Ida", "Jo"))

    def deed(of: Member, by: Member) -> str:
        try:
            does(of, by)
        except Refused:
            return "refused"
        return "done"

    got = _at_once([lambda: deed(ida, jo), lambda: deed(jo, ida)])
    return {"got": got, "left": course.members.filter(role=Role.INSTRUCTOR, removed_at=None).count()}


def accept_and_die(step: str) -> None:
    """Accept, and be killed without a word once a step is done."""
    if step == "answered":
        invitations.accept(Invitation.objects.get(), None)
        os.kill(os.getpid(), signal.SIGKILL)
    where, name = {"account": (Person.objects, "create_user"), "member": (invitations, "_join")}.get(
        step, (invitations, "record")
    )
    real = getattr(where, name)

    def last(*args, **kwargs):
        real(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(where, name, last)
    invitations.accept(Invitation.objects.get(), None)
