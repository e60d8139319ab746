"""Two at once, inside of the app's own process: ``app.ask("from tests.web.ranking.races import ...")``."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.utils import timezone

from peerorder.web.assignments import extensions
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member, Role
from peerorder.web.courses.services.courses import archive, bring_back
from peerorder.web.courses.services.members import put_back, remove_member
from peerorder.web.lifecycle.services import move
from peerorder.web.papers import services as papers
from peerorder.web.papers.models import Paper, Version
from peerorder.web.papers.submissions import check_text
from peerorder.web.people.links import revoke_access
from peerorder.web.ranking.models import Ballot, Save, Slot, UncountedSave
from tests.web.factories import complete_ranking, enrol, save_ranking, submit_ranking
from tests.web.whole.scene import make_class, small_round

LONG = 30


class Other(threading.Thread):
    """Somebody else, with a connection of their own; ``outcome`` is what they got."""

    def __init__(self, does: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.does, self.outcome, self.ended_at = does, None, 0.0
        self.start()

    def run(self) -> None:
        try:
            self.outcome = self.does()
        except PermissionDenied:
            self.outcome = "refused"
        except BaseException as error:
            self.outcome = repr(error)
        finally:
            self.ended_at = time.monotonic()
            connection.close()

    def wait(self) -> Any:
        self.join(LONG)
        assert not self.is_alive(), "it waits for ever"
        return self.outcome

    def wait_until_it_waits(self) -> None:
        """Until it is at a lock of ours; on SQLite nobody can see that."""
        end = time.monotonic() + LONG
        while connection.vendor == "postgresql":
            assert time.monotonic() < end
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
                if cursor.fetchone()[0]:
                    return
            time.sleep(0.01)
        time.sleep(0.3)


def while_it_waits(changes: Callable[[], Any], does: Callable[[], Any]) -> Any:
    """Change something, and commit it when somebody else is already waiting to do something; what they got."""
    with transaction.atomic():
        changes()
        other = Other(does)
        other.wait_until_it_waits()
    return other.wait()


def saves_against_changes() -> dict:
    """By name, what became of a save that waited for a change; and what counts in the end."""
    assignment = Assignment.objects.select_related("course").get(pk=small_round(8, 3)["assignment"])
    course = assignment.course
    by = enrol(course, "Ida", Role.INSTRUCTOR).person
    first, second, *_ = students = list(Member.objects.filter(course=course, role=Role.STUDENT).order_by("pk"))
    # Nothing but rankings keeps extensions from being taken back.
    Version.objects.update(handed_in_at=assignment.created_at - timedelta(days=1))
    submit_ranking(assignment, second)

    turns = count()

    def sent_by(member):
        # As at the entrance: everything is read before the wait, and nothing of it counts.
        stale, me = Assignment.objects.select_related("course").get(pk=assignment.pk), fresh(member)
        said = complete_ranking(stale, me)
        # Another order each time: what is sent again is not kept again.
        order = said["orders"]["0"]
        order.append(order.pop(next(turns) % 3))
        return lambda: save_ranking(stale, me, said).status.value

    def fresh(member):
        return Member.objects.select_related("person", "course").get(pk=member.pk)

    def step(to):
        return lambda: move(assignment, to, by, timezone.now())

    def deadline(**when):
        Assignment.objects.filter(pk=assignment.pk).update(rank_by=timezone.now() + timedelta(**when))

    def grant():
        end = timezone.now() + timedelta(hours=1)
        extensions.grant(assignment, first, None, end, "", by, timezone.now())

    got = {"review": while_it_waits(step(Stage.REVIEW), sent_by(first))}
    got["back"] = while_it_waits(step(Stage.RANKING), sent_by(first))
    got["archived"] = while_it_waits(lambda: archive(course, by), sent_by(first))
    bring_back(course, by)
    got["removed"] = while_it_waits(lambda: remove_member(first, by), sent_by(first))
    put_back(first, by)
    got["revoked"] = while_it_waits(lambda: revoke_access([first.person]), sent_by(first))
    got["afterwards"] = sent_by(first)()
    deadline(hours=-1)
    got["granted"] = while_it_waits(grant, sent_by(first))
    extension = Extension.objects.get()
    got["taken back"] = while_it_waits(lambda: extensions.withdraw(extension, by), sent_by(first))
    deadline(hours=1)
    got["counts"] = {
        "submissions": Ballot.objects.filter(submission__isnull=False).count(),
        "late": UncountedSave.objects.filter(why="late", ballot__grader=first).count(),
        "in time": Save.objects.filter(ballot__grader=first).count(),
        "students": len(students),
    }
    return got


def changes_among_saves() -> dict:
    """Changes that are made while students save without a pause: the one who is to be shut out, and a whole class."""
    assignment = Assignment.objects.select_related("course").get(pk=small_round(24, 3)["assignment"])
    course = assignment.course
    by = enrol(course, "Ida", Role.INSTRUCTOR).person
    students = list(Member.objects.filter(course=course, role=Role.STUDENT).select_related("person", "course"))
    submit_ranking(assignment, students[0])
    ends = threading.Event()

    def saves(member):
        said = complete_ranking(assignment, member)
        while not ends.is_set():
            said["orders"]["0"].reverse()
            try:
                save_ranking(assignment, member, said)
            except PermissionDenied:
                # They try again and again.
                continue

    # One of them saves in many tabs at once.
    others = [Other(lambda member=member: saves(member)) for member in [*students[1:], *7 * students[1:2]]]
    shut_out, made = students[1], []
    time.sleep(1)
    changes = {
        "removed": lambda: remove_member(shut_out, by),
        "put back": lambda: put_back(shut_out, by),
        "revoked": lambda: revoke_access([shut_out.person]),
        "review": lambda: move(assignment, Stage.REVIEW, by, timezone.now()),
        "archived": lambda: archive(course, by),
    }
    for name, change in changes.items():
        # Without turns, it would wait for as long as people save.
        Other(change).wait()
        made.append(name)
    ends.set()
    return {"made": made, "strange": [each for each in (other.wait() for other in others) if each is not None]}


def a_step_against_a_hand_in() -> dict:
    """A step waits for a hand-in that was there before it."""
    made = small_round(8, 3)
    assignment = Assignment.objects.select_related("course").get(pk=made["assignment"])
    by = enrol(assignment.course, "Ida", Role.INSTRUCTOR).person
    first = Member.objects.select_related("person", "course").get(pk=made["graders"][0]["member"])
    with transaction.atomic():
        submit_ranking(assignment, first)
        other = Other(lambda: move(Assignment.objects.get(pk=assignment.pk), Stage.REVIEW, by, timezone.now()))
        other.wait_until_it_waits()
        committed = time.monotonic()
    moved = other.wait()
    verbs = Event.objects.filter(verb__in=("ranking handed in", "moved")).order_by("pk").values_list("verb", flat=True)
    return {"moved": moved, "waited": other.ended_at > committed, "verbs": list(verbs)}


def teams_against_a_step() -> dict:
    """Whole teams hand in at once while handing in ends: nobody waits in a ring, and no team has two papers."""
    course = make_class(24)
    by = enrol(course, "Ida", Role.INSTRUCTOR).person
    students = list(Member.objects.filter(course=course, role=Role.STUDENT).order_by("pk"))
    for number, student in enumerate(students):
        Member.objects.filter(pk=student.pk).update(team=f"team {number % 6}")
    end = timezone.now() + timedelta(days=1)
    assignment = Assignment.objects.create(
        course=course, title="Essay", stage=Stage.HANDING_IN, papers_each=2, in_teams=True, hand_in_by=end, rank_by=None
    )
    everybody_is_there = threading.Barrier(len(students) + 1)

    def hand_in(pk):
        stale = Assignment.objects.select_related("course").get(pk=assignment.pk)
        member = Member.objects.select_related("person", "course").get(pk=pk)
        everybody_is_there.wait(LONG)
        try:
            return papers.hand_in(stale, member, check_text(f"The text of {pk}, long enough.")).pk
        except papers.Closed:
            return "closed"

    others = [Other(lambda pk=student.pk: hand_in(pk)) for student in students]
    everybody_is_there.wait(LONG)
    while Paper.objects.count() < 3:
        time.sleep(0.001)
    move(assignment, Stage.RANKING, by, timezone.now())
    got = [other.wait() for other in others]
    moved = Event.objects.get(verb="moved")
    return {
        "strange": [each for each in got if not isinstance(each, int) and each != "closed"],
        "taken": sum(isinstance(each, int) for each in got),
        "versions": Version.objects.count(),
        "papers": Paper.objects.count(),
        "authors": sorted(paper.authorships.count() for paper in Paper.objects.all()),
        "after": Event.objects.filter(verb="paper handed in", pk__gt=moved.pk).count(),
        "slots": Slot.written.count(),
    }
