"""The mails of a course."""

from django.utils import timezone

from peerorder.web.jobs.models import Job
from peerorder.web.mail.messages import Message
from peerorder.web.mail.models import MOST_TRIES, Mail
from peerorder.web.mail.services import queue


def test_it_works(enter, instructor, assistant, course, students, outsider):
    for member in students[:3]:
        queue(member.person, member.student, Message(f"About {member.student}", "b"), course_id=course.pk)
    queue(outsider.person, "o", Message("About Oz", "b"), course_id=outsider.course_id)
    Mail.objects.filter(key="bo").update(sent_at=timezone.now())
    Mail.objects.filter(key="cy").update(tries=MOST_TRIES, problem="The mail server refused the address.")
    address = f"/courses/{course.pk}/mails/"
    page = enter(assistant).get(address).content.decode()
    for said in ("Sent (1)", "Waiting (1)", "Failed (1)", "refused the address", "About bo"):
        assert said in page
    assert "About Oz" not in page
    assert "mails/again/" not in page
    assert f'href="/courses/{course.pk}/people/{students[0].pk}/"' in page
    page = enter(instructor).get(address, {"state": "failed"}).content.decode()
    assert "About cy" in page
    assert "About bo" not in page
    assert "mails/again/" in page

    def listed(**query):
        return [mail.key for mail, _person, _member in enter(instructor).get(address, query).context["listing"].page]

    assert listed() == listed(sort="-to") == ["di", "cy", "bo"]
    assert listed(sort="at") == ["bo", "cy", "di"]
    assert listed(q="About c") == listed(q="cy@") == ["cy"]
    assert listed(q="oz") == []


def test_try_again(enter, instructor, course, students, outsider):
    for member in (*students[:2], outsider):
        queue(member.person, member.student, Message("s", "b"), course_id=member.course_id)
    Mail.objects.exclude(key="cy").update(tries=MOST_TRIES)
    Job.objects.all().delete()
    answer = enter(instructor).post(f"/courses/{course.pk}/mails/again/", follow=True)
    assert answer.redirect_chain == [(f"/courses/{course.pk}/mails/", 302)]
    assert dict(Mail.objects.values_list("key", "tries")) == {"bo": 0, "cy": 0, "oz": MOST_TRIES}
    assert Job.objects.count() == 1


def test_nothing_yet(enter, instructor, course):
    assert 'class="empty"' in enter(instructor).get(f"/courses/{course.pk}/mails/").content.decode()


def test_outsiders(enter, students, outsider, course):
    address = f"/courses/{course.pk}/mails/"
    assert enter(outsider).get(address).status_code == 404
    assert enter(students[0]).get(address).status_code == 403
    assert enter(outsider).post(address + "again/").status_code == 404
