"""The instructor's report about a round, and explanations of places."""

from peerorder.reports.instructor.explanation_section import in_words
from peerorder.reports.instructor.page import report, sections
from peerorder.rounds.explanation import Explanation, Vote, explain, select_papers
from peerorder.rounds.grading import Marking

__all__ = ["Explanation", "Marking", "Vote", "explain", "in_words", "report", "sections", "select_papers"]
