"""The scale with its preview, the table of students, and decisions on single cases."""

import pytest
from django.urls import reverse

from peerorder.web.audit.models import Event
from peerorder.web.results import services
from peerorder.web.results.mark_changes import mark_changes
from peerorder.web.results.mark_sheets import draft_sheet, sheet_of
from peerorder.web.results.mark_summaries import boundaries, earlier_rounds, summary
from peerorder.web.results.models import Basis, Decision
from tests.web.results.conftest import compute, release_now, set_scale, sign_off

MARK, ANCHOR, PENALTY, EXCLUDE = Decision.Kind
FORM = {"scale": "percentile", "done": "70", "reliable": "30", "penalty": "0", "revision": "1"}


def marks_page(assignment, name="marks", *ids):
    return reverse(f"results:{name}", args=[assignment.pk, *ids])


def save(client, assignment, **fields):
    return client.post(marks_page(assignment, "scale"), {**FORM, **fields})


def decision(kind="mark", value="12", reason="It answers another question.", seen="", **more):
    return {"kind": kind, f"{kind}-value": value, f"{kind}-reason": reason, f"{kind}-seen": seen, **more}


def marks_of(assignment):
    return {pk: each.mark for pk, each in draft_sheet(assignment).students.items()}


# The scale.


def test_without_a_result_the_page_says_what_to_do(assignment, instructor, enter):
    page = enter(instructor).get(marks_page(assignment))
    assert page.status_code == 200
    assert "result" in page.content.decode()


SCALES = {
    None: {"scale": ""},
    "percentile": {"scale": "percentile"},
    "curve:mean=65.25,sd=8,low=0,high=100": {"scale": "curve", "mean": "65.25", "sd": "8", "low": "0", "high": "100"},
    "bands:A=50,B=50": {"scale": "bands", "bands": "A=50, B=50"},
}


def test_a_scale_is_saved_and_shown_again(result, ranked, instructor, enter):
    client, basis = enter(instructor), Basis.objects.get(assignment=ranked)
    for marks, fields in SCALES.items():
        sent = {"absent": "5", "unranked": "place", **fields, "revision": basis.revision}
        assert save(client, ranked, **sent).status_code == 302
        basis.refresh_from_db()
        chosen = [basis.settings[name] for name in ("marks", "absent", "unranked")]
        assert chosen == [marks, 5, "place"]
        # The form as it is shown gives the same scale again.
        form = client.get(marks_page(ranked)).context["form"]
        again = {name: form[name].value() for name in form.fields if form[name].value() is not None}
        assert client.post(marks_page(ranked, "scale"), again).status_code == 302
        basis.refresh_from_db()
        assert [basis.settings[name] for name in ("marks", "absent", "unranked")] == chosen


WRONG = [
    ({"scale": "bands", "bands": "A=50,B=60"}, "bands"),
    ({"scale": "bands", "bands": "A=50,A=50"}, "bands"),
    ({"scale": "bands", "bands": "A"}, "bands"),
    ({"scale": "bands", "bands": ""}, "bands"),
    ({"scale": "bands", "bands": "A=50,B=50", "penalty": "5"}, "penalty"),
    ({"scale": "bands", "bands": "A=50,B=50", "unranked": "C"}, "unranked"),
    ({"scale": "curve", "mean": "70", "sd": "10", "low": "90", "high": "10"}, "low"),
    ({"scale": "curve", "mean": "", "sd": "10", "low": "0", "high": "10"}, "mean"),
    ({"scale": "curve", "mean": "nan", "sd": "10", "low": "0", "high": "10"}, "mean"),
    ({"scale": "anchors", "anchors_points": "100"}, "scale"),
    ({"scale": "logarithmic"}, "scale"),
    ({"unranked": "often"}, "unranked"),
    ({"done": "0", "reliable": "0"}, "done"),
    # Borda says nothing about graders.
    ({"done": "0", "reliable": "1"}, "scale"),
]


def test_a_scale_that_cannot_be_is_refused_at_its_field(result, ranked, instructor, enter):
    client = enter(instructor)
    for fields, field in WRONG:
        page = save(client, ranked, **fields)
        assert (page.status_code, [*page.context["form"].errors]) == (422, [field])
        # What was typed is still there.
        assert page.context["form"]["scale"].value() == fields.get("scale", "percentile")
        fragment = client.get(marks_page(ranked, "preview"), {**FORM, **fields}, headers={"HX-Request": "true"})
        assert fragment.status_code == 200
        assert "errorlist" in fragment.content.decode()
    assert Basis.objects.get(assignment=ranked).settings == {}


def test_a_preview_saves_nothing_and_says_who_crosses_a_boundary(marked, instructor, enter):
    wanted = {"scale": "curve", "mean": "40", "sd": "5", "low": "0", "high": "100"}
    page = enter(instructor).get(marks_page(marked, "preview"), {**FORM, **wanted}, headers={"HX-Request": "true"})
    assert "<html" not in page.content.decode()
    saved, other = marks_of(marked), page.context["sheet"].students
    crossing = {each.member for _member, each in page.context["changes"]}
    assert crossing == {pk for pk, mark in saved.items() if int(mark // 10) != int(other[pk].mark // 10)} != set()
    assert page.context["changed"] == len(saved)
    assert Basis.objects.get(assignment=marked).settings == {"marks": "percentile"}
    full = enter(instructor).get(marks_page(marked, "preview"), {**FORM, **wanted})
    assert "<html" in full.content.decode()


def test_a_preview_explains_a_mean_that_is_not_the_one_of_the_curve(marked, instructor, papers, enter):
    client, wanted = enter(instructor), {**FORM, "scale": "curve", "mean": "72", "sd": "5", "low": "0", "high": "100"}

    def shown(**more):
        context = client.get(marks_page(marked, "preview"), {**wanted, **more}, headers={"HX-Request": "true"}).context
        return round(context["summary"].mean, 1), context["mean_reasons"]

    assert shown() == (72.0, [])
    mean, reasons = shown(high="72")
    assert mean < 72
    assert reasons == ["the lowest or highest mark, which cuts the curve off"]
    mean, reasons = shown(penalty="10")
    assert mean < 72
    assert reasons == ["points deducted for not ranking"]
    services.decide(marked, PENALTY, papers[0], "20", "late", instructor.person)
    assert shown()[1] == ["late penalties"]
    services.decide(marked, MARK, papers[1], "5", "why", instructor.person)
    assert shown()[1] == ["late penalties", "marks set by staff"]


def test_a_scale_with_decisions_that_do_not_fit_names_them(marked, instructor, papers, enter):
    services.decide(marked, MARK, papers[0], "50", "why", instructor.person)
    page = save(enter(instructor), marked, scale="bands", bands="A=50,B=50", revision="2")
    assert page.status_code == 422
    assert "Bo" in page.context["form"].errors["scale"][0]
    assert save(enter(instructor), marked, scale="", revision="2").status_code == 422


def test_a_form_that_is_out_of_date_saves_nothing_and_loses_nothing(marked, instructor, enter):
    set_scale(marked, instructor.person, marks="curve")
    page = save(enter(instructor), marked, scale="bands", bands="A=50,B=50", revision="2")
    assert page.status_code == 409
    assert Basis.objects.get(assignment=marked).settings == {"marks": "curve"}
    assert page.context["form"]["bands"].value() == "A=50,B=50"
    # Saved again, it is meant.
    data = {name: page.context["form"][name].value() or "" for name in page.context["form"].fields}
    assert enter(instructor).post(marks_page(marked, "scale"), data).status_code == 302
    assert Basis.objects.get(assignment=marked).settings["marks"] == "bands:A=50,B=50"


def test_assistants_try_scales_and_save_none(marked, assistant, enter):
    client = enter(assistant)
    assert client.get(marks_page(marked, "preview"), FORM).status_code == 200
    assert save(client, marked).status_code == 403


def test_boundaries_and_intervals(ranked, instructor):
    result = compute(ranked, instructor.person, "posterior")
    numbers, letters = (sheet_of(result, {"marks": marks}) for marks in ("percentile", "bands:A=25,B=50,C=25"))
    assert sum(part.students for part in boundaries(numbers, None)) == 8
    assert [(part.name, part.students) for part in boundaries(letters, None)] == [("A", 2), ("B", 4), ("C", 2)]
    for sheet in (numbers, letters):
        found = sheet.students.values()
        spans = sum(str(each.mark_low)[:1] != str(each.mark_high)[:1] for each in found)
        assert 0 < summary(sheet).spanning <= 8
        if sheet is letters:
            assert summary(sheet).spanning == spans
    assert summary(numbers).mean == pytest.approx(50)
    assert summary(letters).counts == {"A": 2, "B": 4, "C": 2}
    assert not mark_changes(numbers, numbers)


def test_earlier_rounds_of_the_course_stand_beside(marked, course, instructor, enter):
    from peerorder.web.assignments.models import Assignment, Stage

    other = Assignment.objects.create(course=course, title="Poem", stage=Stage.REVIEW)
    assert not earlier_rounds(marked)
    basis = Basis.objects.get(assignment=marked)
    Basis.objects.create(assignment=other, result=basis.result, settings=basis.settings)
    assert [(each.assignment, each.released) for each in earlier_rounds(marked)] == [(other, False)]
    assert "Poem" in enter(instructor).get(marks_page(marked)).content.decode()


# The students.


def test_students_are_sorted_searched_and_paged(marked, assistant, students, enter, monkeypatch):
    monkeypatch.setattr("peerorder.web.tables.ROWS", 3)
    client = enter(assistant)

    def names(**query):
        page = client.get(marks_page(marked), query, headers={"HX-Request": "true", "HX-Target": "rows"})
        assert "<html" not in page.content.decode()
        return [str(member) for member, *_rest in page.context["listing"].page]

    marks = {str(each): marks_of(marked)[each.pk] for each in students}
    assert [marks[name] for name in names()] == sorted(marks.values(), reverse=True)[:3]
    assert [marks[name] for name in names(sort="-mark")] == sorted(marks.values())[:3]
    assert names(sort="-name") == ["Ivy", "Hal", "Gus"]
    assert names(sort="name", page="3") == ["Hal", "Ivy"]
    assert names(q="fa") == ["Fay"]
    assert names(sort="nothing", page="nowhere") == names()


# One case.


def test_a_decision_is_previewed_then_made(marked, assistant, papers, students, enter):
    client, page = enter(assistant), marks_page(marked, "decide", papers[3].pk)
    assert client.get(page).status_code == 200
    shown = client.post(page, decision())
    assert shown.status_code == 200
    assert [each.member for _member, each in shown.context["changes"]] == [students[3].pk]
    assert not Decision.objects.exists()
    assert client.post(page, decision(confirm="yes")).status_code == 302
    assert marks_of(marked)[students[3].pk] == 12
    made = Decision.objects.get()
    assert (made.made_by, made.reason) == (assistant.person, "It answers another question.")
    assert "It answers another question." in client.get(page).content.decode()
    assert Event.objects.filter(verb="decision made").count() == 1


def test_points_that_still_come_off_a_mark_that_is_set_are_said(marked, instructor, papers, students, enter):
    set_scale(marked, instructor.person, marks="percentile", penalty=5)
    client, last = enter(instructor), len(papers) - 1
    page = marks_page(marked, "decide", papers[last].pk)
    assert "5 deducted" in client.get(page).content.decode()
    shown = client.post(page, decision(value="75"))
    assert shown.context["penalties"] == [(students[last], 5.0)]
    client.post(page, decision(value="75", confirm="yes"))
    assert marks_of(marked)[students[last].pk] == 70
    assert client.post(marks_page(marked, "decide", papers[0].pk), decision()).context["penalties"] == []


def test_a_decision_after_a_release_says_that_students_see_the_old_mark(marked, instructor, papers, enter):
    client, page = enter(instructor), marks_page(marked, "decide", papers[3].pk)
    answer = client.post(page, decision(confirm="yes"), follow=True)
    assert "Students still see" not in answer.content.decode()
    release_now(marked, instructor.person)
    seen = Decision.objects.get().pk
    answer = client.post(page, decision(value="13", seen=seen, confirm="yes"), follow=True)
    assert "Students still see" in answer.content.decode()


def test_a_release_that_is_not_published_yet_is_named(marked, instructor, enter):
    client = enter(instructor)
    assert "Release 1" not in client.get(marks_page(marked)).content.decode()
    sign_off(marked, instructor.person)
    page = client.get(marks_page(marked))
    assert page.context["waiting"].number == 1
    assert "Release 1" in page.content.decode()


def test_students_show_lateness_and_points_off(marked, instructor, papers, students, enter):
    set_scale(marked, instructor.person, marks="percentile", penalty=5)
    papers[2].current.late = True
    papers[2].current.save()
    rows = enter(instructor).get(marks_page(marked)).context["listing"].page
    assert {member.pk for member, _student, _decisions, late, _points in rows if late} == {students[2].pk}
    assert {member.pk: points for member, *_rest, points in rows if points} == {students[-1].pk: 5.0}


def test_a_decision_that_cannot_be_is_refused_at_its_field(marked, instructor, papers, enter):
    client = enter(instructor)
    for kind, value, reason, field in (
        ("mark", "101", "why", "value"),
        ("mark", "fine", "why", "value"),
        ("mark", "50", " ", "reason"),
        ("penalty", "-3", "why", "value"),
        ("anchor", "200", "why", "value"),
    ):
        sent = decision(kind, value, reason, confirm="yes")
        page = client.post(marks_page(marked, "decide", papers[0].pk), sent)
        assert (page.status_code, [*page.context["form"].errors]) == (422, [field])
    assert not Decision.objects.exists()


def test_an_anchor_says_when_the_scale_does_not_use_it_and_who_moves_when_it_does(
    marked, instructor, papers, students, enter
):
    client, page = enter(instructor), marks_page(marked, "decide", papers[4].pk)
    assert 'class="message warning"' in client.get(page).content.decode().partition('id="decide-anchor"')[2]
    assert client.post(page, decision("anchor", "85")).context["changed"] == 0
    for paper, mark in ((papers[0], "90"), (papers[-1], "40")):
        services.decide(marked, ANCHOR, paper, mark, "Marked by staff.", instructor.person)
    set_scale(marked, instructor.person, marks="anchors")
    assert 'class="message warning"' not in client.get(page).content.decode().partition('id="decide-anchor"')[2]
    shown = client.post(page, decision("anchor", "85"))
    assert shown.context["changed"] > 1
    assert Decision.objects.count() == 2


def test_of_two_tabs_the_second_sees_what_was_decided_meanwhile(marked, instructor, assistant, papers, enter):
    page = marks_page(marked, "decide", papers[0].pk)
    first = services.decide(marked, MARK, papers[0], "61", "Read it twice.", instructor.person)
    for more in ({}, {"confirm": "yes"}):
        shown = enter(assistant).post(page, decision(value="33", reason="Mine.", **more))
        assert shown.status_code == 409
        for text in ("61", "Read it twice.", "33", "Mine.", str(instructor)):
            assert text in shown.content.decode()
    assert Decision.objects.get(undone_at=None) == first
    assert enter(assistant).post(page, decision(value="33", seen=first.pk, confirm="yes")).status_code == 302
    assert Decision.objects.get(undone_at=None).value == "33"


def test_undoing_shows_what_it_changes_and_takes_a_reason(marked, instructor, papers, students, enter):
    before = marks_of(marked)
    made = services.decide(marked, PENALTY, papers[2], "7", "A day late.", instructor.person)
    client, page = enter(instructor), marks_page(marked, "undo", made.pk)
    assert [each.member for _member, each in client.get(page).context["changes"]] == [students[2].pk]
    assert client.post(page, {"reason": " "}).status_code == 422
    assert marks_of(marked) != before
    assert client.post(page, {"reason": "It was on time."}).status_code == 302
    assert marks_of(marked) == before
    assert client.post(page, {"reason": "Again."}).status_code == 409
    assert "It was on time." in client.get(marks_page(marked, "decisions")).content.decode()


def test_an_anchor_that_the_scale_needs_cannot_be_undone(marked, instructor, papers, enter):
    for paper, mark in ((papers[0], "90"), (papers[-1], "40")):
        made = services.decide(marked, ANCHOR, paper, mark, "Marked by staff.", instructor.person)
    set_scale(marked, instructor.person, marks="anchors")
    for answer in (
        enter(instructor).get(marks_page(marked, "undo", made.pk)),
        enter(instructor).post(marks_page(marked, "undo", made.pk), {"reason": "why"}),
    ):
        assert answer.status_code == 409
    assert Decision.objects.filter(undone_at=None).count() == 2


def test_a_paper_that_is_not_in_the_result_is_named_so(marked, instructor, papers, enter):
    from tests.web.ranking.conftest import hand_in_paper

    for paper, is_outside in ((papers[0], False), (hand_in_paper(marked, instructor), True)):
        page = enter(instructor).get(marks_page(marked, "decide", paper.pk))
        assert page.status_code == 200
        before_forms = page.content.decode().partition('id="decide-mark"')[0]
        assert ('class="message warning"' in before_forms) == is_outside


def test_decisions_are_listed(marked, instructor, papers, students, enter):
    services.decide(marked, MARK, papers[0], "61", "Read it twice.", instructor.person)
    services.decide(marked, EXCLUDE, students[1], "", "Ranked by length.", instructor.person)
    shown = enter(instructor).get(marks_page(marked, "decisions")).content.decode()
    assert "Read it twice." in shown
    assert "Ranked by length." in shown
    assert (
        "Read it twice."
        not in enter(instructor).get(marks_page(marked, "decisions"), {"only": "undone"}).content.decode()
    )
