"""What people read at the end: HTML pages, and the plain records that they are made of."""

from peerorder.reports.acceptance import target_checks
from peerorder.reports.claims import Promise
from peerorder.reports.comparison import Check, Comparison, Verdict, checks
from peerorder.reports.deviations import explanation
from peerorder.reports.directory import write_page
from peerorder.reports.reproduction import page, promises

__all__ = [
    "Check",
    "Comparison",
    "Promise",
    "Verdict",
    "checks",
    "explanation",
    "page",
    "promises",
    "target_checks",
    "write_page",
]
