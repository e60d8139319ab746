"""What Caragiannis et al. (2015) prove about Borda, and what can be computed exactly instead of simulated."""

from peerorder.theory.coverage import accuracy_so_far, effective_k
from peerorder.theory.forecast import Forecast, borda_forecast, share_pmf
from peerorder.theory.guarantee import (
    Guarantee,
    gaussian_integral,
    gaussian_integral_bound,
    graph_guarantee,
    theorem_2,
)
from peerorder.theory.limit_law import borda_law, score_pmf
from peerorder.theory.mallows import displacement, mean_displacement, uniform_qualities
from peerorder.theory.overlaps import eta, eta_bound, eta_bound_by_cycles, overlap_matrix, theta, theta_matrix
from peerorder.theory.upsets import expected_lead, increment_bounds, lead_increments, smallest_n, upset_bound

__all__ = [
    "Forecast",
    "Guarantee",
    "accuracy_so_far",
    "borda_forecast",
    "borda_law",
    "displacement",
    "effective_k",
    "eta",
    "eta_bound",
    "eta_bound_by_cycles",
    "expected_lead",
    "gaussian_integral",
    "gaussian_integral_bound",
    "graph_guarantee",
    "increment_bounds",
    "lead_increments",
    "mean_displacement",
    "overlap_matrix",
    "score_pmf",
    "share_pmf",
    "smallest_n",
    "theorem_2",
    "theta",
    "theta_matrix",
    "uniform_qualities",
    "upset_bound",
]
