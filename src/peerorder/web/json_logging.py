"""How lines of the log are written: as text or, for machines, as JSON; without the tokens of personal links."""

import json
import logging
from datetime import UTC, datetime

from peerorder.web.secret_addresses import redact

USUAL = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class TextFormatter(logging.Formatter):
    """Plain text. Django's own lines hold whole addresses, and tracebacks may hold anything."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the event as one line."""
        return redact(super().format(record))


class JsonFormatter(logging.Formatter):
    """Time, level, name and message, and whatever else the event carries."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the event as one line."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in record.__dict__.items() if name not in USUAL}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return redact(json.dumps(line, default=str))
