"""Parquet: columns of text or numbers, as people would write them."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from peerorder.core.translation import gettext as _
from peerorder.files.formats.arrow import strings
from peerorder.files.formats.problems import FileError, Problem, Problems
from peerorder.files.formats.sheets import Choice, Sheet, Wanted, column_names, columns_of, make_sheet

__all__ = ["read_parquet"]


def read_parquet(path: Path, wanted: Wanted | Choice) -> Sheet:
    """Read the table in a Parquet file; its first row is row 1."""
    problems = Problems(path)
    try:
        table = pq.ParquetFile(pa.BufferReader(path.read_bytes())).read()
        # Arrow trusts what it reads unless it is told not to.
        table.validate(full=True)
        header = table.column_names
        places = column_names(path, header, wanted, None)
        texts = {name: _texts(problems, name, table.column(index)) for name, index in places.items()}
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        cause = _("it cannot be read as Parquet ({error})").format(error=" ".join(str(error).split())[:200])
        raise FileError([Problem(path, None, None, cause, _("write it again, or as CSV"))]) from None
    problems.raise_if_any()
    return make_sheet(problems, header, columns_of(texts), np.arange(1, len(table) + 1, dtype=np.int64))


def _texts(problems: Problems, name: str, values: Any) -> Any:
    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.cast(kind.value_type)
        kind = values.type
    if pa.types.is_nested(kind) or pa.types.is_temporal(kind):
        problems.add(
            None,
            name,
            _("this column holds {kind}, which is neither text nor a number").format(kind=kind),
            _("write it as text"),
        )
        return strings([])
    if pa.types.is_floating(kind):
        different = pc.unique(values)
        texts = strings(_as_text(value) for value in different.to_pylist())
        return texts.take(pc.index_in(values, different).combine_chunks())
    return values.cast(pa.string())


def _as_text(value: float | None) -> str:
    """Return a number as people write it: 3, not 3.0."""
    if value is None or value != value:
        return ""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
