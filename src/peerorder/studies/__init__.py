"""Experiments that measure how good rules and schemes are, declared as data and run by one runner."""

from peerorder.studies.catalogue import GROUPS, OF_THE_PAPER, STUDIES, study
from peerorder.studies.experiment import Cell, Run, perform
from peerorder.studies.journal import Journal
from peerorder.studies.real import run_real
from peerorder.studies.reproduction import exact_law, exact_noisy_law, reproduce
from peerorder.studies.runner import Study, run_studies, summary

__all__ = [
    "GROUPS",
    "OF_THE_PAPER",
    "STUDIES",
    "Cell",
    "Journal",
    "Run",
    "Study",
    "exact_law",
    "exact_noisy_law",
    "perform",
    "reproduce",
    "run_real",
    "run_studies",
    "study",
    "summary",
]
