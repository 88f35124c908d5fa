"""Logs: fixed messages with fields, on standard error, without secrets or content (style 21).

Our own events go through structlog; libraries come in through `logging` at WARNING at the least, since their
lower levels print payloads. Tracebacks carry no values of variables, and whatever is written passes a last
filter that knows the secrets of this start.
"""

import logging
import sys
from collections.abc import Iterable
from typing import TextIO, cast
from urllib.parse import unquote

import structlog
from pydantic import SecretStr
from structlog.typing import EventDict, Processor, WrappedLogger

from bot.settings import LogSettings, Settings

HIDDEN = "[secret]"
LEAST_SECRET = 6


def configure_logging(
    settings: LogSettings, *, secrets: Iterable[str] = (), stream: TextIO | None = None
) -> None:
    """Sets up every log of this process; the last call wins. `stream` is standard error when not given."""
    output = stream or cast("TextIO", sys.stderr)
    level = logging.getLevelNamesMapping()[settings.level]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    rendering = [*_renderers(settings, output), without(secrets)]
    structlog.configure(
        processors=[*shared, *rendering],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=output),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(output)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)
    logging.captureWarnings(capture=True)


def secrets_of(settings: Settings) -> list[str]:
    """Every secret of the tree, for the filter."""
    values = (value for part in dict(settings).values() for value in dict(part).values())
    secrets = [value.get_secret_value() for value in values if isinstance(value, SecretStr)]
    password = settings.storage.database_password or ""
    return [*secrets, *filter(None, dict.fromkeys((password, unquote(password))))]


def without(secrets: Iterable[str]) -> Processor:
    """A last processor that takes the secrets out of the written line; very short ones would hit words."""
    hidden = sorted({secret for secret in secrets if len(secret) >= LEAST_SECRET}, key=len, reverse=True)

    def remove(_logger: WrappedLogger, _method: str, line: EventDict | str) -> str:
        text = str(line)
        for secret in hidden:
            text = text.replace(secret, HIDDEN)
        return text

    return remove


def _renderers(settings: LogSettings, stream: TextIO) -> list[Processor]:
    match settings.format:
        case "json":
            return [
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ]
        case "console":
            plain = structlog.dev.plain_traceback
            return [structlog.dev.ConsoleRenderer(colors=stream.isatty(), exception_formatter=plain)]
