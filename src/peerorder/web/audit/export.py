"""The audit log as a file: CSV for people, JSON Lines for machines."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import tzinfo

from django.utils import timezone

from peerorder.files.formats.file_types import BYTE_ORDER_MARK
from peerorder.files.formats.formulas import without_formula
from peerorder.web.audit.messages import describe
from peerorder.web.audit.models import Event

COLUMNS = ("id", "at", "person", "about", "course", "assignment", "verb", "who", "what", "details")
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


def export_lines(pages: Iterable[list[Event]], suffix: str, zone: tzinfo) -> Iterator[str]:
    """Yield the lines of a file of events, with times in a time zone; names are those of now."""
    if suffix == "csv":
        yield BYTE_ORDER_MARK + _csv_line(COLUMNS)
    for events in pages:
        with timezone.override(zone):
            rows = [
                (
                    *(event.pk, event.at.astimezone(zone).isoformat(), event.person_id, event.about_id),
                    *(event.course_id, event.assignment_id, event.verb, entry.who, entry.what, event.details),
                )
                for event, entry in zip(events, describe(events), strict=True)
            ]
        for row in rows:
            if suffix == "csv":
                yield _csv_line((*row[:-1], json.dumps(row[-1], sort_keys=True)))
            else:
                yield json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) + "\n"


def _csv_line(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(["" if cell is None else without_formula(str(cell)) for cell in cells])
    return line.getvalue()
