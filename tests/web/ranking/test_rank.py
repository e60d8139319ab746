"""The page, and the example."""

import re
from datetime import timedelta
from zoneinfo import ZoneInfo

from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.content import label
from peerorder.web.ranking.models import Ballot, Slot
from tests.web.factories import enrol, submit_ranking
from tests.web.ranking.conftest import content


def page_of(enter, member, assignment, what=""):
    answer = enter(member).get(f"/assignments/{assignment.pk}/ranking/{what}")
    assert answer.status_code == 200
    return answer.content.decode()


def waits(enter, member, assignment) -> bool:
    """Whether the page has no papers to rank."""
    answer = enter(member).get(f"/assignments/{assignment.pk}/ranking/")
    return "ranking/waiting.html" in {each.name for each in answer.templates}


def test_it_shows_the_papers_not_placed(enter, round_, grader, tokens):
    page = page_of(enter, grader, round_)
    for token, name in zip(tokens, ("Paper A", "Paper B", "Paper C"), strict=True):
        assert f'data-token="{token}" data-name="{name}"' in page
        assert f'hx-get="/papers/{token}/"' in page
        assert f'id="place-{token}" name="place-{token}" form="ranking" value=""' in page
    assert "0 of 3 placed" in page
    assert f'href="/assignments/{round_.pk}/ranking/example/"' in page


def test_papers_that_joined_later_are_named(enter, round_, grader, tokens):
    a, b, c = tokens
    joins = Paper.objects.filter(slots__token=c)
    joins.update(withdrawn_at=timezone.now())
    submit_ranking(round_, grader, content([a, b]))
    joins.update(withdrawn_at=None)
    page = page_of(enter, grader, round_)
    assert 'id="joined"' in page
    assert f'<a href="#paper-{c}">Go to Paper C</a>' in page
    assert 'id="handed-in"' not in page
    submit_ranking(round_, grader, content([a, b], unjudged=[c]))
    page = page_of(enter, grader, round_)
    assert 'id="joined"' not in page
    assert 'id="handed-in"' in page
    assert '<button id="hand-in" class="second">' in page


def test_several_papers_that_joined_are_them(enter, round_, grader, tokens):
    joins = Paper.objects.filter(slots__token__in=tokens[1:])
    joins.update(withdrawn_at=timezone.now())
    submit_ranking(round_, grader, content(tokens[:1]))
    joins.update(withdrawn_at=None)
    assert "counts without them" in page_of(enter, grader, round_)


def test_only_a_page_with_scripts_saves_as_people_go(enter, round_, grader):
    page = page_of(enter, grader, round_)
    assert re.search(r'<span class="js-only">[^<]*automatically', page)
    assert '<span class="no-js">' in page


def test_nothing_on_it_says_who_wrote_what(enter, round_, grader, students):
    page = page_of(enter, grader, round_)
    for member in students[1:]:
        for text in (member.person.name, member.person.email, member.student):
            assert not re.search(rf"\b{re.escape(text)}\b", page), text
    for paper in Paper.objects.all():
        assert paper.code not in page
    for slot in Slot.objects.exclude(grader=grader):
        assert slot.token not in page


def test_it_shows_what_was_saved(enter, round_, grader, tokens):
    a, b, c = tokens
    Ballot.objects.create(assignment=round_, grader=grader, revision=4, content=content([b, a], [c]))
    page = page_of(enter, grader, round_)
    assert page.index(f'id="place-{b}"') < page.index(f'id="place-{a}"') < page.index(f'id="place-{c}"')
    assert 'name="revision" value="4"' in page
    assert re.search(rf'name="unjudged-{c}"[^>]* checked', page)
    assert "2 of 3 placed · 1 not judged" in page


def test_a_top_up_is_a_part_of_its_own(enter, round_, grader, tokens):
    Slot.objects.filter(token=tokens[2]).update(part=1)
    page = page_of(enter, grader, round_)
    assert 'data-part="0"' in page
    assert page.index('data-part="1"') < page.index(f'id="place-{tokens[2]}"')
    said = re.findall(r'<h3 id="part-(\d)"[^>]*>[^<]*</h3>\s*(<p class="help">)?', page)
    assert [(number, bool(more)) for number, more in said] == [("0", False), ("1", True)]


def test_instructions_and_solution_are_beside(enter, round_, grader):
    Assignment.objects.update(instructions="Be **fair**.", solution="It is *42*. <script>")
    page = page_of(enter, grader, round_)
    assert "<strong>fair</strong>" in page
    assert "<em>42</em>" in page
    assert "<script>" not in page


def test_the_task_is_beside_and_folded_where_it_is_long(enter, round_, grader):
    Assignment.objects.update(task="Say **why**.")
    page = page_of(enter, grader, round_)
    assert re.search(r"<details [^>]* open><summary>The task</summary>\s*<div><p>Say <strong>why</strong>", page)
    Assignment.objects.update(task="Say why. " * 100)
    assert re.search(r'<details class="card guide"><summary>The task</summary>', page_of(enter, grader, round_))


def test_cannot_judge_is_offered_in_every_row_where_it_is_allowed(enter, round_, grader, tokens):
    page = page_of(enter, grader, round_)
    for token in tokens:
        assert re.search(
            rf'<label class="cannot"><input type="checkbox" name="unjudged-{token}"[^>]*> Cannot judge<', page
        )
    Assignment.objects.update(cannot_judge=False)
    assert "unjudged-" not in page_of(enter, grader, round_).replace("unjudged-box", "")


def test_saved_on_another_day(enter, round_, grader, tokens):
    saved_at = timezone.now() - timedelta(days=3)
    Ballot.objects.create(assignment=round_, grader=grader, content=content(tokens), updated_at=saved_at)
    local = saved_at.astimezone(ZoneInfo(round_.course.time_zone))
    assert f"Saved {local.day} {local:%b, %H:%M %Z}" in page_of(enter, grader, round_)


def test_before_ranking_and_without_papers(enter, assignment, students):
    assert waits(enter, students[0], assignment)
    assert "not started" in page_of(enter, students[0], assignment)
    Assignment.objects.update(stage=Stage.RANKING)
    assert waits(enter, students[0], assignment)
    assert "not started" not in page_of(enter, students[0], assignment)


def test_somebody_without_a_paper(enter, round_):
    assert waits(enter, enrol(round_.course, "Idle"), round_)


def test_an_unready_hand_out_is_seen_by_nobody(enter, round_, grader):
    assert not waits(enter, grader, round_)
    Slot.objects.first().handout.__class__.objects.update(ready_at=None)
    assert waits(enter, grader, round_)


def test_a_withdrawn_paper_is_not_shown(enter, round_, grader, tokens):
    Paper.objects.filter(slots__token=tokens[0]).update(withdrawn_at=timezone.now())
    page = page_of(enter, grader, round_)
    assert tokens[0] not in page
    assert "Paper B" in page


def test_afterwards_it_says_what_counts(enter, round_, grader, tokens):
    submit_ranking(round_, grader, content(tokens))
    Assignment.objects.update(stage=Stage.REVIEW)
    page = page_of(enter, grader, round_)
    assert "Ranking is over" in page
    assert '<li value="1">Paper A' in page
    # The deadline is not over: nobody is told that it was.
    assert "Your instructor closed ranking." in page
    Assignment.objects.update(rank_by=timezone.now())
    assert "The deadline was" in page_of(enter, grader, round_)


def test_the_example_saves_nothing(enter, round_, grader):
    page = page_of(enter, grader, round_, "example/")
    assert 'id="place-exampleA"' in page
    assert "data-save" not in page
    assert 'class="message success"' not in page
    page = page_of(enter, grader, round_, "example/?place-exampleA=3&place-exampleB=1&place-exampleC=2")
    assert 'class="message success"' in page
    assert page.index('id="place-exampleB"') < page.index('id="place-exampleC"') < page.index('id="place-exampleA"')
    assert "whole number" in page_of(enter, grader, round_, "example/?place-exampleA=best")
    assert not Ballot.objects.exists()


def test_outsiders_staff_and_those_who_left(client, round_, grader, outsider, instructor):
    for what in ("", "example/"):
        address = f"/assignments/{round_.pk}/ranking/{what}"
        client.logout()
        assert client.get(address).status_code == 302
        for member, status in ((outsider, 404), (instructor, 403)):
            client.force_login(member.person)
            assert client.get(address).status_code == status
    Member.objects.filter(pk=grader.pk).update(removed_at=timezone.now())
    client.force_login(grader.person)
    assert client.get(f"/assignments/{round_.pk}/ranking/").status_code == 404


def test_labels():
    assert [label(at) for at in (0, 1, 25, 26, 27, 51, 52, 701, 702)] == [
        *("A", "B", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA")
    ]


def test_staff_try_the_page_with_the_rules_of_the_assignment(enter, assignment, instructor, assistant):
    """M10: instructors could not see the ranking page at all."""
    assignment.stage, assignment.comments, assignment.least_comment = Stage.DRAFT, True, 20
    assignment.cannot_judge, assignment.instructions = False, "Look at the proof first."
    assignment.save()
    path = f"/assignments/{assignment.pk}/ranking/preview/"
    for member in (instructor, assistant):
        page = enter(member).get(path)
        assert page.status_code == 200
        for words in ("Look at the proof first.", 'name="comment-exampleA"', 'name="place-exampleC"'):
            assert words in page.content.decode()
        assert "unjudged-" not in page.content.decode()
    answer = enter(instructor).post(path, {"place-exampleA": "1", "comment-exampleA": "Short."})
    assert answer.status_code == 422
    wrong = {each.where for each in answer.context["missing"]}
    assert wrong == {"comment-exampleA", *(f"{what}-example{at}" for what in ("place", "comment") for at in "BC")}
    given = {f"comment-example{at}": "A comment that is long enough." for at in "ABC"}
    places = {"place-exampleA": "2", "place-exampleB": "1", "place-exampleC": "3"}
    answer = enter(instructor).post(path, {**given, **places})
    assert answer.context["complete"]
    assert not Ballot.objects.exists()
