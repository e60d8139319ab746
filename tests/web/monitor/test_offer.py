"""More papers for those who are done, if they want."""

import pytest
from django.db.models import Count
from django.template.loader import render_to_string
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.jobs.registry import JOBS
from peerorder.web.mail.models import Mail
from peerorder.web.monitor import queries, services
from peerorder.web.monitor.models import Offer
from peerorder.web.monitor.queries import offer_to
from peerorder.web.monitor.states import students_with_state
from peerorder.web.ranking.models import Handout, Slot
from tests.web.monitor.conftest import finish


@pytest.fixture
def short(ranking, students, monkeypatch):
    """Four of seven are done, so some papers are short of rankings."""
    monkeypatch.setitem(JOBS, "mails", lambda job, progress: "")
    ranking.papers_each = 5  # so that two rankings are too few
    ranking.save()
    for student in students[:4]:
        finish(ranking, student)
    return ranking


def more(assignment):
    return f"/assignments/{assignment.pk}/monitor/more/"


def offered(assignment, member):
    return render_to_string("monitor/offer.html", {"assignment": assignment, "offer": offer_to(assignment, member)})


def test_staff_see_whom_to_ask_and_ask_them(enter, instructor, short, students, work_off):
    client = enter(instructor)
    assert client.get(more(short)).context["asked"] > 0
    assert not Offer.objects.exists()
    assert client.post(more(short), {"tell": "on"}).status_code == 302
    work_off()
    asked = Offer.objects.all()
    assert asked
    assert {offer.member for offer in asked} <= set(students[:4])
    assert {offer.papers for offer in asked} == {2}
    assert Mail.objects.filter(key__startswith="offer").count() == len(asked)
    assert "more papers?" in offered(short, asked[0].member)
    assert "more papers?" in enter(asked[0].member).get(f"/assignments/{short.pk}/").content.decode()
    assert offered(short, students[6]).strip() == ""


def test_however_often_staff_ask_a_student_is_mailed_once(enter, instructor, assistant, short, work_off):
    """Pressed three times, each student got three messages (L8)."""
    for member in (instructor, instructor, assistant):
        assert enter(member).post(more(short), {"tell": "on"}).status_code == 302
        work_off()
    # Two at once: the second finds the first one's job, or runs after it.
    services.enqueue_offers(short, instructor.person, tell=True)
    services.enqueue_offers(short, assistant.person, tell=True)
    work_off()
    asked = Offer.objects.filter(answered_at=None)
    assert asked
    mails = Mail.objects.filter(key__startswith="offer").values_list("person_id", flat=True)
    assert sorted(mails) == sorted(offer.member.person_id for offer in asked)


def test_a_new_question_after_an_answer_is_mailed(enter, instructor, short, work_off):
    services.enqueue_offers(short, instructor.person, tell=True)
    work_off()
    offer = Offer.objects.first()
    mine = Mail.objects.filter(key__startswith="offer", person_id=offer.member.person_id)
    assert mine.count() == 1
    enter(offer.member).post(f"/assignments/{short.pk}/offer/", {"answer": "yes"})
    services.serve_accepted_offers()
    work_off()
    finish(short, offer.member)
    services.enqueue_offers(short, instructor.person, tell=True)
    work_off()
    again = Offer.objects.filter(member=offer.member, answered_at=None).count()
    assert mine.count() == 1 + again


def test_who_says_yes_gets_papers(enter, instructor, short, work_off):
    services.enqueue_offers(short, instructor.person, tell=True)
    work_off()
    offer = Offer.objects.first()
    had = set(Slot.objects.filter(grader=offer.member).values_list("paper", flat=True))
    client = enter(offer.member)
    assert client.post(f"/assignments/{short.pk}/offer/", {"answer": "yes"}).status_code == 302
    assert services.serve_accepted_offers() == 1
    assert services.serve_accepted_offers() == 0
    work_off()
    new = Slot.objects.filter(grader=offer.member, handout__why=Handout.Why.TOP_UP)
    assert new.count() >= 2
    assert not had & set(new.values_list("paper", flat=True))
    assert not Slot.objects.filter(handout__why=Handout.Why.TOP_UP).exclude(grader=offer.member).exists()
    assert students_with_state(short).get(pk=offer.member_id).state == "extra"
    finish(short, offer.member)
    assert students_with_state(short).get(pk=offer.member_id).state == "done"


def test_who_says_no_is_not_asked_again(enter, instructor, short, work_off):
    services.enqueue_offers(short, instructor.person, tell=True)
    work_off()
    offer = Offer.objects.first()
    client = enter(offer.member)
    client.post(f"/assignments/{short.pk}/offer/", {"answer": "no"})
    assert services.serve_accepted_offers() == 0
    services.enqueue_offers(short, instructor.person, tell=True)
    work_off()
    assert not Offer.objects.filter(member=offer.member, answered_at=None).exists()
    assert Event.objects.filter(verb="offer answered").get().details == {"accepted": False}


def test_an_answer_that_nobody_waits_for_changes_nothing(enter, short, students, outsider):
    client = enter(students[0])
    address = f"/assignments/{short.pk}/offer/"
    assert client.post(address, {"answer": "yes"}).status_code == 302
    assert client.post(address, {"answer": "perhaps"}).status_code == 404
    assert not Offer.objects.exists()
    assert enter(outsider).post(address, {"answer": "yes"}).status_code == 404


def test_without_the_tick_no_message_is_written(enter, instructor, short, work_off):
    """There was no tick, though the docs promise one (M9, m21)."""
    assert enter(instructor).post(more(short)).status_code == 302
    work_off()
    assert Offer.objects.exists()
    assert not Mail.objects.exists()


def test_nobody_gets_more_than_two_at_a_time(enter, instructor, short, students, work_off):
    """Somebody with 5 papers was asked for 5 more (m21)."""
    short.papers_each = 12
    short.save()
    services.enqueue_offers(short, instructor.person)
    work_off()
    assert {offer.papers for offer in Offer.objects.all()} == {2}
    for offer in Offer.objects.all():
        enter(offer.member).post(f"/assignments/{short.pk}/offer/", {"answer": "yes"})
    services.serve_accepted_offers()
    work_off()
    new = Slot.objects.filter(handout__why=Handout.Why.TOP_UP).order_by().values("grader").annotate(many=Count("pk"))
    assert {each["many"] for each in new} == {2}


def test_staff_see_who_said_yes_or_no(enter, instructor, short, students, work_off):
    services.enqueue_offers(short, instructor.person)
    work_off()
    first, second, third = Offer.objects.order_by("pk")[:3]
    for offer, said in ((first, "yes"), (second, "no")):
        enter(offer.member).post(f"/assignments/{short.pk}/offer/", {"answer": said})
    lines = {
        line.member.pk: line.offer for line in queries.student_rows(short, students_with_state(short), timezone.now())
    }
    assert [lines[each.member_id].accepted for each in (first, second, third)] == [True, False, None]
    page = enter(instructor).get(f"/assignments/{short.pk}/monitor/").content.decode()
    assert all(each in page for each in ("agreed to rank", "declined to rank", "asked to rank"))


def test_before_anybody_ranked_there_is_nobody_to_ask(enter, instructor, ranking):
    answer = enter(instructor).get(more(ranking))
    assert answer.status_code == 409
