"""Compare the append-only tables with their seals: what is missing, added, changed, cut off or of another site."""

import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from django.db.models import Max, Sum
from django.utils.timezone import localtime

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _, ngettext
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
        text = _("{file} is missing, and nothing can be verified without it; put it back")
        raise InputError(text.format(file=key_file()))
    _check_chain(seals, keys, _heads(expected), report)
    for name in seals.order_by().values_list("table", flat=True).distinct():
        if name not in SEALED:
            report.add(_("there are seals on {table}, a table that this version does not have").format(table=name))
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
            text = ngettext(
                "{table}: {count} row with an id below 1 was added, which no database gives",
                "{table}: {count} rows with ids below 1 were added, which no database gives",
                below,
            )
            report.add(text.format(table=name, count=below))
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
            text = _("seal {first} is missing")
            if seal.pk > number + 2:
                text = _("seals {first} to {last} are missing")
            report.add(text.format(first=number + 1, last=seal.pk - 1))
        if seal.key not in keys:
            unknown.add(seal)
        elif seal.pk == number + 1 and not hmac.compare_digest(sign(seal, previous, keys[seal.key]), seal.digest):
            text = _("seal {number} does not fit: it, or the one before it, was changed")
            report.add(text.format(number=seal.pk))
        heads = {where: head for where, head in heads.items() if not _matches(seal, head)}
        number, previous = seal.pk, seal.digest
        report.seals, report.head = report.seals + 1, seal.digest
    unknown.tell()
    for where, head in heads.items():
        text = _(
            "the head in {where} is not in the log, which ends with seal {last}: seals were cut off or replaced, an "
            "older state was restored, or this is the log of another site"
        )
        if head.number:
            text = _(
                "seal {number} ({digest}), which {where} names, is not in the log, which ends with seal {last}: seals "
                "were cut off or replaced, an older state was restored, or this is the log of another site"
            )
        report.add(text.format(number=head.number, digest=head.digest[:16], where=where, last=number))


def _matches(seal: Seal, head: Head) -> bool:
    long_enough = len(head.digest) >= SHORTEST_HEAD
    return head.number in (0, seal.pk) and long_enough and seal.digest.startswith(head.digest)


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
            text = _(
                "seal {first} cannot be verified: made with the key {key}, which is not in {file}; put the key of this "
                "site back, or this is the log of another one"
            )
            if self._last > self._first:
                text = _(
                    "seals {first} to {last} cannot be verified: made with the key {key}, which is not in {file}; put "
                    "the key of this site back, or this is the log of another one"
                )
            self._report.add(text.format(first=self._first, last=self._last, key=self._key, file=key_file()))
        self._key, self._first, self._last = "", 0, 0


# The rows.


def _batches(table: SealedTable, seals: Iterable[Seal], report: Report) -> Iterator[tuple[Seal, RowsDigest]]:
    """Yield every seal of a table with the digest of its rows as they are now, in one pass over these."""
    for version, run in groupby(seals, key=lambda seal: seal.version):
        if version not in table.versions:
            text = _("{batch} has a form that this version does not know; upgrade peerorder")
            report.add(text.format(batch=_batch_text(next(run))))
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
        count = seal.count - digest.count
        text = ngettext(
            "{batch}: {count} of {sealed} rows is missing", "{batch}: {count} of {sealed} rows are missing", count
        )
    elif digest.count > seal.count:
        count = digest.count - seal.count
        text = ngettext(
            "{batch}: {count} row was added to {sealed}", "{batch}: {count} rows were added to {sealed}", count
        )
    elif digest.hexdigest() != seal.rows:
        count = seal.count
        text = ngettext("{batch}: the row was changed", "{batch}: one or more of {count} rows were changed", count)
    else:
        return ""
    return text.format(batch=_batch_text(seal), count=count, sealed=seal.count)


def _batch_text(seal: Seal) -> str:
    time = localtime(seal.at).strftime("%Y-%m-%d %H:%M %Z")
    text = _("{table}, ids {first} to {last} (seal {number} of {time})")
    return text.format(table=seal.table, first=seal.first_id, last=seal.last_id, number=seal.pk, time=time)
