"""Experiments that measure how good rules and schemes are, declared as data and run by one runner."""

from peerorder.studies.catalogue import GROUPS, OF_THE_PAPER, STUDIES, study
from peerorder.studies.experiment import Cell, Run, perform
from peerorder.studies.journal import Journal
from peerorder.studies.kept import Shard, run_kept, run_shard
from peerorder.studies.real import run_real
from peerorder.studies.reproduction import exact_law, exact_noisy_law, reproduce, reproduce_shard
from peerorder.studies.runner import Study, run_studies, summary

__all__ = [
    "GROUPS",
    "OF_THE_PAPER",
    "STUDIES",
    "Cell",
    "Journal",
    "Run",
    "Shard",
    "Study",
    "exact_law",
    "exact_noisy_law",
    "perform",
    "reproduce",
    "reproduce_shard",
    "run_kept",
    "run_real",
    "run_shard",
    "run_studies",
    "study",
    "summary",
]
