"""Who becomes staff: by an invitation that somebody accepts, and by nothing else."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Invitation, Member, Role
from peerorder.web.courses.services import invitations, members
from peerorder.web.courses.services.invitations import Invitee
from peerorder.web.errors import Refused
from peerorder.web.mail.models import Mail
from peerorder.web.people.models import Person
from tests.web.factories import enrol

HERE = "http://127.0.0.1:8000"
TIM = {"name": "Tim", "email": "tim@example.edu", "role": "assistant"}
PRINTED = "django.core.mail.backends.console.EmailBackend"


@pytest.fixture
def no_mail_server(settings):
    settings.EMAIL_BACKEND = PRINTED


@pytest.fixture
def mailed(enter, instructor, course, work_off, mailoutbox):
    """Invite somebody by the page; gives the path in the e-mail they get."""

    def invited(**said) -> str:
        answer = enter(instructor).post(f"/courses/{course.pk}/people/staff/invite/", TIM | said)
        assert answer.status_code == 302, answer.content.decode()
        work_off()
        return path_in(mailoutbox[-1].body)

    return invited


@pytest.fixture
def invited(course, instructor):
    """Make an invitation; gives its path."""

    def made(role=Role.ASSISTANT, by=None, emailed=True, **said) -> str:
        invitee = Invitee(**{"name": "Tim", "email": "tim@example.edu"} | said, role=role)
        (invitation,) = invitations.invite(course, by or instructor.person, [invitee])
        return path_in(invitations.make_link(invitation, emailed=emailed))

    return made


def path_in(text: str) -> str:
    (path,) = re.findall(HERE + r"(/invitations/[\w-]+/)", text)
    return path


def accept(client: Client, path: str):
    """Look at the page and press its button."""
    page = client.get(path)
    found = re.search(r'name="account" value="(\d*)"', page.content.decode())
    return client.post(path, {"account": found[1]} if found else {})


def staff_of(course: Course) -> set[str]:
    staff = Member.objects.filter(course=course, removed_at=None).exclude(role=Role.STUDENT)
    return {f"{member.person.name} {member.role}" for member in staff}


def test_it_works(mailed, mailoutbox, course, instructor):
    path = mailed()
    assert mailoutbox[-1].to == ["tim@example.edu"]
    assert staff_of(course) == {"Ida instructor"}, "an invitation alone changes nothing"
    guest = Client()
    page = guest.get(path).content.decode()
    for text in ("Algorithms", "assistant", "Ida", "tim@example.edu"):
        assert text in page
    assert staff_of(course) == {"Ida instructor"}, "looking accepts nothing"
    answer = accept(guest, path)
    assert answer.url == "/account/"
    tim = Person.objects.get(name="Tim")
    assert tim.email == "tim@example.edu"
    assert tim.email_verified_at is not None
    assert staff_of(course) == {"Ida instructor", "Tim assistant"}
    assert guest.get(f"/courses/{course.pk}/people/").status_code == 200
    assert Event.objects.get(verb="staff invited").person_id == instructor.person_id
    assert Event.objects.get(verb="invitation accepted").person_id == tim.pk


def test_no_token_is_kept(mailed):
    token = mailed().split("/")[2]
    assert Invitation.objects.get().digest == invitations.digest(token)
    for model in (Invitation, Mail, Event):
        assert token not in str(list(model.objects.values_list()))


def test_without_a_mail_server_the_link_is_shown_once(no_mail_server, enter, instructor, course):
    client = enter(instructor)
    page = client.post(f"/courses/{course.pk}/people/staff/invite/", TIM).content.decode()
    path = path_in(page)
    assert "/invitations/" not in client.get(f"/courses/{course.pk}/people/staff/").content.decode().replace(
        "/staff/invitations/", ""
    )
    assert not Mail.objects.exists()
    accept(Client(), path)
    assert Person.objects.get(name="Tim").email_verified_at is None, "the instructor may have opened the link"


def test_with_a_mail_server_the_link_is_not_shown(enter, instructor, course):
    """Otherwise the instructor could verify anybody's address."""
    answer = enter(instructor).post(f"/courses/{course.pk}/people/staff/invite/", TIM, follow=True)
    assert HERE + "/invitations/" not in answer.content.decode()
    assert Invitation.objects.get().digest is None, "the token is made when the e-mail is sent"


# H3: nobody becomes staff by claiming an address.


def test_an_assistant_who_claims_the_address_of_a_professor_stays_an_assistant(enter, assistant, course, mailed):
    """The attack of the audit: the page of personal links went from 403 to 200."""
    Person.objects.filter(pk=assistant.person_id).update(name="Prof. Smith", email="prof.smith@example.edu")
    links = f"/courses/{course.pk}/people/links/"
    assert enter(assistant).get(links).status_code == 403
    path = mailed(name="Prof. Smith", email="prof.smith@example.edu", role="instructor")
    assert enter(assistant).get(links).status_code == 403
    professor = Client()
    accept(professor, path)
    assert professor.get(links).status_code == 200
    assert enter(assistant).get(links).status_code == 403
    assert Member.objects.filter(course=course, person__email="prof.smith@example.edu").count() == 2


def test_a_maker_of_courses_who_claims_an_address_gets_into_no_other_course(enter, course, mailed):
    """The second attack of the audit: the page of another course went from 404 to 200."""
    elsewhere = enrol(Course.objects.create(name="Geometry"), "Mel", Role.INSTRUCTOR)
    Person.objects.filter(pk=elsewhere.person_id).update(makes_courses=True, email="prof.jones@example.edu")
    path = mailed(name="Prof. Jones", email="prof.jones@example.edu", role="instructor")
    assert enter(elsewhere).get(f"/courses/{course.pk}/people/links/").status_code == 404
    accept(Client(), path)
    assert enter(elsewhere).get(f"/courses/{course.pk}/people/links/").status_code == 404
    assert not Member.objects.filter(course=course, person=elsewhere.person_id).exists()


def test_the_course_is_added_to_the_account_that_is_logged_in(enter, course, invited):
    elsewhere = enrol(Course.objects.create(name="Geometry"), "Mel", Role.INSTRUCTOR)
    client = enter(elsewhere)
    path = invited()
    assert "Mel" in client.get(path).content.decode()
    assert accept(client, path).url == f"/courses/{course.pk}/"
    assert staff_of(course) == {"Ida instructor", "Mel assistant"}
    assert not Person.objects.filter(name="Tim").exists()
    elsewhere.person.refresh_from_db()
    assert elsewhere.person.email == "mel@example.edu"
    assert elsewhere.person.email_verified_at is None, "the e-mail went to another address"
    page = client.get("/").content.decode()
    assert "Algorithms" in page
    assert "Geometry" in page


@pytest.mark.parametrize("emailed", [True, False])
def test_accepting_verifies_the_address_it_went_to(enter, invited, emailed):
    elsewhere = enrol(Course.objects.create(name="Geometry"), "Mel", Role.INSTRUCTOR)
    accept(enter(elsewhere), invited(email="mel@example.edu", emailed=emailed))
    elsewhere.person.refresh_from_db()
    assert (elsewhere.person.email_verified_at is not None) == emailed


def test_an_address_that_only_looks_the_same_is_not_verified(enter, invited):
    """The Kelvin sign becomes a k in small letters, and mail to it goes elsewhere."""
    elsewhere = enrol(Course.objects.create(name="Geometry"), "Mel", Role.INSTRUCTOR)
    Person.objects.filter(pk=elsewhere.person_id).update(email="mi\N{KELVIN SIGN}e@example.edu")
    accept(enter(elsewhere), invited(email="mike@example.edu"))
    elsewhere.person.refresh_from_db()
    assert elsewhere.person.email_verified_at is None


@pytest.mark.parametrize("removed", [False, True])
def test_a_student_cannot_accept(enter, students, outsider, course, invited, removed):
    path = invited()
    for student in (students[0], outsider):
        if removed:
            Member.objects.filter(pk=student.pk).update(removed_at=timezone.now())
        client = enter(student)
        page = client.get(path)
        assert page.status_code == 200
        assert 'name="account"' not in page.content.decode()
        assert client.post(path, {"account": str(student.person_id)}).status_code == 409
    assert staff_of(course) == {"Ida instructor"}
    accept(Client(), path)
    assert staff_of(course) == {"Ida instructor", "Tim assistant"}, "it is still open for the person it is for"


def test_staff_of_the_course_cannot_accept(enter, assistant, course, invited):
    """A change of role is an act of its own."""
    path = invited(role=Role.INSTRUCTOR)
    client = enter(assistant)
    assert 'name="account"' not in client.get(path).content.decode()
    assert client.post(path, {"account": str(assistant.person_id)}).status_code == 409
    assistant.refresh_from_db()
    assert assistant.role == Role.ASSISTANT


def test_the_account_that_was_shown_is_the_one_that_accepts(enter, course, invited):
    """Another tab may have logged in, or out, since the page was shown."""
    elsewhere = enrol(Course.objects.create(name="Geometry"), "Mel", Role.INSTRUCTOR)
    path = invited()
    client = enter(elsewhere)
    for account in ({}, {"account": ""}, {"account": "1"}):
        assert client.post(path, account).status_code == 409
    client.logout()
    assert client.post(path, {"account": str(elsewhere.person_id)}).status_code == 409
    assert staff_of(course) == {"Ida instructor"}


def test_somebody_who_was_removed_comes_back_by_an_invitation(enter, course, instructor, assistant, invited):
    members.remove_member(assistant, instructor.person)
    client = enter(assistant)
    assert client.get(f"/courses/{course.pk}/people/").status_code == 404
    accept(client, invited(role=Role.INSTRUCTOR))
    assert staff_of(course) == {"Ida instructor", "Asa instructor"}
    assert Member.objects.filter(person=assistant.person_id).count() == 1


# Links that do not work.


def refused(path: str, status: int, client: Client | None = None) -> None:
    """Neither looking nor accepting does anything but say so."""
    before = staff_of(Course.objects.get(name="Algorithms"))
    client = client or Client()
    for answer in (client.get(path), client.post(path, {"account": ""})):
        assert answer.status_code == status, answer.content.decode()
        assert "<h1>" in answer.content.decode()
    assert staff_of(Course.objects.get(name="Algorithms")) == before


def test_accepted_twice(course, invited):
    path = invited()
    guest = Client()
    accept(guest, path)
    assert guest.get(path).url == f"/courses/{course.pk}/"
    assert guest.post(path, {"account": ""}).url == f"/courses/{course.pk}/"
    refused(path, 410)
    assert staff_of(course) == {"Ida instructor", "Tim assistant"}


def test_expired(invited):
    path = invited()
    Invitation.objects.update(expires_at=timezone.now())
    refused(path, 410)


def test_revoked(enter, instructor, course, invited):
    path = invited()
    client = enter(instructor)
    where = f"/courses/{course.pk}/people/staff/invitations/{Invitation.objects.get().pk}/"
    assert client.post(where + "revoke/").status_code == 302
    refused(path, 410)
    assert client.post(where + "again/").status_code == 409
    assert client.post(where + "revoke/").status_code == 302
    assert Event.objects.filter(verb="invitation revoked").count() == 1
    assert "tim@example.edu" not in client.get(f"/courses/{course.pk}/people/staff/").content.decode()


def test_revoked_once_it_was_accepted(enter, instructor, course, invited):
    accept(Client(), invited())
    where = f"/courses/{course.pk}/people/staff/invitations/{Invitation.objects.get().pk}/"
    assert enter(instructor).post(where + "revoke/").status_code == 409
    assert enter(instructor).post(where + "again/").status_code == 409
    assert staff_of(course) == {"Ida instructor", "Tim assistant"}


def test_a_course_that_is_archived(course, invited):
    path = invited()
    Course.objects.filter(pk=course.pk).update(archived_at=timezone.now())
    refused(path, 410)


@pytest.mark.parametrize("how", ["removed", "assistant", "closed"])
def test_invited_by_somebody_who_is_no_instructor_any_more(course, invited, how):
    """An instructor who is removed must not come back by an invitation made before."""
    jo = enrol(course, "Jo", Role.INSTRUCTOR)
    path = invited(by=jo.person)
    if how == "closed":
        Person.objects.filter(pk=jo.person_id).update(is_active=False)
    else:
        change = {"removed_at": timezone.now()} if how == "removed" else {"role": Role.ASSISTANT}
        Member.objects.filter(pk=jo.pk).update(**change)
    refused(path, 410)


@pytest.mark.parametrize("token", ["x", "a" * 32, "%00", "../../", "0" * 5000, "\N{SNOWMAN}", "None"])
def test_unknown(client, course, invited, token):
    """Also where an invitation waits for its token."""
    invited()
    Invitation.objects.update(digest=None)
    assert client.get(f"/invitations/{token}/").status_code == 404
    assert client.post(f"/invitations/{token}/", {"account": ""}).status_code == 404


def test_guessing_is_slowed_down(client, invited, monkeypatch):
    monkeypatch.setattr("peerorder.web.people.throttling.MOST_BY_ADDRESS", 3)
    path = invited()
    seen = [client.get(f"/invitations/guess{at}/").status_code for at in range(5)]
    assert seen == [404, 404, 404, 429, 429]
    assert client.get(path).status_code == 200, "a good link works however many bad ones came from the same network"


# Sending, again, revoking, limits.


def test_sent_again_with_a_new_link(enter, instructor, course, mailed, work_off, mailoutbox):
    path = mailed()
    Invitation.objects.update(expires_at=timezone.now())
    first = Invitation.objects.get()
    client = enter(instructor)
    client.post(f"/courses/{course.pk}/people/staff/invitations/{first.pk}/again/")
    work_off()
    new = path_in(mailoutbox[-1].body)
    assert new != path
    refused(path, 410)
    accept(Client(), new)
    assert staff_of(course) == {"Ida instructor", "Tim assistant"}


def test_a_new_link_without_a_mail_server(no_mail_server, enter, instructor, course, invited):
    path = invited(emailed=False)
    where = f"/courses/{course.pk}/people/staff/invitations/{Invitation.objects.get().pk}/again/"
    new = path_in(enter(instructor).post(where).content.decode())
    refused(path, 410)
    accept(Client(), new)
    assert Person.objects.get(name="Tim").email_verified_at is None


def test_a_link_that_was_shown_verifies_nothing_once_there_is_a_mail_server(settings, enter, instructor, course):
    settings.EMAIL_BACKEND = PRINTED
    page = enter(instructor).post(f"/courses/{course.pk}/people/staff/invite/", TIM).content.decode()
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    accept(Client(), path_in(page))
    assert Person.objects.get(name="Tim").email_verified_at is None


def test_not_for_other_courses(enter, outsider, course, invited):
    invited()
    stranger = enrol(outsider.course, "Stan", Role.INSTRUCTOR)
    pk = Invitation.objects.get().pk
    for what in ("again", "revoke"):
        where = f"/courses/{outsider.course_id}/people/staff/invitations/{pk}/{what}/"
        assert enter(stranger).post(where).status_code == 404
        where = f"/courses/{course.pk}/people/staff/invitations/{pk}/{what}/"
        assert enter(stranger).post(where).status_code == 404
    assert Invitation.objects.get().state == "open"


def test_limits(course, instructor, monkeypatch):
    monkeypatch.setattr(invitations, "MOST", 4)
    monkeypatch.setattr(invitations, "MOST_TO_AN_ADDRESS", 2)
    other = Course.objects.create(name="Geometry")
    jo = enrol(other, "Jo", Role.INSTRUCTOR).person

    def send(email, where=course, by=instructor.person):
        invitations.invite(where, by, [Invitee("Tim", email, Role.ASSISTANT)])

    send("tim@example.edu")
    send("TIM@example.edu", other, jo)
    with pytest.raises(Refused):
        send("Tim@example.edu")
    send("a@example.edu")
    send("b@example.edu")
    # Sending again counts: it is one more e-mail.
    invitations.invite_again(Invitation.objects.get(email="a@example.edu"), instructor.person)
    with pytest.raises(Refused):
        send("c@example.edu")
    with pytest.raises(Refused):
        send("c@example.edu", course, jo)
    with pytest.raises(Refused):
        send("c@example.edu", other)
    send("c@example.edu", other, jo)
    Invitation.objects.update(invited_at=timezone.now() - timedelta(hours=25))
    send("c@example.edu")


def test_a_limit_is_a_page_of_its_own(enter, instructor, course, invited, monkeypatch):
    monkeypatch.setattr(invitations, "MOST", 1)
    path = invited()
    client, where = enter(instructor), f"/courses/{course.pk}/people/staff/"
    assert client.post(where + "invite/", TIM).status_code == 422
    assert client.post(where + f"invitations/{Invitation.objects.get().pk}/again/").status_code == 409
    assert client.get(path).status_code == 200, "the invitation that there is stays open"
    assert Invitation.objects.count() == 1


@pytest.mark.parametrize(
    "said",
    [
        {"role": "student"},
        {"role": "dean"},
        {"email": "nonsense"},
        {"email": ""},
        {"name": ""},
        {"name": "x" * 201},
        {"email": "a@example.edu\nBcc: b@example.edu"},
    ],
)
def test_forms_that_are_wrong(enter, instructor, course, said):
    answer = enter(instructor).post(f"/courses/{course.pk}/people/staff/invite/", TIM | said)
    assert answer.status_code == 422
    assert not Invitation.objects.exists()


def test_nothing_in_a_message_but_one_link(mailed, course, mailoutbox):
    """Neither names nor courses can put a second link into it, or a line into its head."""
    Course.objects.filter(pk=course.pk).update(name="{link} Algorithms\nBcc: all@example.edu")
    mailed(name="{link}")
    message = mailoutbox[-1]
    assert message.body.count("/invitations/") == 1
    assert "\n" not in message.subject
    assert message.recipients() == ["tim@example.edu"]


def test_the_account_keeps_name_and_address_and_the_invitation_does_not(invited):
    """Otherwise erasing the person would leave a copy."""
    accept(Client(), invited())
    invitation = Invitation.objects.get()
    assert (invitation.name, invitation.email) == ("", "")
    assert invitation.accepted_by.name == "Tim"


def test_names_and_addresses_of_people_who_did_not_accept_are_forgotten(course, instructor, invited):
    """Neither is the message kept that went to them."""
    invited()
    invited(email="ann@example.edu", name="Ann")
    accept(Client(), invited(email="bea@example.edu", name="Bea"))
    bea = Person.objects.get(name="Bea")
    assert Mail.objects.get(person_id=bea.pk).to == "bea@example.edu"
    Invitation.objects.exclude(name="Ann").update(expires_at=timezone.now() - invitations.KEPT - timedelta(days=1))
    invitations.forget_old()
    assert [invitation.name for invitation in Invitation.objects.all()] == ["Ann"]
    assert sorted(Mail.objects.values_list("to", flat=True)) == ["ann@example.edu", "bea@example.edu"]


def test_the_messages_of_a_course_show_where_an_invitation_went(enter, instructor, course, invited):
    invited()
    assert "tim@example.edu" in enter(instructor).get(f"/courses/{course.pk}/mails/").content.decode()
