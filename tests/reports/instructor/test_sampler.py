"""What the report says about the sampler."""

import re
from dataclasses import replace

import numpy as np
import pytest

from peerorder.core.samples import Samples
from peerorder.reports.instructor import sections
from peerorder.reports.instructor.sampler import section
from tests.reports.instructor.rounds import from_rows, graded

BALLOTS = "a x 1\na y 2\nb y 1\nb z 2\nc x 1\nc z 2"


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    return graded(tmp_path_factory.mktemp("crowd"), n=40, k=6)


def rows(html):
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html))


def test_it_shows_the_worst_papers_and_the_median(crowd):
    samples = crowd.outcome.result.samples
    found, bulk = rows(section(crowd)), samples.ess_bulk()
    assert found["chains"] == "4"
    assert found["draws kept"] == "256, 64 per chain"
    assert found["R-hat"] == f"at most {samples.split_r_hat().max():.2f}"
    assert found["bulk ESS"].startswith(f"at least {bulk.min():.0f}, median ")
    assert found["tail ESS"].startswith(f"at least {samples.ess_tail().min():.0f}, median ")
    assert "papers" not in found
    assert "with an ESS below 20," in section(crowd)


def test_it_says_if_it_is_about_some_papers(crowd, monkeypatch):
    monkeypatch.setattr("peerorder.core.diagnostics.MOST_PAPERS", 16)
    assert rows(section(replace(crowd)))["papers"] == "16, evenly spaced over all papers"


def test_only_rules_that_draw_orders_have_it(crowd, tmp_path):
    assert "sampler" in [each.id for each in sections(crowd)]
    assert "sampler" not in [each.id for each in sections(from_rows(tmp_path, BALLOTS, "borda"))]


def with_draws(crowd, draws):
    samples = crowd.outcome.result.samples
    others = Samples(samples.places[draws], samples.evidence[draws], 4)
    return replace(crowd, outcome=replace(crowd.outcome, result=replace(crowd.outcome.result, samples=others)))


def test_an_effective_sample_size_is_small_whatever_the_number_of_draws(crowd):
    assert "with an ESS below 20," in section(with_draws(crowd, np.tile(np.arange(256), 8)))
    assert "with an ESS below 10," in section(with_draws(crowd, slice(128)))


def test_too_few_draws_are_no_error(crowd):
    assert section(with_draws(crowd, slice(8))) is None
