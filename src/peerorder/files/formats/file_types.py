"""How files are told apart: by the end of their names, the bytes they begin with, and what separates their fields."""

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
"""What a workbook begins with; other documents are packed likewise."""

BYTE_ORDER_MARK = "\ufeff"
"""By which Excel knows that CSV is in UTF-8."""
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ENCODINGS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""How a text is encoded that begins with these bytes."""

SEPARATORS = (",", ";", "\t", "|")


def separator_of(line: str) -> str:
    """Return what separates the fields of a header row: the sign that is most often outside of quotes."""
    outside = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=outside.count)
