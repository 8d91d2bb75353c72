"""The service's log: one JSON object a line on standard error, without secrets.

What is told comes from our own words and from errors' one-line texts; JSON escapes
control characters, so that no terminal obeys them.
"""

import logging
import sys

import structlog
from aiohttp.http_exceptions import HttpProcessingError


def set_up(level: str) -> None:
    """Let all of Triage's logging come out as JSON, from *level* up."""
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                *shared,
                structlog.stdlib.PositionalArgumentsFormatter(),
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    handler.addFilter(_is_ours)
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)


def _is_ours(record: logging.LogRecord) -> bool:
    """Leave out what callers did wrong: it would put their bytes into the log."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)
