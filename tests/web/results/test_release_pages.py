"""The page of releases, what is signed off on it, and pages as a student sees them."""

import re
from datetime import timedelta
from html import unescape
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.results import services
from peerorder.web.results.mark_sheets import release_in_force
from peerorder.web.results.models import Decision, Look, Release
from peerorder.web.results.releases import GRACE, publish_due
from tests.web.results.conftest import release_now, sign_off


@pytest.fixture
def at(ranked):
    return f"/assignments/{ranked.pk}/release/"


def text_of(answer):
    """What people read."""
    text = re.sub(r"<[^>]*>", " ", answer.content.decode().partition("<main")[2])
    return " ".join(unescape(text).split())


def fields_of(answer):
    """What the form of the page sends, with the tick."""
    hidden = dict(re.findall(r'<input type="hidden" name="(what|seen)" value="(\w+)"', answer.content.decode()))
    return hidden | {"signs": "on"}


def test_from_the_page_to_marks_in_ten_minutes(marked, instructor, at, enter):
    client = enter(instructor)
    page = client.get(at)
    assert page.context["numbers"].marks == 8
    assert 'id="sign-off"' in page.content.decode()
    answer = client.post(f"{at}sign-off/", fields_of(page) | {"tells": "on"}, follow=True)
    release = Release.objects.get()
    assert (release.tells, release.marks, release.comments) == (True, True, True)
    assert release.due_at - release.signed_off_at == GRACE
    assert "in 9 minutes" in text_of(answer)
    assert 'id="sign-off"' not in answer.content.decode()
    assert 'id="published"' not in answer.content.decode()
    publish_due(release.due_at)
    page = client.get(at)
    assert 'id="published"' in page.content.decode()
    assert page.context["in_force"].number == 1


def test_nothing_is_released_without_the_tick(marked, instructor, at, enter):
    client = enter(instructor)
    fields = fields_of(client.get(at))
    fields.pop("signs")
    answer = client.post(f"{at}sign-off/", fields)
    assert answer.status_code == 422
    assert fields_of(answer)["seen"] == fields["seen"]
    assert not Release.objects.exists()


def test_a_time_is_one_of_the_course(marked, instructor, at, enter):
    client = enter(instructor)
    client.post(f"{at}sign-off/", fields_of(client.get(at)) | {"at": "2100-01-05T09:00"})
    assert Release.objects.get().due_at.isoformat() == "2100-01-05T07:00:00+00:00"


def test_a_time_that_has_passed_releases_nothing(marked, instructor, at, enter):
    client = enter(instructor)
    answer = client.post(f"{at}sign-off/", fields_of(client.get(at)) | {"at": "2020-01-05T09:00"})
    assert answer.status_code == 422
    assert [*answer.context["form"].errors] == ["at"]
    assert 'id="problems"' in answer.content.decode()
    assert not Release.objects.exists()


def test_a_time_that_is_too_soon_is_said_to_be(marked, instructor, at, enter):
    client = enter(instructor)
    soon = timezone.localtime(timezone.now() + timedelta(minutes=3), ZoneInfo(marked.course.time_zone))
    fields = fields_of(client.get(at)) | {"at": soon.strftime("%Y-%m-%dT%H:%M")}
    answer = client.post(f"{at}sign-off/", fields, follow=True)
    assert [message.level_tag for message in answer.context["messages"]] == ["success", "warning"]
    release = Release.objects.get()
    assert release.due_at - release.signed_off_at == GRACE


def test_a_correction_is_called_one(marked, instructor, papers, at, enter):
    client = enter(instructor)
    release_now(marked, instructor.person)
    assert "Release the same marks again" in text_of(client.get(at))
    services.decide(marked, Decision.Kind.MARK, papers[1], "12", "Regraded.", instructor.person)
    assert "Release corrected marks (1 student)" in text_of(client.get(at))


@pytest.mark.parametrize(("what", "marks", "comments"), [("comments", False, True), ("nothing", False, False)])
def test_without_marks(ranked, instructor, at, enter, what, marks, comments):
    """There need not even be a result."""
    client = enter(instructor)
    page = client.get(f"{at}?what={what}")
    assert client.post(f"{at}sign-off/", fields_of(page)).status_code == 302
    release = Release.objects.get()
    assert (release.marks, release.comments, release.result) == (marks, comments, None)


def test_a_page_that_is_old(marked, instructor, papers, at, enter):
    client = enter(instructor)
    fields = fields_of(client.get(at))
    services.decide(marked, Decision.Kind.MARK, papers[0], "1", "why", instructor.person)
    answer = client.post(f"{at}sign-off/", fields)
    assert (answer.status_code, Release.objects.count()) == (409, 0)
    assert "Check them again" in text_of(answer)


def test_there_is_no_button_without_marks(result, instructor, at, enter):
    page = enter(instructor).get(at)
    assert not page.context["ready"]
    assert "No scale" in text_of(page)
    assert 'id="sign-off"' not in page.content.decode()


def test_assistants_look_and_do_not_release(marked, instructor, assistant, at, enter):
    page = enter(assistant).get(at)
    assert page.context["numbers"].marks == 8
    assert "their paper 8" in text_of(page)
    assert 'id="sign-off"' not in page.content.decode()
    sign_off(marked, instructor.person)
    assert "Withdraw" not in text_of(enter(assistant).get(at))


def test_it_begins_when_ranking_is_over(assignment, instructor, enter):
    assert enter(instructor).get(f"/assignments/{assignment.pk}/release/").status_code == 409


def test_who_would_get_another_mark(marked, instructor, papers, at, enter):
    release_now(marked, instructor.person)
    client = enter(instructor)
    page = client.get(at)
    assert (page.context["shown_last"].number, page.context["changes"]) == (1, [])
    assert 'id="changes"' in page.content.decode()
    services.decide(marked, Decision.Kind.MARK, papers[1], "7", "why", instructor.person)
    page = client.get(at)
    assert [str(member) for member, _marks in page.context["changes"]] == ["Cy"]
    assert re.search(r"Cy cy [\d.]+ 7", text_of(page))
    assert (page.context["numbers"].told, page.context["numbers"].corrected) == (1, 1)
    assert "e-mailed 1 (1 " in text_of(page)


def test_withdrawing_without_a_reason_while_it_waits_and_with_one_later(marked, instructor, students, at, enter):
    client = enter(instructor)
    sign_off(marked, instructor.person)
    client.post(f"{at}1/withdraw/")
    assert Release.objects.get().withdrawn_at is not None
    release = release_now(marked, instructor.person)
    Look.objects.create(release=release, member=students[2])
    shown = text_of(client.get(f"{at}2/"))
    not_yet = text_of(client.get(f"{at}2/?only=not-looked"))
    assert "Di di" in shown
    assert "Di di" not in not_yet
    assert "Cy cy" in not_yet
    answer = client.post(f"{at}2/withdraw/")
    assert answer.status_code == 409
    assert "1 student has seen it" in text_of(answer)
    client.post(f"{at}2/withdraw/", {"reason": "A wrong scale."})
    assert release_in_force(marked) is None
    shown = text_of(client.get(at))
    assert "Release 2 : marks and comments" in shown
    assert "A wrong scale." in text_of(client.get(f"{at}2/"))


def test_steps_lead_to_the_release(marked, instructor, at, enter):
    client = enter(instructor)
    assert client.get(f"/assignments/{marked.pk}/move/released/").url == at
    release_now(marked, instructor.person)
    assert client.get(f"/assignments/{marked.pk}/move/review/").url == at
    assert "Release 1 was published" in text_of(client.get(f"/assignments/{marked.pk}/"))


def test_an_old_assignment_says_what_students_see(ranked, instructor, at, enter):
    ranked.stage = "released"
    ranked.save()
    assert "without a release" in text_of(enter(instructor).get(at))
    assert enter(instructor).get(f"/assignments/{ranked.pk}/move/review/").status_code == 200


def test_viewing_as_a_student_shows_the_draft_is_recorded_and_no_look(marked, instructor, papers, students, at, enter):
    services.decide(marked, Decision.Kind.MARK, papers[1], "7.25", "why", instructor.person)
    client = enter(instructor)
    assert "Cy" in text_of(client.get(f"{at}as/?q=cy"))
    page = client.get(f"{at}as/{students[1].pk}/")
    assert "7.25" in text_of(page)
    assert page.context["draft"]
    assert 'href="?draft=1"' not in page.content.decode()
    event = Event.objects.get(verb="viewed as student")
    assert (event.person_id, event.about_id) == (instructor.person_id, students[1].person_id)
    release_now(marked, instructor.person)
    services.decide(
        marked, Decision.Kind.MARK, papers[1], "8.5", "why", instructor.person, seen=Decision.objects.get().pk
    )
    shown = text_of(client.get(f"{at}as/{students[1].pk}/"))
    assert ("7.25" in shown, "8.5" in shown) == (True, False)
    assert "8.5" in text_of(client.get(f"{at}as/{students[1].pk}/?draft=1"))
    assert not Look.objects.exists()
    page = client.get(f"{at}as/{students[1].pk}/").content.decode()
    assert 'href="?draft=1"' in page
    assert "<form" not in page.partition("<main")[2].partition("</main>")[0]


def test_warnings_are_on_the_page(marked, instructor, students, at, enter):
    marked.extensions.create(member=students[1], rank_by=timezone.now() + timedelta(days=1))
    assert "1 student still has an extension for ranking" in text_of(enter(instructor).get(at))


def test_the_students_whose_result_can_be_viewed_are_searched_and_sorted(marked, instructor, students, at, enter):
    client = enter(instructor)

    def listed(query=""):
        found = re.findall(rf'href="{at}as/(\d+)/"', client.get(f"{at}as/{query}").content.decode())
        return [int(pk) for pk in found]

    everybody = {student.pk for student in students}
    assert set(listed()) == everybody
    assert listed("?sort=-name") == listed()[::-1]
    assert listed("?q=cy") == [students[1].pk]
    assert listed("?q=nobody") == []
