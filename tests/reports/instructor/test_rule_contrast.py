import numpy as np
import pytest

from peerorder.core import child, pairwise_accuracy
from peerorder.reports.instructor.rule_contrast import contrasted, section, title
from peerorder.reports.markup import element
from peerorder.rules import RULES
from tests.reports.instructor.rounds import from_rows, graded


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    return graded(tmp_path_factory.mktemp("crowd"), rule="copeland", n=30, k=5)


def test_the_papers_that_differ_most_come_first(crowd):
    found = contrasted(crowd, None)
    borda = RULES["borda"].aggregate(crowd.outcome.profile, child(0, "grade"))
    apart = np.abs(borda.ranks - crowd.outcome.ranks)
    assert apart[found.papers].tolist() == sorted(apart.tolist(), reverse=True)[: len(found.papers)]
    assert len(found.papers) == min(12, (apart > 0).sum())
    assert found.agreement == pairwise_accuracy(crowd.outcome.places, borda.places)
    assert found.doubted is None


def test_the_company_is_the_mean_place_of_everybody_on_the_same_ballots(crowd):
    found = contrasted(crowd, np.array([0, 1, 2]))
    profile = crowd.round.profile
    for paper, company, doubted in zip(found.papers.tolist(), found.company, found.doubted, strict=True):
        rows = [(int(profile.grader[b]), profile[b].tolist()) for b in range(len(profile)) if paper in profile[b]]
        met = [crowd.outcome.places[other] + 1 for _, row in rows for other in row if other != paper]
        assert company == pytest.approx(np.mean(met))
        assert doubted == f"{sum(who < 3 for who, _ in rows)} of {len(rows)}"


def test_borda_is_set_beside_the_default(tmp_path):
    found = from_rows(tmp_path, "a x 1\na y 2\nb x 1\nb y 2\nb z 3")
    other = contrasted(found, None)
    assert other.other.rule == "posterior"
    assert title(found, other) == "Borda and Posterior compared"
    assert "100.0% of all pairs" in section(found, other)
    assert "Every paper has the same place" in section(found, other)


def test_where_the_default_takes_long_or_there_is_one_paper_there_is_no_such_part(tmp_path, monkeypatch):
    monkeypatch.setattr("peerorder.reports.instructor.rule_contrast.MOST", 2)
    found = from_rows(tmp_path, "a x 1\na y 2\nb x 1\nb y 2\nb z 3")
    assert contrasted(found, None) is None
    assert section(found, None) is None
    assert title(found, None) == ""


def test_papers_are_called_what_the_page_calls_them(crowd):
    found = contrasted(crowd, None)
    shown = section(crowd, found, lambda number: element("a", f"no. {number}", href="#"))
    assert all(f'<a href="#">no. {number}</a>' in shown for number in found.papers.tolist())
