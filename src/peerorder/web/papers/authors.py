"""Who wrote a paper: a student alone, or a team, which may change while papers come in.

- A student hands in for the team as it is now.
- A paper belongs to a team if nobody else in the course is among its authors. Who left a team for another one leaves
  the paper to those who stayed.
- Nobody loses a paper by a change of teams: one changes papers only for another one that is there.
- Papers that graders have stay with their authors.
"""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.assignments.access import takes_part
from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member, Role
from peerorder.web.papers.models import Authorship, Paper
from peerorder.web.papers.queries import is_distributed
from peerorder.web.people.models import Person


def team_of(assignment: Assignment, member: Member) -> list[Member]:
    """Return those who hand in together, the member among them."""
    if not assignment.in_teams or not member.team:
        return [member]
    mates = Member.objects.select_related("person").filter(
        course=assignment.course_id, role=Role.STUDENT, team=member.team, removed_at=None
    )
    return [mate for mate in mates.order_by("pk") if mate.pk == member.pk or takes_part(mate, assignment)]


def paper_of(assignment: Assignment, member: Member) -> Paper | None:
    """Return the paper of a student: their own, or the one that their team has handed in without them."""
    team = team_of(assignment, member)
    papers = _papers(assignment, team)
    mine = _own_paper(papers, member)
    theirs = _team_paper(papers, team, member)
    if mine is not None and (theirs is None or is_distributed(mine)):
        return mine
    return theirs


def paper_for(assignment: Assignment, member: Member, team: Sequence[Member], by: Person) -> Paper:
    """Return the paper that a member of a team hands in, new if there is none; the whole team are its authors.

    The assignment must be locked, so that nobody else of the team hands in at the same time.
    """
    papers = _papers(assignment, team)
    paper = _team_paper(papers, team, member) or Paper.objects.create(assignment=assignment)
    _join(assignment, paper, team, by)
    return paper


def add_team_authors(assignment: Assignment, by: Person | None = None) -> int:
    """Make those who joined a team authors of its paper, and return how many there were.

    To be called before papers are given out, with the assignment locked.
    """
    if not assignment.in_teams:
        return 0
    joined = 0
    with transaction.atomic():
        members = Member.objects.filter(course=assignment.course_id, role=Role.STUDENT, removed_at=None)
        for name in members.exclude(team="").order_by("team").values_list("team", flat=True).distinct():
            first = members.filter(team=name).order_by("pk")[0]
            team = [mate for mate in team_of(assignment, first) if takes_part(mate, assignment)]
            papers = _papers(assignment, team)
            paper = _team_paper(papers, team, None)
            if paper is not None:
                # Where two papers came together in one team, which one counts is for the team to say.
                go = [mate for mate in team if not _belongs_to(_own_paper(papers, mate), team)]
                joined += _join(assignment, paper, go, by)
    return joined


def _papers(assignment: Assignment, team: Sequence[Member]) -> list[Paper]:
    """Return what members of a team are authors of; the last one that was handed in comes first."""
    papers = Paper.objects.select_related("current").prefetch_related("authorships__member")
    mine = papers.filter(assignment=assignment, authorships__member__in=team).distinct()
    return sorted(mine, key=lambda paper: (paper.current is not None, paper.current_id or 0, paper.pk), reverse=True)


def _own_paper(papers: Sequence[Paper], member: Member) -> Paper | None:
    for paper in papers:
        if any(authorship.member_id == member.pk for authorship in paper.authorships.all()):
            return paper
    return None


def _belongs_to(paper: Paper | None, team: Sequence[Member]) -> bool:
    if paper is None:
        return False
    inside = {mate.pk for mate in team}
    authors = [authorship.member for authorship in paper.authorships.all()]
    # Who is no longer in the course claims nothing.
    return all(author.pk in inside or author.removed_at is not None for author in authors)


def _team_paper(papers: Sequence[Paper], team: Sequence[Member], member: Member | None) -> Paper | None:
    """Return the paper that belongs to the team; where there are several, rather the member's own."""
    wholly = [paper for paper in papers if _belongs_to(paper, team)]
    mine = _own_paper(wholly, member) if member is not None else None
    return mine or (wholly[0] if wholly else None)


def _join(assignment: Assignment, paper: Paper, team: Sequence[Member], by: Person | None) -> int:
    """Make the team authors of a paper; a paper that nobody is left of goes out of the round."""
    joined = 0
    for mate in team:
        authorship = Authorship.objects.filter(assignment=assignment, member=mate).select_related("paper").first()
        if authorship is not None and authorship.paper_id == paper.pk:
            continue
        if authorship is None:
            Authorship.objects.create(assignment=assignment, paper=paper, member=mate)
        elif is_distributed(authorship.paper):
            continue
        else:
            left = authorship.paper
            authorship.paper = paper
            authorship.save(update_fields=["paper"])
            if not left.authorships.exists():
                left.withdrawn_at, left.withdrawn_because = timezone.now(), _("Its authors handed in another paper.")
                left.save(update_fields=["withdrawn_at", "withdrawn_because"])
        joined += 1
        record("author joined", by, assignment=assignment, paper=paper.pk, member=mate.pk)
    return joined
