"""What comes too late does not count, however it is sent: again, slowly, or from somebody who is shut out meanwhile."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.services.courses import archive
from peerorder.web.courses.services.members import remove_member
from peerorder.web.people.links import revoke_access
from peerorder.web.ranking.models import Ballot, Save, UncountedSave
from tests.web.factories import submit_ranking
from tests.web.ranking.conftest import content
from tests.web.results.conftest import release_now
from tests.web.slow_body import SlowBody


def as_json(order, number=1):
    return json.dumps({"revision": 0, "client": "page", "number": number, "content": content(order)})


def as_form(order, number=0):
    places = "&".join(f"place-{token}={place}" for place, token in enumerate(order, 1))
    return f"revision=0&client=page&number={number}&{places}"


SENT = {"save": (as_json, "application/json"), "hand-in": (as_form, "application/x-www-form-urlencoded")}


@pytest.fixture
def post(client, round_, grader):
    """Send the papers in an order: ``post("hand-in", order)``; with ``happens``, that happens while it is sent."""
    client.force_login(grader.person)

    def sent(where, order, happens=lambda: None, **more):
        make, kind = SENT[where]
        body = make(order, **more).encode()
        slowly = {"wsgi.input": SlowBody(body, happens)}
        return client.post(f"/assignments/{round_.pk}/ranking/{where}/", body, content_type=kind, **slowly)

    return sent


def over():
    Assignment.objects.update(rank_by=timezone.now() - timedelta(seconds=1))


def at_stage(stage):
    return lambda: Assignment.objects.update(stage=stage)


ENDS = {"deadline": over, "review": at_stage(Stage.REVIEW), "released": at_stage(Stage.RELEASED)}
STEPS = ("review", "released")


# The same request once more: it was saved before the end, and is handed in after it.


@pytest.fixture
def twin(post, tokens):
    """Save, then something, then hand in by a request with the same page, number and content."""

    def sent(order, ends):
        assert post("save", order, number=7).status_code == 200
        ends()
        return post("hand-in", order, number=7)

    return sent


@pytest.mark.parametrize("name", ENDS)
def test_a_twin_after_the_end_does_not_count(twin, tokens, round_, client, name):
    answer = twin(tokens, ENDS[name])
    assert answer.status_code == 409
    assert answer.context["sent"]
    assert 'role="alert"' in answer.content.decode()
    assert Ballot.objects.get().submission is None
    assert not Save.objects.filter(hands_in=True).exists()
    assert UncountedSave.objects.get(why="late").content == content(tokens)
    assert not Event.objects.filter(verb="ranking handed in").exists()
    page = client.get(f"/assignments/{round_.pk}/ranking/")
    assert "ranking/closed.html" in {each.name for each in page.templates}
    assert f"/assignments/{round_.pk}/ranking/receipt/" not in page.content.decode()


@pytest.mark.parametrize("name", ENDS)
def test_nobody_chooses_another_order_after_the_end(twin, post, tokens, name):
    assert post("hand-in", tokens).status_code == 302
    before = Ballot.objects.get().submission
    assert twin(tokens[::-1], ENDS[name]).status_code == 409
    ballot = Ballot.objects.get()
    assert (ballot.submission, ballot.submitted) == (before, content(tokens))
    assert Save.objects.get(hands_in=True) == before


def test_a_twin_of_what_counts_is_told_so_after_the_end(post, tokens):
    assert post("hand-in", tokens).status_code == 302
    over()
    assert post("hand-in", tokens).status_code == 302
    assert Ballot.objects.get().submission == Save.objects.get()
    assert Event.objects.filter(verb="ranking handed in").count() == 1


def test_a_twin_in_time_counts(twin, tokens):
    assert twin(tokens, lambda: None).status_code == 302
    assert Ballot.objects.get().submission == Save.objects.get(hands_in=True)
    assert Event.objects.filter(verb="ranking handed in").count() == 1


# A request whose body comes slowly.


@pytest.fixture
def step(round_, students, instructor):
    """End ranking by hand, by the page of an instructor, and release; there must be a ranking that counts."""
    submit_ranking(round_, students[1])
    staff = Client()
    staff.force_login(instructor.person)

    def made(last):
        assert staff.post(f"/assignments/{round_.pk}/move/review/").status_code == 302
        if last == "released":
            release_now(round_, instructor.person, marks=False)

    return made


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("where", SENT)
def test_what_is_still_sent_when_staff_end_ranking_is_late(post, step, tokens, grader, where, name):
    answer = post(where, tokens, lambda: step(name))
    assert answer.status_code == 409
    assert "Your instructor closed ranking on" in answer.content.decode()
    ballot = Ballot.objects.get(grader=grader)
    kept = UncountedSave.objects.get(ballot=ballot)
    assert (kept.why, kept.content) == ("late", content(tokens))
    assert not Save.objects.filter(ballot=ballot).exists()
    assert (ballot.revision, ballot.content, ballot.submission) == (0, {}, None)


SHUT_OUT = {
    "archived": lambda grader, by: archive(grader.course, by),
    "removed": lambda grader, by: remove_member(grader, by),
    "revoked": lambda grader, by: revoke_access([grader.person]),
}


@pytest.mark.parametrize("name", SHUT_OUT)
@pytest.mark.parametrize("where", SENT)
def test_what_is_still_sent_when_somebody_is_shut_out_is_refused(post, tokens, grader, instructor, where, name):
    answer = post(where, tokens, lambda: SHUT_OUT[name](grader, instructor.person))
    assert answer.status_code in (403, 404)
    assert ("archived" in answer.content.decode()) == (name == "archived")
    assert not Ballot.objects.exists()
    assert not Save.objects.exists()


@pytest.mark.parametrize("where", SENT)
def test_the_deadline_passes_while_it_is_sent(post, tokens, where):
    assert post(where, tokens, over).status_code == 409
    assert Ballot.objects.get().submission is None


def test_more_time_is_granted_or_taken_while_it_is_sent(post, tokens, round_, grader):
    over()
    assert post("save", tokens).status_code == 409
    granted = {"assignment": round_, "member": grader, "rank_by": timezone.now() + timedelta(hours=1)}
    assert post("save", tokens, lambda: Extension.objects.create(**granted), number=2).status_code == 200
    assert post("save", tokens[::-1], Extension.objects.all().delete, number=3).status_code == 409
    assert Ballot.objects.get().content == content(tokens)


# What counts.


def test_what_counts_is_a_row_that_says_so(round_, students):
    for student in students:
        submit_ranking(round_, student)
    submit_ranking(round_, students[0], now=timezone.now() + timedelta(minutes=1))
    for ballot in Ballot.objects.select_related("submission"):
        assert ballot.submission == Save.objects.filter(ballot=ballot, hands_in=True).last()
        assert ballot.submission.content == ballot.content


def test_an_older_request_does_not_hand_in_what_was_changed_since(post, tokens):
    assert post("save", tokens[::-1], number=2).status_code == 200
    answer = post("hand-in", tokens, number=1)
    assert answer.status_code == 409
    assert answer.context["conflict"]
    assert 'role="alert"' in answer.content.decode()
    ballot = Ballot.objects.get()
    assert (ballot.content, ballot.submission) == (content(tokens[::-1]), None)
