"""What a student's own data have of results: what was released to them, and what they said about it."""

from typing import Any

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.results.comments import comment_key
from peerorder.web.results.mark_sheets import release_in_force, released_among, released_sheet
from peerorder.web.results.models import CommentFeedback, Decision, Look, Release, Thanks
from peerorder.web.results.student_result import student_result


def own_results(member: Member) -> list[dict[str, Any]]:
    """Return what a member sees of every release in force, with what staff decided about it; without their reasons."""
    result = []
    assignments = Assignment.objects.filter(course=member.course_id)
    for assignment in assignments.filter(pk__in=released_among(assignments)).order_by("pk"):
        release = release_in_force(assignment)
        if release is not None:
            result.append(_result(assignment, member, release))
    return result


def _result(assignment: Assignment, member: Member, release: Release) -> dict[str, Any]:
    sheet = released_sheet(release)
    seen = student_result(assignment, member, sheet, release)
    mark = sheet.students.get(member.pk) if sheet is not None else None
    given = CommentFeedback.objects.filter(member=member, slot__assignment=assignment)
    texts = {comment.key: comment.text for comment in seen.comments}
    thanks = Thanks.objects.filter(assignment=assignment, member=member).first()
    return {
        "assignment": str(assignment),
        "released_at": release.published_at,
        "seen_at": Look.objects.filter(release=release, member=member).values_list("at", flat=True).first(),
        "mark": mark.mark if mark is not None else None,
        "mark_low": mark.mark_low if mark is not None else None,
        "mark_high": mark.mark_high if mark is not None else None,
        "mark_for_ranking": mark.review_mark if mark is not None else None,
        "agreement_percent": seen.agreement,
        "explanation": [*seen.sentences, *seen.deductions],
        "decisions": _decisions(member, release) if release.marks else [],
        "comments_received": list(texts.values()),
        "feedback_given": [
            {"comment": texts.get(comment_key(each.slot_id), ""), "kind": each.kind, "text": each.text, "at": each.at}
            for each in given.order_by("at")
        ],
        "comments_found_helpful": thanks.helpful if thanks is not None else None,
    }


def _decisions(member: Member, release: Release) -> list[dict[str, Any]]:
    excluded = release.result.excluded if release.result is not None else []
    about = Decision.objects.filter(pk__in=release.decisions, paper__authorships__member=member)
    about |= Decision.objects.filter(pk__in=excluded, grader=member)
    rows = about.order_by("pk").values_list("kind", "value", "made_at").distinct()
    return [{"kind": kind, "value": value, "made_at": made_at} for kind, value, made_at in rows]
