"""Papers for staff."""

from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member, Section
from peerorder.web.papers import services
from peerorder.web.papers.models import Authorship, Paper, State, Version
from peerorder.web.papers.submissions import check_file
from tests.web.factories import enrol
from tests.web.lifecycle.conftest import hand_out
from tests.web.papers.conftest import address, make_image, take, upload


@pytest.fixture
def paper(assignment, students):
    take(assignment, students[0], "first words")
    return take(assignment, students[0], "second words").paper


def test_the_list(enter, assignment, students, paper, assistant):
    take(assignment, students[1])
    # A random code may hold what is searched for.
    Paper.objects.filter(pk=paper.pk).update(code="222222222222")
    client = enter(assistant)

    def listed(query=""):
        page = client.get(address(assignment, f"papers/?{query}")).context["listing"].page
        return [str(paper.authorships.get().member) for paper in page]

    assert listed() == listed("sort=at") == ["Bo", "Cy"]
    assert listed("sort=-author") == listed("sort=-at") == ["Cy", "Bo"]
    assert listed("q=CY") == ["Cy"]
    assert listed("only=late") == []
    section = Section.objects.create(course=assignment.course, name="Monday")
    Member.objects.filter(pk=students[1].pk).update(section=section)
    assert listed(f"section={section.pk}") == ["Cy"]
    page = client.get(address(assignment, "papers/")).content.decode()
    assert f'href="/courses/{assignment.course_id}/people/{students[0].pk}/"' in page
    assert f'href="{address(assignment, f"papers/{paper.pk}/")}"' in page
    assert client.get(address(assignment, "papers/?page=nonsense&only=nonsense")).status_code == 200


def test_papers_are_found_by_their_code(enter, assignment, students, paper, assistant):
    other = take(assignment, students[1]).paper
    client = enter(assistant)
    for typed in (paper.code, paper.code[:9].upper(), f" {paper.code} "):
        page = client.get(address(assignment, "papers/"), {"q": typed}).content.decode()
        assert f"<code>{paper.code}</code>" in page
        assert other.code not in page


def test_the_list_needs_as_many_queries_for_many(
    enter, assignment, students, instructor, django_assert_max_num_queries
):
    for student in students:
        take(assignment, student)
    client = enter(instructor)
    with django_assert_max_num_queries(10):
        client.get(address(assignment, "papers/"))


def test_a_paper_and_its_versions(enter, assignment, paper, instructor):
    client = enter(instructor)
    page = client.get(address(assignment, f"papers/{paper.pk}/")).content.decode()
    assert "second words" in page
    assert "first words" not in page
    first = paper.versions.order_by("pk")[0]
    assert "first words" in client.get(address(assignment, f"papers/{paper.pk}/versions/{first.pk}/")).content.decode()


def test_pages_of_an_image(enter, assignment, students, instructor):
    version = services.hand_in(assignment, students[0], check_file(upload(make_image()), assignment))
    client = enter(instructor)
    base = address(assignment, f"papers/{version.paper_id}/")
    for place in (base, f"{base}versions/{version.pk}/"):
        assert client.get(f"{place}pages/1/").status_code == 200
        assert client.get(f"{place}pages/2/").status_code == 404


def test_taking_out_and_putting_back(enter, assignment, students, paper, instructor):
    client = enter(instructor)
    base = address(assignment, f"papers/{paper.pk}/")
    assert client.post(f"{base}withdraw/", {"withdrawn_because": ""}).status_code == 422
    assert client.post(f"{base}withdraw/", {"withdrawn_because": "It shows your name."}).status_code == 302
    paper.refresh_from_db()
    assert paper.withdrawn_at is not None
    assert "It shows your name." in client.get(base).content.decode()
    assert "It shows your name." in enter(students[0]).get(address(assignment, "my-paper/")).content.decode()
    client = enter(instructor)
    assert client.post(f"{base}put-back/").status_code == 302
    paper.refresh_from_db()
    assert (paper.withdrawn_at, paper.withdrawn_because) == (None, "")
    verbs = Event.objects.order_by("pk").values_list("verb", flat=True)
    assert list(verbs)[-2:] == ["paper withdrawn", "paper put back"]


def test_the_author_of_a_paper_that_was_taken_out_after_the_hand_out(enter, assignment, students, paper, instructor):
    hand_out(assignment, {students[1]: [paper]})
    Assignment.objects.update(stage=Stage.RANKING)
    services.withdraw(paper, instructor.person, "A copy.")
    client = enter(students[0])
    for page in ("my-paper/", "hand-in/", "receipt/"):
        answer = client.get(address(assignment, page))
        assert not answer.context["window"].is_open
        text = answer.content.decode()
        assert "A copy." in text
        assert "does not count" in text
        assert "better version" not in text


def test_a_paper_without_authors_stays_out(enter, assignment, paper, instructor):
    services.withdraw(paper, instructor.person, "x")
    paper.authorships.all().delete()
    answer = enter(instructor).post(address(assignment, f"papers/{paper.pk}/put-back/"))
    assert answer.status_code == 409
    assert "no longer has authors" in answer.content.decode()


def test_handing_in_for_a_student(enter, assignment, students, assistant):
    assignment.hand_in_by = timezone.now() - timedelta(days=1)
    assignment.save()
    client = enter(assistant)
    page = client.get(address(assignment, "papers/hand-in/"))
    assert page.status_code == 200
    assert "your file" not in page.content.decode()
    answer = client.post(
        address(assignment, "papers/hand-in/"),
        {"student": "BO@example.edu", "how": "text", "text": "by bo@example.edu"},
    )
    version = Version.objects.get()
    assert answer["Location"] == address(assignment, f"papers/{version.paper_id}/")
    assert (version.handed_in_by, version.late) == (assistant, True)
    assert version.paper.authorships.get().member == students[0]
    said = {message.level_tag: str(message) for message in client.get(answer["Location"]).context["messages"]}
    assert said.keys() == {"success", "warning"}
    assert "bo@example.edu" in said["warning"]
    event = Event.objects.get(verb="paper handed in for a student")
    assert (event.person_id, event.about_id) == (assistant.person_id, students[0].person_id)


@pytest.mark.parametrize("who", ["nobody", "", "oz", "asa@example.edu"])
def test_for_nobody_else(enter, assignment, students, assistant, outsider, who):
    place = address(assignment, "papers/hand-in/")
    answer = enter(assistant).post(place, {"student": who, "how": "text", "text": "words"})
    assert answer.status_code == 422
    assert "words</textarea>" in answer.content.decode()
    assert not Paper.objects.exists()


def test_a_student_is_found_by_a_part_of_the_name(enter, course, assignment, students, assistant):
    """m6: extensions did this, and handing in for somebody wanted the exact id."""
    twins = [enrol(course, name) for name in ("Bob Nguyen", "Mai Nguyen")]
    place, text = f"/assignments/{assignment.pk}/papers/hand-in/", {"how": "text", "text": "words"}
    client = enter(assistant)
    assert client.post(place, {"student": "mai", **text}).status_code == 302
    assert Authorship.objects.get().member == twins[1]
    answer = client.post(place, {"student": "nguyen", **text})
    assert answer.status_code == 422
    assert answer.context["form"].offered == twins
    assert client.post(place, {"student": "nguyen", "chosen": twins[0].pk, **text}).status_code == 302
    assert set(Authorship.objects.values_list("member", flat=True)) == {twin.pk for twin in twins}
    assert "Your text" not in client.get(place).content.decode()


def test_a_paper_that_graders_have_is_not_replaced(enter, round_of_three, students, instructor):
    place = address(round_of_three, "papers/hand-in/")
    answer = enter(instructor).post(place, {"student": "bo", "how": "text", "text": "words"})
    assert answer.status_code == 422
    assert "no longer be replaced" in answer.content.decode()


@pytest.mark.parametrize(
    "place", ["papers/", "papers/hand-in/", "papers/{}/", "papers/{}/versions/{}/", "papers/{}/pages/1/"]
)
def test_outsiders(client, enter, assignment, students, paper, outsider, course, place):
    path = address(assignment, place.format(paper.pk, paper.current_id))
    assert client.get(path).status_code == 302
    assert enter(outsider).get(path).status_code == 404
    assert enter(students[0]).get(path).status_code == 403
    elsewhere = enrol(type(course).objects.create(name="Zoology"), "Zoe", "instructor")
    assert enter(elsewhere).get(path).status_code == 404


@pytest.mark.parametrize("what", ["withdraw/", "put-back/"])
def test_outsiders_change_nothing(enter, assignment, students, paper, outsider, what):
    path = address(assignment, f"papers/{paper.pk}/{what}")
    assert enter(outsider).post(path, {"withdrawn_because": "x"}).status_code == 404
    assert enter(students[0]).post(path, {"withdrawn_because": "x"}).status_code == 403
    paper.refresh_from_db()
    assert paper.withdrawn_at is None


def test_a_paper_of_another_assignment_is_not_here(enter, assignment, paper, instructor, course):
    other = type(assignment).objects.create(course=course, title="Other", stage=assignment.stage)
    assert enter(instructor).get(address(other, f"papers/{paper.pk}/")).status_code == 404
    assert enter(instructor).get(address(assignment, f"papers/{paper.pk}/versions/99999/")).status_code == 404
    Version.objects.update(state=State.BROKEN, problem="It is broken.")
    assert "It is broken." in enter(instructor).get(address(assignment, f"papers/{paper.pk}/")).content.decode()
