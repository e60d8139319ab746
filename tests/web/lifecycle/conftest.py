"""Papers, and papers that were given out."""

import pytest
from django.utils import timezone

from peerorder.web.papers.models import Authorship, Kind, Paper, State, Version
from peerorder.web.ranking.models import Handout, Slot


def hand_in(assignment, *members, state=State.READY, text="My essay.", at=None):
    """A text paper of somebody, or of a team."""
    paper = Paper.objects.create(assignment=assignment)
    paper.current = Version.objects.create(
        paper=paper,
        kind=Kind.TEXT,
        text=text,
        digest="0" * 64,
        size=len(text),
        handed_in_by=members[0],
        state=state,
        handed_in_at=at or timezone.now(),
    )
    paper.save()
    Authorship.objects.bulk_create([Authorship(assignment=assignment, paper=paper, member=each) for each in members])
    return paper


def hand_out(assignment, bundles, why=Handout.Why.FIRST):
    """Give out papers: ``bundles`` has the papers of every grader."""
    handout = Handout.objects.create(assignment=assignment, why=why, ready_at=timezone.now())
    return {
        grader: [
            Slot.written.create(assignment=assignment, handout=handout, grader=grader, paper=paper, position=at)
            for at, paper in enumerate(papers)
        ]
        for grader, papers in bundles.items()
    }


@pytest.fixture
def papers(assignment, students):
    """A paper of every student."""
    return [hand_in(assignment, student) for student in students]
