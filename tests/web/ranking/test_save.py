"""Saving as people go."""

import json
from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.courses.models import Course
from peerorder.web.monitor.states import state_of
from peerorder.web.monitor.student_state import State
from peerorder.web.papers import services as papers
from peerorder.web.ranking import handouts, services
from peerorder.web.ranking.models import Ballot, Save, Slot, UncountedSave
from tests.web.factories import enrol, submit_ranking
from tests.web.ranking.conftest import content, do, hand_in_paper


def test_it_saves(send, tokens, round_, grader):
    a, b, c = tokens
    answer = send(content([b, [a, c]]))
    assert answer.status_code == 200
    assert answer.json()["revision"] == 1
    assert answer.json()["papers"] == 3
    ballot = Ballot.objects.get(assignment=round_, grader=grader)
    assert ballot.content == {"orders": {"0": [[b], [a, c]]}, "unjudged": [], "comments": {}}
    assert ballot.submission is None
    saved = Save.objects.get()
    assert (saved.revision, saved.hands_in, saved.conflict, saved.late) == (1, False, False, False)


def test_every_save_is_kept_and_cannot_be_changed(send, tokens):
    for number in range(1, 4):
        assert send(content(tokens[:number]), revision=number - 1, number=number).json()["revision"] == number
    assert [save.content for save in Save.objects.order_by("pk")] == [content(tokens[:n]) for n in (1, 2, 3)]
    for change in (lambda: Save.objects.update(content={}), lambda: Save.objects.all().delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_a_part_of_the_papers_may_be_placed(send, tokens):
    assert send(content(tokens[:1])).status_code == 200
    assert send(content([tokens[2]], [tokens[0]]), 1, number=2).json()["revision"] == 2


def test_sent_twice_counts_once(send, tokens):
    assert send(content(tokens)).json() == send(content(tokens)).json()
    assert Save.objects.count() == 1


def test_a_page_is_not_in_conflict_with_itself(send, tokens):
    """Its first save arrived and the answer did not: the next one is made from the old revision too."""
    assert send(content(tokens), 0, number=1).json()["revision"] == 1
    assert send(content(tokens[::-1]), 0, number=2).json()["revision"] == 2
    assert Ballot.objects.get().content == content(tokens[::-1])


def test_nothing_old_overtakes_something_new(send, tokens):
    send(content(tokens[::-1]), 0, number=2)
    answer = send(content(tokens), 0, number=1)
    assert answer.status_code == 200
    assert Ballot.objects.get().content == content(tokens[::-1])
    assert UncountedSave.objects.filter(why="conflict").count() == 1


def test_two_tabs(send, tokens):
    mine, theirs = content(tokens), content(tokens[::-1])
    send(theirs, 0, page="other")
    answer = send(mine, 0, page="this")
    assert answer.status_code == 409
    assert answer.json()["content"] == theirs
    assert answer.json()["revision"] == 1
    assert Ballot.objects.get().content == theirs
    kept = UncountedSave.objects.get(why="conflict")
    assert kept.content == mine
    # Whoever chose keeps that; then the other tab is the one that is asked.
    assert send(mine, 1, page="this", number=2).status_code == 200
    assert send(theirs, 1, page="other", number=2).status_code == 409
    assert Ballot.objects.get().content == mine


BAD = {
    "no dictionary": lambda t: [],
    "unknown key": lambda t: {"order": []},
    "orders is a list": lambda t: {"orders": [], "unjudged": [], "comments": {}},
    "order is a text": lambda t: {"orders": {"0": t[0]}},
    "group is a text": lambda t: {"orders": {"0": [t[0]]}},
    "empty group": lambda t: {"orders": {"0": [[]]}},
    "number as token": lambda t: {"orders": {"0": [[1]]}},
    "list as token": lambda t: {"unjudged": [[]]},
    "twice in the order": lambda t: content([t[0], t[0]]),
    "in both lists": lambda t: content([t[0]], [t[0]]),
    "twice unjudged": lambda t: content([], [t[0], t[0]]),
    "another part": lambda t: content([t[0]], part="1"),
    "no part": lambda t: content([t[0]], part="x"),
    "a comment on nothing": lambda t: content([], comments={"x": "y"}),
    "a comment that is none": lambda t: content([], comments={t[0]: 1}),
    "a million letters": lambda t: content([], comments={t[0]: "x" * 1_000_000}),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_shapes_are_refused(send, tokens, name):
    answer = send(BAD[name](tokens))
    assert answer.status_code == 400
    assert answer.json()["error"]
    assert not Ballot.objects.exists()


def test_a_forged_bundle(send, tokens, grader):
    other = Slot.objects.exclude(grader=grader).first()
    answer = send(content([*tokens, other.token]))
    assert answer.status_code == 400
    assert "not one of yours" in answer.json()["error"]
    assert not Save.objects.exists()


@pytest.mark.parametrize(
    "raw", ["", "nonsense", "[]", "1", "[" * 100_000, '{"revision": 0}', b"\xff\xfe", '{"revision": NaN}']
)
def test_bad_bodies_are_refused(send, raw):
    assert send(None, raw=raw).status_code == 400


@pytest.mark.parametrize("field", [{"revision": -1}, {"revision": True}, {"revision": 2**40}, {"revision": "x"}])
def test_bad_numbers_are_refused(send, tokens, field):
    whole = {"revision": 0, "client": "page", "number": 1, "content": content(tokens), **field}
    assert send(None, raw=json.dumps(whole)).status_code == 400


@pytest.mark.parametrize("page", ["", "x" * 33, "<script>", 7])
def test_bad_names_of_pages_are_refused(send, tokens, page):
    assert send(content(tokens), page=page).status_code == 400


def test_too_much_is_refused(send):
    answer = send(None, raw=json.dumps({"content": "x" * 3_000_000}))
    assert answer.status_code == 400
    assert "too large" in answer.json()["error"]


def test_letters_that_no_database_takes_are_left_out(send, tokens, round_):
    Assignment.objects.update(comments=True)
    raw = json.dumps(
        {"revision": 0, "client": "p", "number": 1, "content": content([], comments={tokens[0]: "a\x00b\ud800c"})}
    )
    assert send(None, raw=raw).status_code == 200
    assert Ballot.objects.get().content["comments"] == {tokens[0]: "abc"}


def test_ties_only_where_allowed(send, tokens):
    Assignment.objects.update(ties=False)
    assert send(content([tokens[:2], tokens[2]])).status_code == 400
    assert send(content(tokens)).status_code == 200


def test_cannot_judge_only_where_allowed(send, tokens):
    Assignment.objects.update(cannot_judge=False)
    assert send(content(tokens[:2], [tokens[2]])).status_code == 400


def test_comments_up_to_the_longest(send, tokens):
    Assignment.objects.update(comments=True)
    assert send(content([], comments={tokens[0]: "x" * 5001})).status_code == 400
    assert send(content([], comments={tokens[0]: "x" * 5000})).status_code == 200


def test_after_the_deadline_it_is_kept_and_does_not_count(send, tokens):
    send(content(tokens))
    Assignment.objects.update(rank_by=timezone.now() - timedelta(seconds=1))
    answer = send(content(tokens[::-1]), 1, number=2)
    assert answer.status_code == 409
    assert answer.json()["late"] is True
    assert Ballot.objects.get().content == content(tokens)
    late = UncountedSave.objects.get(why="late")
    assert late.content == content(tokens[::-1])


def test_more_time_was_granted(send, tokens, round_, grader):
    Assignment.objects.update(rank_by=timezone.now() - timedelta(hours=1))
    Extension.objects.create(assignment=round_, member=grader, rank_by=timezone.now() + timedelta(hours=1))
    assert send(content(tokens)).status_code == 200
    # Even when the round has gone on without them.
    Assignment.objects.update(stage=Stage.REVIEW)
    assert send(content(tokens[::-1]), 1, number=2).status_code == 200
    Assignment.objects.update(stage=Stage.RELEASED)
    assert send(content(tokens), 2, number=3).status_code == 409


def test_new_papers_while_the_page_is_open(send, tokens, round_):
    send(content(tokens))
    late = [enrol(round_.course, name) for name in ("Jo", "Kim", "Lee", "Mo", "Nat", "Ola", "Pia", "Qi")]
    for member in late:
        hand_in_paper(round_, member)
    do(handouts.enqueue_late_handout(round_))
    assert Slot.objects.filter(token__in=tokens).count() == 3
    answer = send(content(tokens[::-1]), 1, number=2)
    assert answer.status_code == 200
    assert answer.json()["papers"] == Slot.objects.filter(grader__slots__token=tokens[0]).count()
    assert Ballot.objects.get().content == content(tokens[::-1])


def test_a_paper_that_was_taken_out_keeps_its_place(send, tokens, round_, grader, instructor):
    a, b, c = tokens
    submit_ranking(round_, grader, content([a, b, c]))
    paper = Slot.objects.get(token=b).paper
    papers.withdraw(paper, instructor.person, "A copy.")
    # The page does not show it, and knows nothing of it.
    assert send(content([c, a]), Ballot.objects.get().revision).status_code == 200
    submit_ranking(round_, grader, content([c, a]))
    papers.put_back(paper, instructor.person)
    assert Ballot.objects.get().submitted == content([c, a, b])
    assert state_of(round_, grader, timezone.now()).state == State.DONE


def test_outsiders_and_staff_cannot_save(client, round_, tokens, outsider, instructor):
    body = json.dumps({"revision": 0, "client": "p", "number": 1, "content": content(tokens)})
    address = f"/assignments/{round_.pk}/ranking/save/"
    assert client.post(address, body, content_type="application/json").status_code == 403
    for member, status in ((outsider, 404), (instructor, 403)):
        client.force_login(member.person)
        assert client.post(address, body, content_type="application/json").status_code == status
    assert client.get(address).status_code in (403, 405)
    assert not Ballot.objects.exists()


def test_a_page_that_may_not_save_is_told_why(send, tokens, round_, grader):
    """Who is not logged in is told so by the page itself."""
    whole = json.dumps({"revision": 0, "client": "p", "number": 1, "content": content(tokens)})
    address = f"/assignments/{round_.pk}/ranking/save/"
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(grader.person)
    answer = strict.post(address, whole, content_type="application/json")
    assert answer.status_code == 403
    assert "Reload it" in answer.json()["error"]
    assert "json" not in Client().post(address, whole, content_type="application/json").headers["Content-Type"]
    Course.objects.update(archived_at=timezone.now())
    answer = send(content(tokens))
    assert answer.status_code == 403
    assert "archived" in answer.json()["error"]


def test_it_is_light(send, tokens, django_assert_max_num_queries):
    send(content(tokens))
    # Session, person, assignment, member, sections; papers, ballot; the two writes; around them the transaction.
    with django_assert_max_num_queries(13):
        send(content(tokens[::-1]), 1, number=2)


# What is kept is limited (M2).


def test_the_same_content_makes_no_new_row(send, tokens):
    """Whatever number the page gives it, and whichever page it is."""
    first = send(content(tokens)).json()
    for number in range(2, 30):
        assert send(content(tokens), 1, number=number).json() == first
    assert send(content(tokens), 1, page="other", number=1).json() == first
    assert Save.objects.count() == 1


def test_the_same_content_still_keeps_older_saves_from_overtaking_it(send, tokens):
    send(content(tokens), 0, number=1)
    send(content(tokens), 1, number=3)
    assert send(content(tokens[::-1]), 1, number=2).status_code == 200
    assert Ballot.objects.get().content == content(tokens)


def test_handing_in_the_same_again_makes_no_new_row(send, tokens, round_, grader):
    first = submit_ranking(round_, grader)
    for _ in range(5):
        assert submit_ranking(round_, grader).submission_id == first.submission_id
    assert Save.objects.count() == 1


def test_of_what_could_not_count_only_the_last_is_kept(send, tokens):
    """60 saves of 300 kB after the end were 60 rows that nobody could delete."""
    Assignment.objects.update(comments=True)
    send(content(tokens), 0, page="other")
    for number in range(1, 20):
        said = content(tokens, comments=dict.fromkeys(tokens, chr(0x1F600 + number) * 5000))
        assert send(said, 0, number=number).status_code == 409
    Assignment.objects.update(rank_by=timezone.now() - timedelta(seconds=1))
    for number in range(20, 40):
        said = content(tokens, comments=dict.fromkeys(tokens, chr(0x1F600 + number) * 5000))
        assert send(said, 1, number=number).status_code == 409
    assert Save.objects.count() == 1
    kept = {each.why: each.client_number for each in UncountedSave.objects.all()}
    assert kept == {"conflict": 19, "late": 39}


def test_what_is_kept_of_one_ranking_is_limited(send, tokens, round_, grader, monkeypatch, client):
    """Beyond the limit everything is saved, and handed in; only the steps between are no longer kept."""
    Assignment.objects.update(comments=True)
    monkeypatch.setattr(services, "MOST_KEPT", 200_000)

    def said(number):
        order = tokens if number % 2 else tokens[::-1]
        return content(order, comments=dict.fromkeys(tokens, chr(0x1F600 + number) * 5000))

    for number in range(1, 12):
        assert send(said(number), number - 1, number=number).json()["revision"] == number
    # Three comments of 20 kB each.
    assert Save.objects.count() == 4
    ballot = Ballot.objects.get()
    assert ballot.content == said(11)
    assert 200_000 < ballot.kept_bytes < 300_000
    for _ in range(3):
        client.post(f"/assignments/{round_.pk}/ranking/hand-in/", form(Ballot.objects.get(), tokens))
    ballot = Ballot.objects.select_related("submission").get()
    assert ballot.submitted["comments"] == said(11)["comments"]
    assert Save.objects.count() == 5
    # Handing in goes on for as much again, and then ends with a page that says so.
    codes = []
    for number in range(12, 30):
        Ballot.objects.update(content=said(number))
        answer = client.post(f"/assignments/{round_.pk}/ranking/hand-in/", form(Ballot.objects.get(), tokens))
        codes.append(answer.status_code)
    assert set(codes) == {302, 409}
    assert codes == sorted(codes)
    assert Ballot.objects.get().kept_bytes < 500_000


def form(ballot, tokens):
    """The form of the page, with the comments of a ballot."""
    comments = {f"comment-{token}": text for token, text in ballot.content["comments"].items()}
    places = {f"place-{token}": place for place, token in enumerate(tokens, 1)}
    return {"revision": ballot.revision, "client": "page", "number": ballot.client_number + 1, **places, **comments}
