"""A round from the database, and the same from the files of its export."""

import zipfile

import pytest

from peerorder.files.rounds import read_round
from peerorder.reports import instructor
from peerorder.rounds import GradeSettings, grade
from peerorder.web.home.erasure import erase_member
from peerorder.web.jobs.models import Job
from peerorder.web.lifecycle.export import export_of
from peerorder.web.papers.services import withdraw
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Handout, Slot
from peerorder.web.ranking.round_snapshot import load_round
from tests.web.factories import complete_ranking, enrol, submit_ranking
from tests.web.ranking.conftest import at_ranking, do, hand_in_paper


def ask(job):
    assert do(job).state == Job.State.DONE, job.message


@pytest.fixture
def eventful(assignment, course, students, instructor):
    """A round with a team, ties, "cannot judge", late joiners, a top-up, a withdrawn paper and an erased person."""
    # Ids in another order than people came, one of them missing.
    for member, student in zip(students, ("z9", "10", "9", "", "b", "a", "h", "c"), strict=True):
        member.student = student
        member.save()
    papers = [hand_in_paper(assignment, *students[:2])]
    papers += [hand_in_paper(assignment, student) for student in students[2:]]
    at_ranking(assignment)
    ask(handouts.enqueue_first_handout(assignment))
    hand_in_paper(assignment, enrol(course, "Lee", student="5"))
    ask(handouts.enqueue_late_handout(assignment))
    for at, grader in enumerate(students[:6]):
        said = complete_ranking(assignment, grader, judged=None if at else 2)
        if at == 1:
            # Not with the paper that is withdrawn later.
            out = set(papers[-1].slots.values_list("token", flat=True))
            one, other, *rest = sorted(said["orders"]["0"], key=lambda each: each[0] in out)
            said["orders"]["0"] = [[*other, *one], *rest]
        submit_ranking(assignment, grader, said)
    submit_ranking(assignment, students[6], complete_ranking(assignment, students[6], judged=0))
    ask(handouts.enqueue_top_up(assignment, 4))
    asked = Slot.objects.filter(handout__why=Handout.Why.TOP_UP).order_by("grader").first()
    submit_ranking(assignment, asked.grader)
    withdraw(papers[-1], instructor.person, "Plagiarised")
    erase_member(students[2], instructor.person)
    return assignment


def exported(assignment, folder):
    with export_of(assignment) as stream, zipfile.ZipFile(stream) as archive:
        archive.extractall(folder)
    return read_round(folder / "rankings.csv", roster=folder / "roster.csv", handout=folder / "handout.csv")


def test_database_and_files_are_the_same_round(eventful, tmp_path):
    loaded, read = load_round(eventful), exported(eventful, tmp_path)
    assert not loaded.profile.strict
    assert loaded.handout.favour.any()
    assert (loaded.papers, loaded.graders) == (read.papers, read.graders)
    assert (loaded.people.names, loaded.people.emails) == (read.people.names, read.people.emails)
    assert loaded.digest == read.digest
    assert loaded.blank == read.blank == ("h",)
    for rule in ("borda", "posterior"):
        settings = GradeSettings(rule, marks="percentile", penalty=10)
        one, other = grade(loaded, settings), grade(read, settings)
        for table in ("grades", "graders", "students", "mail_merge"):
            pairs = zip(getattr(one, table)().items(), getattr(other, table)().items(), strict=True)
            for (name, mine), (its_name, its) in pairs:
                assert (name, str(list(mine))) == (its_name, str(list(its)))


def test_papers_asked_for_as_a_favour_count_against_nobody(eventful, tmp_path):
    read = exported(eventful, tmp_path)
    assert int(read.asked.sum()) < len(read.handout.grader)


def test_both_give_the_same_report_but_for_the_names_of_files(eventful, tmp_path):
    settings = GradeSettings("posterior", marks="percentile", penalty=10)
    reports = []
    for each in (load_round(eventful), exported(eventful, tmp_path)):
        graded = grade(each, settings)
        sections = instructor.sections(graded, graded.marking, instructor.explain(graded, [0, 1]))
        reports.append({section.id: section for section in sections})
    loaded, read = reports
    assert list(loaded) == list(read)
    for name in ("order", "marks", "graders", "coverage", "borda", "why"):
        assert loaded[name] == read[name]
    assert ".csv" not in "".join(section.html for section in loaded.values())
