from itertools import permutations

import numpy as np
import pytest

from peerorder.core import child
from peerorder.noise import NOISES
from peerorder.noise.generalised_mallows import stagewise

from .laws import LIMIT, mallows, p_value

DRAWS = 6000


def drawn(quality, fade, rng, k=4):
    papers = np.tile(np.arange(k, dtype=np.int32), DRAWS)
    start = np.arange(DRAWS + 1, dtype=np.int64) * k
    return list(map(tuple, stagewise(papers, start, np.full(DRAWS, quality), fade, rng).reshape(DRAWS, k).tolist()))


def staged(quality, fade, k=4):
    """The exact law, written from the module's docstring: the product over the stages of phi^d / (sum of phi^i)."""
    law = {}
    for ranking in permutations(range(k)):
        left, probability, log_phi = list(range(k)), 1.0, np.log((1 - quality) / quality)
        for paper in ranking:
            phi, skipped = np.exp(log_phi), left.index(paper)
            probability *= phi**skipped / sum(phi**i for i in range(len(left)))
            left.remove(paper)
            log_phi *= fade
        law[ranking] = probability
    return law


@pytest.mark.parametrize("quality", [0.6, 0.75, 0.9])
@pytest.mark.parametrize("fade", [0.0, 0.5, 1.0])
def test_draws_follow_the_exact_law(quality, fade, rng):
    assert sum(staged(quality, fade).values()) == pytest.approx(1)
    assert p_value(drawn(quality, fade, rng), staged(quality, fade)) > LIMIT


@pytest.mark.parametrize("quality", [0.6, 0.9])
def test_without_fading_it_is_the_mallows_model(quality):
    law, plain = staged(quality, 1.0), mallows(quality)
    assert all(law[ranking] == pytest.approx(plain[ranking]) for ranking in plain)


def test_fading_leaves_the_first_choice_alone_and_spoils_the_last(rng):
    fresh, tired = (np.array(drawn(0.85, fade, rng, k=6)) for fade in (1.0, 0.3))
    assert abs((fresh[:, 0] == 0).mean() - (tired[:, 0] == 0).mean()) < 0.03
    assert (fresh[:, 4] < fresh[:, 5]).mean() - (tired[:, 4] < tired[:, 5]).mean() > 0.2


@pytest.mark.parametrize(("quality", "first"), [(1.0, (0, 1, 2, 3)), (0.0, (3, 2, 1, 0))])
def test_perfect_graders_do_not_tire(quality, first, rng):
    assert set(drawn(quality, 0.5, rng)) == {first}


def test_below_one_half_is_the_mirror_image(rng):
    law = {ranking[::-1]: probability for ranking, probability in staged(0.8, 0.6).items()}
    mirrored = {tuple(3 - paper for paper in ranking): probability for ranking, probability in staged(0.8, 0.6).items()}
    assert p_value(drawn(0.2, 0.6, rng), mirrored) > LIMIT
    assert p_value(drawn(0.2, 0.6, rng), law) < LIMIT


def test_quality_follows_the_paper_or_does_not():
    from peerorder.core import Bundles

    n = 400
    bundles = Bundles.from_matrix([[(g + j) % n for j in range(1, 6)] for g in range(n)], n)
    truth = np.arange(n)

    def wrong(spec):
        profile = NOISES.parse(spec).draw(bundles, truth, child(1), authored=np.arange(n))
        rows = profile.papers.reshape(n, 5)
        bad = (rows[:, :-1] > rows[:, 1:]).mean(axis=1)
        return bad[: n // 2].mean(), bad[n // 2 :].mean()

    best, worst = wrong("generalised-mallows:level=50")
    assert worst - best > 0.15
    best, worst = wrong("generalised-mallows:level=50,tied=no")
    assert abs(worst - best) < 0.1
