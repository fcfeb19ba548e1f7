"""Diagnostics: one bounded line each, to the terminal or to a log file that does not grow."""

import io
import logging
import logging.handlers
import os
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import structlog

from groupx.domain.text import excerpt

MAX_LOG_BYTES = 2 * 1024 * 1024
KEPT_LOGS = 3
_MAX_VALUE_CHARACTERS = 1_000
_LIBRARIES_SAY = logging.WARNING
_TRACEBACK = structlog.processors.format_exc_info
"""Files, lines and the error. Structlog's other renderers show locals by default: headers,
bearers and messages would be among them."""


class _PrivateLog(logging.handlers.RotatingFileHandler):
    """0600 whatever the umask."""

    def _open(self) -> io.TextIOWrapper:
        descriptor = os.open(
            self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
        os.fchmod(descriptor, 0o600)
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")


def configure_log(log_file: Path | None) -> None:
    """Send diagnostics to `log_file`, or to stderr. Once per process."""
    handler: logging.Handler
    if log_file is None:
        handler = logging.StreamHandler(sys.stderr)
    else:
        handler = _PrivateLog(log_file, maxBytes=MAX_LOG_BYTES, backupCount=KEPT_LOGS)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.add_log_level,
                structlog.stdlib.add_logger_name,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _TRACEBACK,
                _bounded,
                structlog.processors.KeyValueRenderer(
                    key_order=["timestamp", "level", "logger", "event"], drop_missing=True
                ),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(_LIBRARIES_SAY)
    logging.getLogger("groupx").setLevel(logging.INFO if log_file else logging.WARNING)
    logging.raiseExceptions = False
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _bounded(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = excerpt(value, _MAX_VALUE_CHARACTERS)
        elif not isinstance(value, int | float | None):
            event[key] = excerpt(repr(value), _MAX_VALUE_CHARACTERS)
    return event
