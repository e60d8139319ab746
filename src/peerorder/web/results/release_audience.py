"""What every student sees of a release, and who is told of it: before it is signed off, and when it is published."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.queries import students_of
from peerorder.web.papers.models import Authorship
from peerorder.web.ranking.models import Ballot, Comment, Slot
from peerorder.web.results.comments import comment_digests
from peerorder.web.results.mark_sheets import Mark, basis_of, decisions_in_force, release_in_force, released_sheet
from peerorder.web.results.models import Release


@dataclass(frozen=True)
class Visible:
    """What one student sees."""

    mark: Mark = None
    review_mark: float | None = None
    comments: bool = False

    @property
    def marks(self) -> tuple[Mark, float | None]:
        """Both marks: if either changes, the student is told."""
        return self.mark, self.review_mark


NOTHING = Visible()


@dataclass(frozen=True)
class Change:
    """Another mark than the student was shown last."""

    member: int
    before: Visible
    after: Visible


def draft_release(assignment: Assignment, *, marks: bool = True, comments: bool = True) -> Release:
    """Return what would be released now, not saved: marks by the result, the scale and the decisions in force."""
    release = Release(assignment=assignment, marks=marks, comments=comments)
    basis = basis_of(assignment) if marks else None
    if basis is not None:
        release.result, release.settings = basis.result, basis.settings
        release.decisions = sorted(decisions_in_force(assignment))
    return release


def fingerprint(release: Release) -> str:
    """Return what tells two drafts apart, so that nobody signs off what they have not seen."""
    made_of = [release.result_id, release.settings, release.decisions]
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:32]


def visible_to_students(release: Release) -> dict[int, Visible]:
    """Return what everybody who takes part sees of a release, saved or not, by the id of the member."""
    sheet = released_sheet(release)
    rows = {} if sheet is None else sheet.students
    commented = authors_with_comments(release.assignment) if release.comments else frozenset[int]()
    result = {}
    for member in students_of(release.assignment).order_by("pk").values_list("pk", flat=True):
        row = rows.get(member)
        shown = NOTHING if row is None else Visible(row.mark, row.review_mark)
        result[member] = replace(shown, comments=member in commented)
    return result


def authors_with_comments(assignment: Assignment) -> frozenset[int]:
    """Return the members on whose papers there are comments that staff have not hidden."""
    digests = comment_digests(Ballot.objects.filter(assignment=assignment))
    kept = set(Comment.objects.filter(ballot__assignment=assignment).values_list("digest", flat=True))
    shown = Slot.objects.filter(assignment=assignment, hidden_comment=None).order_by()
    papers = {paper for token, paper in shown.values_list("token", "paper") if digests.get(token) in kept}
    wrote = Authorship.objects.filter(assignment=assignment, paper__withdrawn_at=None).values_list("member", "paper")
    return frozenset(member for member, paper in wrote if paper in papers)


def waiting_release(assignment: Assignment) -> Release | None:
    """Return the release that is signed off and not published yet, if there is one."""
    waiting = Release.objects.filter(assignment=assignment, published_at=None, withdrawn_at=None)
    return waiting.select_related("signed_off_by", "result").first()


def last_shown_release(assignment: Assignment) -> Release | None:
    """Return what students see now, or else the last marks that they saw before these were withdrawn."""
    published = Release.objects.filter(assignment=assignment, published_at__isnull=False, marks=True)
    return release_in_force(assignment) or published.select_related("result").order_by("-number").first()


def changes(release: Release, visible: Mapping[int, Visible]) -> list[Change]:
    """Return the students whose marks are others than those they were shown last; none before the first marks."""
    before = _marks_of(last_shown_release(release.assignment))
    if not before:
        return []
    pairs = ((member, before.get(member, NOTHING), after) for member, after in visible.items())
    return [Change(member, was, after) for member, was, after in pairs if was.marks != after.marks]


def message_kinds(release: Release, visible: Mapping[int, Visible]) -> dict[int, str]:
    """Return the kind of the e-mail that each student gets when a release is published, by the id of the member.

    Students who see something already are told where their marks change, or where comments come; all others where
    there is anything to see.
    """
    corrected = {each.member for each in changes(release, visible) if each.before.mark is not None}
    seen = release_in_force(release.assignment)
    before, new_comments = _marks_of(seen), seen is None or not seen.comments
    return {
        member: "result corrected" if member in corrected else "result released"
        for member, shown in visible.items()
        if (shown.marks != NOTHING.marks and shown.marks != before.get(member, NOTHING).marks)
        or (shown.comments and new_comments)
    }


@dataclass(frozen=True)
class AudienceNumbers:
    """How many students see what, and how many are told."""

    students: int
    marks: int
    review_marks: int
    comments: int
    nothing: int
    told: int
    """With an e-mail address."""
    corrected: int
    """Of these, told of a correction."""
    without_address: int


def count_audience(release: Release, visible: Mapping[int, Visible]) -> AudienceNumbers:
    """Return how many students see what of a release, saved or not, and how many get an e-mail if they are told."""
    kinds = message_kinds(release, visible)
    without = set(students_of(release.assignment).filter(person__email="").values_list("pk", flat=True))
    reached = [kind for member, kind in kinds.items() if member not in without]
    everybody = visible.values()
    return AudienceNumbers(
        students=len(visible),
        marks=sum(each.mark is not None for each in everybody),
        review_marks=sum(each.review_mark is not None for each in everybody),
        comments=sum(each.comments for each in everybody),
        nothing=sum(each == NOTHING for each in everybody),
        told=len(reached),
        corrected=reached.count("result corrected"),
        without_address=len(kinds) - len(reached),
    )


def _marks_of(release: Release | None) -> dict[int, Visible]:
    sheet = None if release is None else released_sheet(release)
    return {} if sheet is None else {pk: Visible(row.mark, row.review_mark) for pk, row in sheet.students.items()}
