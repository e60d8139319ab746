"""What this app tells the apps below it."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from peerorder.web.audit.registry import REPLAYS
from peerorder.web.courses import replays
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.services import invitations
from peerorder.web.mail.models import Mail
from peerorder.web.mail.registry import LINKS, LinkKind
from peerorder.web.people.models import Person
from peerorder.web.people.registry import Enrolment, course_of_account, enrolments


@enrolments
def courses_of(person: Person) -> list[Enrolment]:
    """Return the courses that somebody is in."""
    members = person.memberships.filter(removed_at=None).select_related("course")
    return [Enrolment(m.course_id, m.course.name, m.is_staff, end_of(m.course)) for m in members]


def end_of(course: Course) -> datetime:
    """Return the end of the last day of a course, where it is."""
    return datetime.combine(course.ends_on + timedelta(days=1), time.min, ZoneInfo(course.time_zone))


@course_of_account
def course_of_student(person: Person) -> Course | None:
    """Return the course of a student's account."""
    members = list(Member.objects.filter(person_id=person.pk or 0).select_related("course")[:2])
    is_theirs = len(members) == 1 and not members[0].is_staff and not person.makes_courses
    return members[0].course if is_theirs else None


def make_invitation_link(mail: Mail, _person: None, printed: bool) -> str:
    """Make the link of an invitation."""
    return invitations.make_mailed_link(mail.link_id or 0, printed=printed)


LINKS[invitations.LINK_KIND] = LinkKind(make_invitation_link, invitations.forget_link)
REPLAYS |= {
    "links revoked": replays.revoke_again,
    "member removed": replays.remove_again,
    "member put back": replays.put_back_again,
    "role changed": replays.change_role_again,
    "invitation revoked": replays.revoke_invitation_again,
}
