"""Late papers join: first staff see who gets how many, and nobody is called done who is not."""

from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.lifecycle.queries import count
from peerorder.web.mail.models import Mail
from peerorder.web.monitor import forecast, queries
from peerorder.web.ranking.models import Slot
from tests.web.monitor.conftest import finish, hand_in


@pytest.fixture
def late(ranking, students):
    """Everybody else is done, and the paper of the last waits."""
    for student in students[:-1]:
        finish(ranking, student)
    hand_in(ranking, students[-1])
    return students[-1]


def path(assignment):
    return f"/assignments/{assignment.pk}/monitor/late/"


def test_staff_see_who_gets_how_many_and_then_it_is_so(ranking, students, late, assistant, enter, work_off):
    client = enter(assistant)
    before = Slot.objects.count()
    page = client.get(path(ranking)).content.decode()
    assert Slot.objects.count() == before
    assert not Event.objects.filter(verb="late papers let join").exists()
    found = forecast.preview_late_papers(ranking)
    assert (found.papers, found.late) == (1, [(late.pk, 3)])
    assert found.again == len(found.others) > 0
    assert "Finished students" in page
    assert 'name="tell"' in page
    client.post(path(ranking), {"tell": "on"})
    work_off()
    new = Slot.objects.filter(handout__why="joined")
    assert {grader: new.filter(grader=grader).count() for grader in new.values_list("grader", flat=True)} == {
        **dict(found.late),
        **dict(found.others),
    }
    assert Event.objects.get(verb="late papers let join").person_id == assistant.person_id
    assert Mail.objects.count() == len(found.late) + len(found.others)


def test_without_the_tick_nobody_gets_a_mail(ranking, late, instructor, enter, work_off):
    assert ranking.tells_students
    enter(instructor).post(path(ranking))
    work_off()
    assert Slot.objects.filter(handout__why="joined").exists()
    assert not Mail.objects.exists()


def test_all_pages_mean_the_same_by_done(ranking, students, late, instructor, enter, work_off):
    client = enter(instructor)
    again = [member for member, _ in forecast.preview_late_papers(ranking).others]
    client.post(path(ranking))
    work_off()
    done = 7 - len(again)
    assert queries.count_by_state(ranking)["done"] == count(ranking).done == done
    assert queries.count_by_state(ranking)["added"] == count(ranking).with_new_papers == len(again)
    # M8: everywhere the same number has handed in, whatever came since.
    for page in ("/", f"/assignments/{ranking.pk}/monitor/"):
        assert "7 of 8 students" in client.get(page).content.decode(), page
    counts = client.get(f"/assignments/{ranking.pk}/").context["counts"]
    assert (counts.handed_in, counts.graders, counts.with_new_papers) == (7, 8, len(again))
    monitor = client.get(f"/assignments/{ranking.pk}/monitor/").content.decode()
    assert f"{len(again)} of these" in monitor
    moving = client.get(f"/assignments/{ranking.pk}/move/review/").context["preview"]
    assert [number for _what, number in moving.numbers][:3] == [8, 7, len(again)]
    # Nobody is asked for more who has more already.
    assert not {member for member, _ in forecast.plan_top_up(ranking).asked} & {*again, late.pk}
    for member in students:
        finish(ranking, member)
    assert queries.count_by_state(ranking)["done"] == count(ranking).done == 8


def test_the_monitor_and_the_page_that_asks_for_more_have_one_base(ranking, students, instructor, enter):
    """M8: a late paper that waits counted on one page and not on the other."""
    for student in students[:5]:
        finish(ranking, student)
    before, _fresh = forecast.forecast_round(ranking)
    hand_in(ranking, students[-1])
    now, _fresh = forecast.forecast_round(ranking)
    assert now.now == forecast.plan_top_up(ranking).before
    assert now.papers == before.papers + 1


def test_a_paper_that_was_withdrawn_since_keeps_nobody_from_being_done(ranking, late, instructor, enter, work_off):
    enter(instructor).post(path(ranking))
    work_off()
    paper = late.authorships.get(assignment=ranking).paper
    paper.withdrawn_at = timezone.now()
    paper.save()
    assert queries.count_by_state(ranking)["done"] == count(ranking).done == 7


def test_who_could_still_replace_a_paper_is_named(ranking, late, instructor, enter):
    client = enter(instructor)
    assert client.get(path(ranking)).context["replaceable"] == []
    Extension.objects.create(assignment=ranking, member=late, hand_in_by=timezone.now() + timedelta(days=1))
    page = client.get(path(ranking))
    assert page.context["replaceable"] == [late]
    assert ": Ivy." in page.content.decode()


def test_where_nothing_waits_nothing_is_offered(ranking, instructor, enter):
    page = enter(instructor).get(path(ranking)).content.decode()
    assert "No late papers" in page
    assert 'name="tell"' not in page


def test_only_staff_and_only_while_people_rank(ranking, late, students, instructor, outsider, enter):
    for member, status in ((students[0], 403), (outsider, 404)):
        assert enter(member).get(path(ranking)).status_code == status
        assert enter(member).post(path(ranking)).status_code == status
    ranking.stage = Stage.REVIEW
    ranking.save()
    assert enter(instructor).get(path(ranking)).status_code == 409
