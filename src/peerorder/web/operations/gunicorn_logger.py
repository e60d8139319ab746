"""What gunicorn itself writes to its log, without the tokens of personal links."""

import logging
import sys
from typing import Any

from gunicorn.glogging import Logger

from peerorder.web.json_logging import TextFormatter


class RedactingLogger(Logger):  # type: ignore[misc]
    """Gunicorn's own, whose lines hold whole addresses where a request goes wrong."""

    def setup(self, cfg: Any) -> None:
        """Set up its handlers."""
        super().setup(cfg)
        for handler in logging.getLogger("gunicorn.error").handlers:
            handler.setFormatter(TextFormatter(self.error_fmt, self.datefmt))

    def exception(self, msg: Any, *args: Any, **kwargs: Any) -> None:
        """Log an error with its traceback, but not that a client sent nothing until its connection was closed."""
        if not isinstance(sys.exc_info()[1], (BlockingIOError, TimeoutError)):
            super().exception(msg, *args, **kwargs)
