"""What an instructor gets to read about a round, and why a paper stands where it stands."""

from peerorder.reports.instructor.explanation_section import in_words
from peerorder.reports.instructor.page import report, sections
from peerorder.rounds.explaining import Vote, Why, chosen, explain
from peerorder.rounds.grading import Marking

__all__ = ["Marking", "Vote", "Why", "chosen", "explain", "in_words", "report", "sections"]
