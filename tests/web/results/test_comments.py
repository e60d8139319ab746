"""Staff read all comments before students do, find those that stand out, and hide them with a reason."""

import pytest

from peerorder.web.audit.models import Event
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Problem, Slot
from peerorder.web.ranking.services import erase_comments, report
from peerorder.web.results import moderation
from peerorder.web.results.comment_filters import Filter, StaffComment, all_comments, fill_in, known_names
from peerorder.web.results.comments import comment_texts, received_comments
from peerorder.web.results.models import CommentFeedback, HiddenComment
from tests.web.factories import complete_ranking, enrol, submit_ranking
from tests.web.ranking.conftest import at_ranking, do

TEXTS = {
    0: "Hál has written this, I am sure of it.",
    1: "Too short.",
    2: "A nasty turn of phrase is in it somewhere.",
    3: "The same words as in another comment.",
    4: "The  same words as in another comment.",
    5: "A remark about algorithms, which are no name.",
    6: "Falling halogen lamps, and nothing else of note.",
}


@pytest.fixture
def commented(assignment, papers, students, instructor):
    """One comment by everybody but the last, as in ``TEXTS``."""
    assignment.comments = True
    at_ranking(assignment)
    do(handouts.enqueue_first_handout(assignment))
    for number, text in TEXTS.items():
        slots = list(assignment.slots.filter(grader=students[number]))
        said = {"orders": {"0": [[slot.token] for slot in slots]}, "unjudged": [], "comments": {slots[0].token: text}}
        submit_ranking(assignment, students[number], said)
    moderation.watch_words(assignment, "NASTY turn\n\nunused", instructor.person)
    return assignment


@pytest.fixture
def page(assignment) -> str:
    return f"/assignments/{assignment.pk}/comments/"


def found_by(assignment, name: Filter) -> set[str]:
    return {each.text for each in comments_of(assignment) if name.value in each.filters}


def comments_of(assignment) -> list[StaffComment]:
    return fill_in(assignment, all_comments(assignment))


def test_filters(commented):
    assert len(all_comments(commented)) == len(TEXTS)
    assert found_by(commented, Filter.NAMES) == {TEXTS[0]}
    assert found_by(commented, Filter.WORDS) == {TEXTS[2]}
    assert found_by(commented, Filter.SHORT) == {TEXTS[1]}
    assert found_by(commented, Filter.IDENTICAL) == {TEXTS[3], TEXTS[4]}
    assert found_by(commented, Filter.SEVERAL) == set()


def test_what_was_found_is_said(commented):
    found = {each.text: each.words for each in comments_of(commented)}
    assert (found[TEXTS[0]], found[TEXTS[2]], found[TEXTS[6]]) == (("hal",), ("nasty turn",), ())


def test_a_comment_that_changes_is_read_again(commented, students):
    assert found_by(commented, Filter.SHORT) == {TEXTS[1]}
    # The comments on the paper of somebody who is erased go, too.
    slot = commented.slots.filter(grader=students[6]).exclude(paper__authorships__member=students[1]).first()
    said = complete_ranking(commented, students[6])
    submit_ranking(commented, students[6], said | {"comments": {slot.token: "Short."}})
    assert found_by(commented, Filter.SHORT) == {TEXTS[1], "Short."}
    erase_comments(students[1])
    assert found_by(commented, Filter.SHORT) == {"Short."}


def test_names_are_not_the_words_of_the_course(commented):
    assert {"hal", "ivy", "ida"} <= known_names(commented)
    # Too short, or what the course is about.
    enrol(commented.course, "Al Algorithms van Gogh")
    assert {"bo", "al", "algorithms", "van"}.isdisjoint(known_names(commented))
    assert "gogh" in known_names(commented)


def test_several_by_one_person(ranked):
    assert found_by(ranked, Filter.SEVERAL) == set()
    enrol(ranked.course, "Remark")
    assert len(found_by(ranked, Filter.SEVERAL)) == len(all_comments(ranked)) == 21


def test_papers_that_were_reported_come_first(commented, students):
    last = all_comments(commented)[-1]
    report(Slot.objects.filter(paper=last.paper).first(), Problem.Kind.UNSAFE, "", students[0].person)
    found = all_comments(commented)
    assert found[0].first
    assert found[0].paper == last.paper


def test_hide_a_comment_with_a_reason_and_show_it_again(commented, enter, assistant, page):
    slot = next(each.slot for each in comments_of(commented) if each.text == TEXTS[1])
    paper = Slot.objects.get(pk=slot).paper_id
    client = enter(assistant)
    assert client.post(f"{page}{slot}/", {"reason": " "}).status_code == 422
    assert client.post(f"{page}{slot}/", {"reason": "It says nothing."}).status_code == 302
    assert found_by(commented, Filter.HIDDEN) == {TEXTS[1]}
    assert TEXTS[1] not in [each.text for each in received_comments(paper)]
    text = client.get(f"{page}{slot}/").content.decode()
    assert "It says nothing." in text
    # A second one changes nothing.
    client.post(f"{page}{slot}/", {"reason": "Another reason."})
    assert HiddenComment.objects.get().reason == "It says nothing."
    assert client.post(f"{page}{slot}/show/").status_code == 302
    assert TEXTS[1] in [each.text for each in received_comments(paper)]
    verbs = Event.objects.filter(verb__startswith="comment").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["comment hidden", "comment shown again"]


def test_after_hiding_a_comment_the_list_is_as_it_was(commented, enter, assistant, page):
    client, slot = enter(assistant), comments_of(commented)[0].slot
    assert f"{slot}/?page=1" in client.get(f"{page}?page=1").content.decode()
    assert f'href="{page}?only=short&amp;page=2"' in client.get(f"{page}{slot}/?only=short&page=2").content.decode()
    answer = client.post(f"{page}{slot}/?only=short&page=2", {"reason": "It says nothing."})
    assert answer.url == f"{page}?only=short&page=2#comment-{slot}"
    assert client.post(f"{page}{slot}/show/?only=nonsense&page=x").url == f"{page}#comment-{slot}"


def test_what_authors_report_is_for_staff(commented, enter, instructor, students, page):
    comment = comments_of(commented)[0]
    CommentFeedback.objects.create(slot_id=comment.slot, member=students[0], kind="report", text="It is rude.")
    assert found_by(commented, Filter.REPORTED) == {comment.text}
    assert "It is rude." in enter(instructor).get(f"{page}{comment.slot}/").content.decode()


def test_the_pages_of_the_list(ranked, enter, instructor, page, monkeypatch):
    monkeypatch.setattr("peerorder.web.results.views.comments.A_PAGE", 20)
    first, second = (enter(instructor).get(f"{page}?page={number}").content.decode() for number in (1, 2))
    assert (first.count("A remark of"), second.count("A remark of")) == (20, 1)


def test_the_list_of_words_is_the_instructors(commented, enter, assistant, instructor, page):
    assert enter(assistant).post(f"{page}words/", {"words": "same"}).status_code == 403
    assert enter(instructor).post(f"{page}words/", {"words": "x" * 5001}).status_code == 409
    assert enter(instructor).post(f"{page}words/", {"words": "Sámé\nsame"}).status_code == 302
    assert found_by(commented, Filter.WORDS) == {TEXTS[3], TEXTS[4]}


def test_a_comment_of_another_assignment_is_not_found(commented, enter, instructor, page):
    other = commented.course.assignments.create(title="Other", stage="ranking")
    slot = all_comments(commented)[0].slot
    assert enter(instructor).get(f"/assignments/{other.pk}/comments/{slot}/").status_code == 404
    assert comment_texts(0) == {}
