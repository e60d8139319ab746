"""Legal rows for tests of the web app, made as the app makes them: by its services."""

from datetime import UTC, datetime

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.services import claim, run
from peerorder.web.papers.models import Paper
from peerorder.web.papers.services import hand_in as hand_in_paper
from peerorder.web.papers.submissions import check_text
from peerorder.web.people.models import Person
from peerorder.web.ranking.content import check_ranking
from peerorder.web.ranking.models import Ballot
from peerorder.web.ranking.queries import ballot_of, papers_of, parts_of
from peerorder.web.ranking.services import RankingUpdate, SaveResult, SaveStatus, hand_in, save


def enrol(course: Course, name: str, role: Role = Role.STUDENT, **fields) -> Member:
    """Somebody new in a course."""
    student = fields.pop("student", name.lower() if role == Role.STUDENT else "")
    person = Person.objects.create_user(None, name=name, email=f"{name.lower()}@example.edu")
    return Member.objects.create(course=course, person=person, role=role, student=student, **fields)


def submit_paper(assignment: Assignment, member: Member, text: str = "My essay.", **how) -> Paper:
    """A text by somebody, or by their team."""
    return hand_in_paper(assignment, member, check_text(text), **how).paper


def complete_ranking(assignment: Assignment, grader: Member, judged: int | None = None) -> dict:
    """All papers of a grader in the order of their labels; of the first part only so many, and the others unjudged."""
    said: dict = {"orders": {}, "unjudged": [], "comments": {}}
    for item in papers_of(assignment, grader):
        if judged is not None and item.part == 0 and len(said["orders"].get("0", [])) == judged:
            said["unjudged"].append(item.token)
        else:
            said["orders"].setdefault(str(item.part), []).append([item.token])
    return said


def save_ranking(assignment: Assignment, grader: Member, said: dict, now=None) -> SaveResult:
    """Save as the page does."""
    return save(assignment, grader, _update(assignment, grader, said), now)


def submit_ranking(assignment: Assignment, grader: Member, said: dict | None = None, now=None) -> Ballot:
    """Hand in as the page does: what is said, or all papers in the order of their labels."""
    said = complete_ranking(assignment, grader) if said is None else said
    result = hand_in(assignment, grader, _update(assignment, grader, said), now)
    assert (result.status, list(result.missing)) == (SaveStatus.SAVED, [])
    return result.ballot


def _update(assignment: Assignment, grader: Member, said: dict) -> RankingUpdate:
    ballot = ballot_of(assignment, grader) or Ballot(client="tests")
    content = check_ranking(said, parts_of(assignment, grader), assignment)
    return RankingUpdate(content, ballot.revision, ballot.client, ballot.client_number + 1)


def run_job(pk: object) -> None:
    """Run one job in this process, due or not, unless it is finished."""
    first = {"state": Job.State.WAITING, "run_after": datetime(1970, 1, 1, tzinfo=UTC)}
    if Job.objects.filter(pk=pk, finished_at=None).update(**first):
        run(claim("tests"))


def run_waiting() -> int:
    """Run everything that is due, of all queues, in this process; gives the number of tries."""
    count = 0
    while (job := claim("tests")) is not None:
        run(job)
        count += 1
    return count


def enter_by(client, link: str, **more):
    """Open a personal link and press its button, as its owner does; gives the page after it."""
    path = link.removeprefix("http://127.0.0.1:8000")
    assert client.get(path).status_code == 200
    return client.post(path, more, follow=True)
