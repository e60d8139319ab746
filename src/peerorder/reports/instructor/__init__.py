"""The page that an instructor gets of a round, and why a paper stands where it stands."""

from peerorder.files.grading import Marking
from peerorder.reports.instructor.page import report
from peerorder.reports.instructor.why import Vote, Why, chosen, explained
from peerorder.reports.instructor.why_section import in_words

__all__ = ["Marking", "Vote", "Why", "chosen", "explained", "in_words", "report"]
