"""The texts of comments: kept once, apart from the rows that nobody can change, and erased with people."""

import hashlib
import json

import pytest
from django.db import connection
from django.utils import timezone

from peerorder.web.assignments.models import Assignment
from peerorder.web.home.erasure import erase_member
from peerorder.web.lifecycle.export import export_of
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.models import Ballot, Comment, Save, Slot, UncountedSave
from peerorder.web.ranking.round_snapshot import load_judgements
from peerorder.web.ranking.services import RankingUpdate, SaveStatus, erase_comments, hand_in, save
from tests.web.factories import complete_ranking, save_ranking, submit_ranking
from tests.web.ranking.conftest import content

SECRET = "Anna Onymous"


@pytest.fixture
def round_(round_):
    Assignment.objects.update(comments=True)
    round_.refresh_from_db()
    return round_


def whole_database() -> str:
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found += [repr(row) for row in cursor.fetchall()]
    return "\n".join(found)


def commented(assignment, grader, **comments):
    """A whole ranking with comments on papers by their labels."""
    said = complete_ranking(assignment, grader)
    tokens = [tied[0] for tied in said["orders"]["0"]]
    said["comments"] = {token: comments.get("ABC"[number], "fine") for number, token in enumerate(tokens)}
    return said


def test_a_save_holds_no_text(send, tokens):
    said = content(tokens, comments={tokens[0]: SECRET})
    assert send(said).status_code == 200
    kept = Save.objects.get()
    assert SECRET not in json.dumps(kept.content)
    assert Comment.objects.put_back([kept.content]) == [said]
    # Neither does it hold what anybody could compute from the text alone.
    assert hashlib.sha256(SECRET.encode()).hexdigest() not in json.dumps(kept.content)


def test_the_same_comment_of_two_graders_has_two_digests(round_, students):
    for student in students[:2]:
        save_ranking(round_, student, commented(round_, student, A=SECRET))
    assert Comment.objects.filter(text=SECRET).count() == 2
    assert len({each for row in Save.objects.all() for each in row.content["comments"].values()}) == 6


def test_a_comment_is_kept_once_however_often_it_is_saved(send, tokens):
    a, b, c = tokens
    orders = ([a, b, c], [b, a, c], [c, a, b])
    for number, (order, text) in enumerate(zip(orders, ("one", "two", "one"), strict=True), 1):
        said = content(order, comments={a: text, b: "the same"})
        assert send(said, revision=number - 1, number=number).status_code == 200
    assert sorted(Comment.objects.values_list("text", flat=True)) == ["one", "the same", "two"]
    saves = Comment.objects.put_back([each.content for each in Save.objects.order_by("pk")])
    assert [each["comments"][a] for each in saves] == ["one", "two", "one"]


def test_what_was_handed_in_is_known_as_such_again(send, round_, grader, tokens):
    """One comment is changed, and changed back: what counts is what the page shows."""
    said = commented(round_, grader, A="first")
    submit_ranking(round_, grader, said)
    changed = said | {"comments": said["comments"] | {tokens[0]: "second"}}
    assert send(changed, 1).json()["handed_in"] is False
    assert send(said, 2, number=2).json()["handed_in"] is True


def test_comments_of_an_erased_person_are_gone(round_, students, instructor):
    """Those they wrote, in every save; rankings stay, and everything that reads them copes."""
    grader = students[0]
    save_ranking(round_, grader, commented(round_, grader, A=f"{SECRET} once"))
    said = commented(round_, grader, A=SECRET, B=f"{SECRET} too")
    submit_ranking(round_, grader, said)
    last = Ballot.objects.get(grader=grader)
    save(round_, grader, RankingUpdate(said, last.revision - 1, "other", 1))
    assert UncountedSave.objects.count() == 1
    for other in students[1:]:
        submit_ranking(round_, other, commented(round_, other))
    rows = list(Save.objects.order_by("pk").values_list("pk", "content"))
    assert SECRET in whole_database()
    erase_member(grader, instructor.person)
    assert SECRET not in whole_database()
    assert list(Save.objects.order_by("pk").values_list("pk", "content")) == rows
    ballot = Ballot.objects.select_related("submission").get(grader=grader)
    assert ballot.comment_keys == {}
    assert ballot.submitted == said | {"comments": {}}
    assert ballot.has_submitted(ballot.content)
    judgements = [each for each in load_judgements(round_, with_comments=True) if each.grader == grader.pk]
    assert [(each.rank, each.comment) for each in judgements] == [(1, ""), (2, ""), (3, "")]
    export_of(round_).close()


def test_comments_about_the_paper_of_an_erased_person_are_gone(round_, students, instructor):
    author = students[0]
    mine = Slot.objects.filter(paper__authorships__member=author)
    for slot in mine:
        said = commented(round_, slot.grader)
        said["comments"][slot.token] = f"By {SECRET}, surely"
        submit_ranking(round_, slot.grader, said)
    rest = Comment.objects.exclude(text__contains=SECRET).count()
    assert Comment.objects.filter(text__contains=SECRET).count() == mine.count()
    erase_member(author, instructor.person)
    assert SECRET not in whole_database()
    assert Comment.objects.count() == rest
    for slot in mine:
        ballot = Ballot.objects.select_related("submission").get(grader=slot.grader)
        assert not ballot.comment_keys[slot.token]
        assert len(ballot.submitted["comments"]) == 2
        # Nobody is told to hand in again because of it.
        assert ballot.has_submitted(ballot.content)


PAGES = {
    "saved": (1, "page", SaveStatus.SAVED),
    "handed in": (1, "page", SaveStatus.SAVED),
    "another tab": (0, "another", SaveStatus.CONFLICT),
    "too late": (1, "page", SaveStatus.LATE),
    "the first save": (0, "page", SaveStatus.SAVED),
}


@pytest.mark.parametrize("how", PAGES)
def test_a_page_that_is_still_open_brings_no_comment_back(round_, students, instructor, how):
    """It sends all its comments with every save, also those on the paper of somebody who was erased meanwhile."""
    slot = Slot.objects.filter(paper__authorships__member=students[0]).first()
    said = commented(round_, slot.grader)
    said["comments"][slot.token] = f"By {SECRET}, surely"
    if how != "the first save":
        save(round_, slot.grader, RankingUpdate(said, 0, "page", 1))
    erase_member(students[0], instructor.person)
    if how == "too late":
        Assignment.objects.update(rank_by=timezone.now())
    said["orders"]["0"].reverse()
    revision, page, status = PAGES[how]
    act = hand_in if how == "handed in" else save
    result = act(round_, slot.grader, RankingUpdate(said, revision, page, 2))
    assert (result.status, result.missing) == (status, [])
    assert SECRET not in whole_database()
    # The rest of it is kept, and its page is told so.
    kept = Ballot.objects.get() if status is SaveStatus.SAVED else UncountedSave.objects.get()
    assert kept.content["orders"] == said["orders"]
    assert set(kept.content["comments"].values()) == {"fine"}


def test_nobody_has_to_comment_on_the_paper_of_an_erased_person(round_, students, instructor):
    slot = Slot.objects.filter(paper__authorships__member=students[0]).first()
    erase_member(students[0], instructor.person)
    said = commented(round_, slot.grader)
    del said["comments"][slot.token]
    assert hand_in(round_, slot.grader, RankingUpdate(said, 0, "page", 1)).missing == []
    assert Ballot.objects.get().submission is not None


def test_comments_on_a_paper_of_a_team_stay_while_one_of_them_does(round_, students, instructor):
    author, mate = students[:2]
    paper = Paper.objects.get(authorships__member=author)
    Paper.objects.get(authorships__member=mate).authorships.update(paper=paper)
    slot = paper.slots.first()
    said = commented(round_, slot.grader)
    said["comments"][slot.token] = SECRET
    submit_ranking(round_, slot.grader, said)
    for member, there in ((author, True), (mate, False)):
        erase_comments(member)
        member.person.__class__.objects.filter(pk=member.person_id).update(erased_at="2026-01-01T00:00Z")
        assert Comment.objects.filter(text=SECRET).exists() == there
