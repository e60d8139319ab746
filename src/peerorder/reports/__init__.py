"""What people read at the end: HTML pages, and the plain records that they are made of."""

from peerorder.reports.comparison import Check, Comparison, Verdict, checks
from peerorder.reports.directory import write_page
from peerorder.reports.explanation import explanation
from peerorder.reports.promises import Promise
from peerorder.reports.reproduction import page, promises
from peerorder.reports.targets import target_checks

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
