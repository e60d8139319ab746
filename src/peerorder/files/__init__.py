"""Files on disk: written whole or not at all, with their provenance beside them."""

from peerorder.files.decisions import Session, read_session
from peerorder.files.tables import read_rows, write_rows
from peerorder.files.writing import output_directory, write_bytes, write_provenance, write_text

__all__ = [
    "Session",
    "output_directory",
    "read_rows",
    "read_session",
    "write_bytes",
    "write_provenance",
    "write_rows",
    "write_text",
]
