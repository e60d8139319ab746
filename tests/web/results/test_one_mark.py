"""One mark in force: whatever happens in whatever order, everything that shows a mark shows the same one."""

import csv
import io
import re
from contextlib import suppress
from datetime import timedelta
from itertools import count

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from peerorder.core.errors import InputError
from peerorder.rounds.marking import as_mark
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member
from peerorder.web.errors import Refused
from peerorder.web.home.erasure import erase_member
from peerorder.web.mail.models import Mail
from peerorder.web.results import gradebooks, releases, services, tasks
from peerorder.web.results.comments import received_comments
from peerorder.web.results.mark_changes import decision_tuples
from peerorder.web.results.mark_files import files_of_draft, files_of_release
from peerorder.web.results.mark_sheets import draft_sheet, make_sheet, release_in_force, released_sheet
from peerorder.web.results.mark_summaries import boundaries
from peerorder.web.results.models import Basis, Decision, Release, Result
from peerorder.web.results.release_audience import (
    changes,
    draft_release,
    fingerprint,
    visible_to_students,
    waiting_release,
)
from peerorder.web.results.student_result import mark_text, student_result

STUDENTS, TICK = 6, timedelta(minutes=4)
SCALES = ("percentile", "curve:mean=70,sd=10", "bands:A=30,B=40,C=30", "anchors")
WHO = st.integers(0, STUDENTS - 1)
NONE = (None, None)
CELL = '<td class="number">([^<]*)'
IN_REPORT = re.compile(rf'{CELL}</td><th scope="row">(?:<a [^>]*>)?([^<]+).*?</th>{CELL}')
"""Place, paper and mark in the table of the order."""
GRADEBOOK = "Student,ID,SIS User ID,SIS Login ID,Section,Essay (17)\n    Points Possible,,,,,100\n"


def marks_of(sheet):
    return {pk: (row.mark, row.review_mark) for pk, row in sheet.students.items()}


class Round(RuleBasedStateMachine):
    """A round at review. What is kept here are plain marks, as they were when they were signed off."""

    assignment: Assignment
    members: list[Member]
    papers: list
    paper_of: dict[int, int]
    by: object

    def __init__(self):
        super().__init__()
        self.inside = transaction.atomic()
        self.inside.__enter__()
        self.now, self.turn = timezone.now(), count()
        self.signed: dict[int, dict | None] = {}
        """By the number of a release, the marks that it has."""
        self.shown: dict[int, tuple] | None = None
        """What students see; None for no release."""
        self.seen_last: dict[int, tuple] = {}
        self.written: set[tuple[int, int]] = set()
        """The e-mails that must be there: release and person."""
        self.erased: set[int] = set()
        self.client = Client()
        self.client.force_login(self.by)

    def teardown(self):
        transaction.set_rollback(True)
        self.inside.__exit__(None, None, None)

    def revision(self):
        return Basis.objects.get(assignment=self.assignment).revision

    def here(self):
        """Students who are still there."""
        return [member for member in self.members if member.pk not in self.erased]

    # What staff do; what is refused changes nothing, which the checks below see.

    @rule(upside_down=st.booleans(), chosen=st.booleans())
    def grade(self, upside_down, chosen):
        self.compute(services.new_result(self.assignment, self.by, "borda", upside_down=upside_down))
        if chosen:
            self.choose(0)

    def compute(self, result):
        with suppress(InputError):
            services.compute(result, lambda *_: None)

    @rule(back=st.integers(0, 3))
    def choose(self, back):
        results = Result.objects.filter(assignment=self.assignment, problem="").order_by("-number")
        self.tried(services.choose_result, self.assignment, results[back % len(results)], self.by, self.revision())

    @rule(scale=st.sampled_from(SCALES), penalty=st.sampled_from([0.0, 20.0]))
    def scale(self, scale, penalty):
        settings = {"marks": scale, "penalty": penalty}
        self.tried(services.set_scale, self.assignment, settings, self.by, self.revision())

    @rule(kind=st.sampled_from(["mark", "anchor", "penalty"]), who=WHO, value=st.sampled_from(["0", "33.5", "80", "A"]))
    def decide(self, kind, who, value):
        before = Decision.objects.filter(kind=kind, paper=self.papers[who], undone_at=None).first()
        seen = before.pk if before is not None else None
        self.tried(
            services.decide, self.assignment, Decision.Kind(kind), self.papers[who], value, "why", self.by, seen=seen
        )

    @rule(who=WHO)
    def exclude(self, who):
        if not Decision.objects.filter(kind="exclude", grader=self.members[who], undone_at=None).exists():
            result = self.tried(services.exclude, self.assignment, self.members[who], "why", self.by)
            if result is not None:
                self.compute(result)

    @precondition(lambda self: Decision.objects.filter(undone_at=None).exists())
    @rule(which=st.integers(0, 20))
    def undo(self, which):
        made = Decision.objects.filter(undone_at=None).order_by("pk")
        self.tried(services.undo, made[which % len(made)], self.by, "why not")

    @initialize()
    def begin(self):
        self.release()

    @precondition(lambda self: waiting_release(self.assignment) is None)
    @rule()
    def release(self):
        """Most of what can go wrong does once there are releases."""
        self.sign_off(marks=True, tells=True)
        self.wait(3)

    @precondition(lambda self: waiting_release(self.assignment) is None)
    @rule(marks=st.sampled_from([True, True, False]), tells=st.sampled_from([True, True, False]))
    def sign_off(self, marks, tells):
        sheet = draft_sheet(self.assignment)
        seen = fingerprint(draft_release(self.assignment))
        choice = releases.ReleaseChoice(marks, True, tells, seen)
        release = self.tried(releases.sign_off, self.assignment, self.by, choice, None, self.now)
        if release is not None:
            self.signed[release.number] = marks_of(sheet) if marks else None

    @precondition(lambda self: waiting_release(self.assignment) is not None)
    @rule(ticks=st.sampled_from([1, 3]))
    def wait(self, ticks):
        """The clock goes on, and publishes what is due."""
        self.now += ticks * TICK
        due = waiting_release(self.assignment)
        due = due if due is not None and due.due_at <= self.now else None
        assert releases.publish_due(self.now) == (due is not None)
        if due is None:
            return
        new = self.signed[due.number] or {}
        if due.tells:
            first = self.shown is None
            for member in self.here():
                after, before = new.get(member.pk, NONE), (self.shown or {}).get(member.pk, NONE)
                if (after != before and after != NONE) or (first and received_comments(self.paper_of[member.pk])):
                    self.written.add((due.pk, member.person_id))
        self.shown = new
        self.seen_last = new if due.marks else self.seen_last

    @precondition(lambda self: Release.objects.filter(withdrawn_at=None).exists())
    @rule(reason=st.sampled_from(["A mistake.", "A mistake.", ""]))
    def withdraw(self, reason):
        release = Release.objects.filter(assignment=self.assignment, withdrawn_at=None).order_by("-number")[0]
        published = release.published_at is not None
        done = self.tried(releases.withdraw, release, self.by, reason, self.now)
        assert bool(done) == (not published or bool(reason))
        if done and published:
            self.shown = None
            # Nothing was sent yet, and nothing is.
            self.written = {(pk, person) for pk, person in self.written if pk != release.pk}

    @precondition(lambda self: len(self.erased) < 2)
    @rule(who=WHO)
    def erase(self, who):
        member = self.members[who]
        erase_member(member, self.by)
        self.erased.add(member.pk)
        self.written = {(pk, person) for pk, person in self.written if person != member.person_id}

    def tried(self, does, *arguments, **more):
        try:
            return does(*arguments, **more)
        except Refused:
            return None

    # What everybody sees.

    @invariant()
    def staff_see_one_mark(self):
        sheet, basis = draft_sheet(self.assignment), Basis.objects.get(assignment=self.assignment)
        fresh = make_sheet(basis.result, basis.settings, decision_tuples(self.assignment))
        assert marks_of(sheet) == marks_of(fresh)
        if sheet.graded.marking is None:
            return
        page = self.client.get(f"/assignments/{self.assignment.pk}/marks/").context
        rows = page["listing"].page
        assert {row.member: (row.mark, row.review_mark) for _name, row, *_made in rows} == marks_of(sheet)
        marked = [mark for mark, _review in marks_of(sheet).values() if mark is not None]
        assert page["summary"].marked == len(marked)
        if not any(isinstance(mark, str) for mark in marked):
            assert sum(part.students for part in boundaries(sheet, None)) == len(marked)
        self.files_agree(files_of_draft(self.assignment), marks_of(sheet))

    def files_agree(self, files, marks):
        """The CSV, the gradebook and the report have these marks, by the names of students as they are now."""
        names = dict(Member.objects.filter(course=self.assignment.course_id).values_list("pk", "student"))
        expected = {names[pk]: mark_text(mark) for pk, (mark, _review) in marks.items()}
        rows = list(csv.DictReader(io.StringIO(files.content("marks.csv").decode("utf-8-sig"))))
        assert {row["student"]: _as_text(row["mark"]) for row in rows} == expected
        if next(self.turn) % 8 == 0:
            self.gradebook_agrees(files, expected)
            self.report_agrees(files, marks)

    def report_agrees(self, files, marks):
        """It has the marks of papers, which those of authors are but for points off for not ranking."""
        rows = IN_REPORT.findall(files.content("report.html").decode())
        found = {paper: mark for _place, paper, mark in rows}
        called = dict(zip(files.sheet.papers, files.graded.round.papers, strict=True))
        assert set(found) == set(called.values())
        papers = {member: row.paper for member, row in files.sheet.students.items() if row.paper is not None}
        for member, paper in papers.items():
            mark, there = marks[member][0], found[called[paper]]
            if not isinstance(mark, float):
                assert there == as_mark(mark)
            elif files.settings.get("penalty"):
                assert float(there) >= round(mark, 1) - 0.1
            else:
                assert float(there) == pytest.approx(mark, abs=0.051)

    def gradebook_agrees(self, files, expected):
        book = GRADEBOOK + "".join(f"X,1,{student},x,Monday,\n" for student in expected)
        filled = gradebooks.fill_gradebook(files, book.encode())
        rows = list(csv.DictReader(io.StringIO(filled.data.decode("utf-8-sig"))))
        assert {row["SIS User ID"]: _as_text(row["Essay (17)"]) for row in rows[1:]} == expected

    @invariant()
    def students_see_what_was_signed_off(self):
        release = release_in_force(self.assignment)
        assert (release is not None) == (self.shown is not None)
        stage = Assignment.objects.get(pk=self.assignment.pk).stage
        assert stage == (Stage.REVIEW if release is None else Stage.RELEASED)
        if release is None:
            return
        release.assignment = self.assignment
        sheet = released_sheet(release)
        assert ({} if sheet is None else marks_of(sheet)) == self.shown
        for member in self.here():
            mark, review = self.shown.get(member.pk, NONE)
            seen = student_result(self.assignment, member, sheet, release)
            assert (seen.mark, seen.review_mark) == (mark_text(mark), mark_text(review))
        if self.here():
            self.page_agrees(self.here()[next(self.turn) % len(self.here())])
        if sheet is not None:
            self.files_agree(files_of_release(self.assignment, release), self.shown)

    def page_agrees(self, member):
        client = Client()
        client.force_login(member.person)
        shown = client.get(f"/assignments/{self.assignment.pk}/my-result/").context["result"]
        assert shown.mark == mark_text(self.shown.get(member.pk, NONE)[0])

    @invariant()
    def e_mails_are_written_once(self):
        keys = Mail.objects.filter(key__startswith="release ").values_list("key", "person_id")
        found = [(int(key.split()[1]), person) for key, person in keys]
        assert sorted(found) == sorted(self.written)

    @invariant()
    def changes_are_listed(self):
        draft = draft_release(self.assignment)
        new = marks_of(draft_sheet(self.assignment))
        before = self.shown if self.shown is not None else self.seen_last
        expected = {member.pk for member in self.here() if before and before.get(member.pk, NONE) != new[member.pk]}
        assert {each.member for each in changes(draft, visible_to_students(draft))} == expected


def _as_text(cell):
    """A mark of a file as pages have it."""
    try:
        return mark_text(float(cell))
    except ValueError:
        return cell


@pytest.fixture
def students(students):
    return students[:STUDENTS]


@pytest.fixture
def in_this_process(monkeypatch):
    """Gradebooks are filled in here: a process of its own for each would take too long."""
    monkeypatch.setattr(gradebooks, "run_sandboxed", lambda _name, *paths: tasks.fill_gradebook(*paths[:2]))


@pytest.mark.usefixtures("in_this_process")
def test_every_view_shows_the_same_mark(marked, papers, students, instructor):
    class Here(Round):
        assignment, members, by = marked, students, instructor.person

    Here.papers = papers
    Here.paper_of = {member.pk: paper.pk for member, paper in zip(students, papers, strict=True)}
    quick = settings(
        max_examples=6,
        stateful_step_count=12,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Here, settings=quick)
