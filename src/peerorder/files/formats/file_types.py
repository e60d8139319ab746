"""File types: by the end of their names, their first bytes, and what separates their fields."""

import codecs

__all__ = [
    "BYTE_ORDER_MARK",
    "ENCODINGS",
    "PARQUET",
    "SEPARATORS",
    "TEXTS",
    "UTF16_MARKS",
    "WORKBOOKS",
    "WORKBOOK_BYTES",
    "separator_of",
]

TEXTS = (".csv", ".tsv", ".txt")
WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods")
PARQUET = (".parquet", ".pq")

WORKBOOK_BYTES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""The first bytes of a workbook; other documents are packed in the same way."""

BYTE_ORDER_MARK = "\ufeff"
"""By which Excel knows that CSV is in UTF-8."""
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ENCODINGS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""The encoding of texts that begin with these bytes."""

SEPARATORS = (",", ";", "\t", "|")


def separator_of(line: str) -> str:
    """Return the separator of a header row: the most frequent sign outside of quotes."""
    outside = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=outside.count)
