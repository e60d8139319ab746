"""More papers for those who are done, if they want."""

import pytest
from django.template.loader import render_to_string

from peerorder.web.audit.models import Event
from peerorder.web.jobs.registry import JOBS
from peerorder.web.mail.models import Mail
from peerorder.web.monitor import queries, services
from peerorder.web.monitor.models import Offer
from peerorder.web.monitor.queries import offer_to
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
    page = client.get(more(short)).content.decode()
    assert "would be asked" in page
    assert not Offer.objects.exists()
    assert client.post(more(short)).status_code == 302
    work_off()
    asked = Offer.objects.all()
    assert asked
    assert {offer.member for offer in asked} <= set(students[:4])
    assert all(offer.papers >= 2 for offer in asked)
    assert Mail.objects.filter(key__startswith="offer").count() == len(asked)
    assert "more papers?" in offered(short, asked[0].member)
    assert "more papers?" in enter(asked[0].member).get(f"/assignments/{short.pk}/").content.decode()
    assert offered(short, students[6]).strip() == ""


def test_however_often_staff_ask_a_student_is_mailed_once(enter, instructor, assistant, short, work_off):
    """Pressed three times, each student got three messages (L8)."""
    for member in (instructor, instructor, assistant):
        assert enter(member).post(more(short)).status_code == 302
        work_off()
    # Two at once: the second finds the first one's job, or runs after it.
    services.ask_for_offers(short, instructor.person)
    services.ask_for_offers(short, assistant.person)
    work_off()
    asked = Offer.objects.filter(answered_at=None)
    assert asked
    mails = Mail.objects.filter(key__startswith="offer").values_list("person_id", flat=True)
    assert sorted(mails) == sorted(offer.member.person_id for offer in asked)


def test_a_new_question_after_an_answer_is_mailed(enter, instructor, short, work_off):
    services.ask_for_offers(short, instructor.person)
    work_off()
    offer = Offer.objects.first()
    mine = Mail.objects.filter(key__startswith="offer", person_id=offer.member.person_id)
    assert mine.count() == 1
    enter(offer.member).post(f"/assignments/{short.pk}/offer/", {"answer": "yes"})
    services.hand_out_to_willing()
    work_off()
    finish(short, offer.member)
    services.ask_for_offers(short, instructor.person)
    work_off()
    again = Offer.objects.filter(member=offer.member, answered_at=None).count()
    assert mine.count() == 1 + again


def test_who_says_yes_gets_papers(enter, instructor, short, work_off):
    services.ask_for_offers(short, instructor.person)
    work_off()
    offer = Offer.objects.first()
    had = set(Slot.objects.filter(grader=offer.member).values_list("paper", flat=True))
    client = enter(offer.member)
    assert client.post(f"/assignments/{short.pk}/offer/", {"answer": "yes"}).status_code == 302
    assert services.hand_out_to_willing() == 1
    assert services.hand_out_to_willing() == 0
    work_off()
    new = Slot.objects.filter(grader=offer.member, handout__why=Handout.Why.TOP_UP)
    assert new.count() >= 2
    assert not had & set(new.values_list("paper", flat=True))
    assert not Slot.objects.filter(handout__why=Handout.Why.TOP_UP).exclude(grader=offer.member).exists()
    assert queries.people(short).get(pk=offer.member_id).state == "extra"
    finish(short, offer.member)
    assert queries.people(short).get(pk=offer.member_id).state == "done"


def test_who_says_no_is_not_asked_again(enter, instructor, short, work_off):
    services.ask_for_offers(short, instructor.person)
    work_off()
    offer = Offer.objects.first()
    client = enter(offer.member)
    client.post(f"/assignments/{short.pk}/offer/", {"answer": "no"})
    assert services.hand_out_to_willing() == 0
    services.ask_for_offers(short, instructor.person)
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


def test_before_anybody_ranked_there_is_nobody_to_ask(enter, instructor, ranking):
    answer = enter(instructor).get(more(ranking))
    assert answer.status_code == 409
    assert "nobody to ask" in answer.content.decode()
