"""Compare the append-only tables with their seals: what is missing, added, changed, cut off or of another site."""

import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from django.db.models import Max, Sum
from django.utils.timezone import localtime

from peerorder.core.errors import InputError
from peerorder.web.audit.models import Seal
from peerorder.web.audit.registry import SEALED, SealedTable
from peerorder.web.audit.seal_keys import key_file, read_keys
from peerorder.web.audit.sealed_rows import RowsDigest, read, sign
from peerorder.web.audit.seals import Head, head_file, remembered_head
from peerorder.web.database.paging import by_id

MOST = 100
"""At most this many findings are listed; the others are counted."""
SHORTEST_HEAD = 16


@dataclass
class Report:
    """What was compared, and what does not fit."""

    rows: int = 0
    seals: int = 0
    unsealed: int = 0
    """Rows that came after the last seals."""
    head: str = ""
    findings: list[str] = field(default_factory=list)
    more: int = 0
    """Findings that are not told."""

    def add(self, finding: str) -> None:
        """Add a finding."""
        if len(self.findings) < MOST:
            self.findings.append(finding)
        else:
            self.more += 1


def verify(expected: Mapping[str, Head], progress: Callable[[int, int], None] = lambda _done, _total: None) -> Report:
    """Recompute all seals, and look for heads that were noted elsewhere: by where, with number 0 if that is unknown.

    Memory does not grow with the log. The app may run meanwhile: what it adds is left for the next time.

    Raises
    ------
    InputError
        If there are seals and no key.
    """
    report = Report()
    end = Seal.objects.aggregate(end=Max("pk"))["end"] or 0
    seals = Seal.objects.filter(pk__lte=end)
    keys = read_keys()
    if end and not keys:
        raise InputError(f"{key_file()} is missing, and nothing can be verified without it; put it back")
    _check_chain(seals, keys, _heads(expected), report)
    for name in seals.order_by().values_list("table", flat=True).distinct():
        if name not in SEALED:
            report.add(f"there are seals on {name}, a table that this version does not have")
    total = seals.filter(table__in=SEALED).aggregate(total=Sum("count"))["total"] or 0
    for name, table in SEALED.items():
        of_table = seals.filter(table=name)
        for seal, digest in _batches(table, by_id(of_table), report):
            report.rows += digest.count
            if finding := _difference(seal, digest):
                report.add(finding)
            progress(min(report.rows, total), total)
        sealed = of_table.aggregate(last=Max("last_id"))["last"] or 0
        report.unsealed += table.model._base_manager.filter(pk__gt=sealed).count()
        if below := table.model._base_manager.filter(pk__lt=1).count():
            report.add(f"{name}: {below} rows with ids below 1 were added, which no database gives")
    return report


# The chain.


def _heads(expected: Mapping[str, Head]) -> dict[str, Head]:
    remembered = remembered_head()
    return {**expected, **({} if remembered is None else {str(head_file()): remembered})}


def _check_chain(seals: "Iterable[Seal]", keys: Mapping[str, bytes], heads: dict[str, Head], report: Report) -> None:
    """Check that every seal was made with a key of ours and follows the one before, and that all heads are there."""
    number, previous, unknown = 0, "", _Unknown(report)
    for seal in by_id(seals):  # type: ignore[arg-type]
        if seal.pk != number + 1:
            report.add(f"{_range_text(number + 1, seal.pk - 1)} missing")
        if seal.key not in keys:
            unknown.add(seal)
        elif seal.pk == number + 1 and not hmac.compare_digest(sign(seal, previous, keys[seal.key]), seal.digest):
            report.add(f"seal {seal.pk} does not fit: it, or the one before it, was changed")
        heads = {where: head for where, head in heads.items() if not _matches(seal, head)}
        number, previous = seal.pk, seal.digest
        report.seals, report.head = report.seals + 1, seal.digest
    unknown.tell()
    for where, head in heads.items():
        which = (
            f"seal {head.number} ({head.digest[:16]}), which {where} names," if head.number else f"the head in {where}"
        )
        report.add(
            f"{which} is not in the log, which ends with seal {number}: seals were cut off or replaced, an older state "
            f"was restored, or this is the log of another site"
        )


def _matches(seal: Seal, head: Head) -> bool:
    long_enough = len(head.digest) >= SHORTEST_HEAD
    return head.number in (0, seal.pk) and long_enough and seal.digest.startswith(head.digest)


def _range_text(first: int, last: int) -> str:
    return f"seal {first} is" if first == last else f"seals {first} to {last} are"


class _Unknown:
    """Seals that were made with a key that is not here, in runs."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._key, self._first, self._last = "", 0, 0

    def add(self, seal: Seal) -> None:
        if (seal.key, seal.pk) != (self._key, self._last + 1):
            self.tell()
            self._key, self._first = seal.key, seal.pk
        self._last = seal.pk

    def tell(self) -> None:
        if self._first:
            which = f"seal {self._first}" if self._first == self._last else f"seals {self._first} to {self._last}"
            self._report.add(
                f"{which} cannot be verified: made with the key {self._key}, which is not in {key_file()}; "
                f"put the key of this site back, or this is the log of another one"
            )
        self._key, self._first, self._last = "", 0, 0


# The rows.


def _batches(table: SealedTable, seals: Iterable[Seal], report: Report) -> Iterator[tuple[Seal, RowsDigest]]:
    """Yield every seal of a table with the digest of its rows as they are now, in one pass over these."""
    for version, run in groupby(seals, key=lambda seal: seal.version):
        if version not in table.versions:
            report.add(f"{_batch_text(next(run))} has a form that this version does not know; upgrade peerorder")
            continue
        rows, row = None, None
        for seal in run:
            if rows is None:
                rows = read(table, version, seal.first_id)
                row = next(rows, None)
            digest = RowsDigest()
            while row is not None and row[0] <= seal.last_id:
                # Between two batches is nothing, unless seals are missing.
                if row[0] >= seal.first_id:
                    digest.add(row)
                row = next(rows, None)
            yield seal, digest


def _difference(seal: Seal, digest: RowsDigest) -> str:
    """Return how rows differ from their seal; "" where they do not."""
    if digest.count < seal.count:
        what = f"{seal.count - digest.count} of {seal.count} rows are missing"
    elif digest.count > seal.count:
        what = f"{digest.count - seal.count} rows were added to {seal.count}"
    elif digest.hexdigest() != seal.rows:
        what = f"one or more of {seal.count} rows were changed"
    else:
        return ""
    return f"{_batch_text(seal)}: {what}"


def _batch_text(seal: Seal) -> str:
    at = localtime(seal.at).strftime("%Y-%m-%d %H:%M %Z")
    return f"{seal.table}, ids {seal.first_id} to {seal.last_id} (seal {seal.pk} of {at})"
