"""Logs say what happened, and never a secret."""

import io
import json
import logging
import warnings
from collections.abc import Iterator

import pytest
import structlog
from pydantic import SecretStr

from bot.logging_setup import configure_logging, secrets_of
from bot.settings import DiscordSettings, LogSettings, Settings, StorageSettings

SECRET = "hunter2-is-secret"
WORDS = "what Ada said"


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    root.handlers[:], root.level = handlers, level


def logged(settings: LogSettings) -> io.StringIO:
    stream = io.StringIO()
    configure_logging(settings, secrets=[SECRET], stream=stream)
    return stream


def test_json_lines_carry_message_fields_level_and_time() -> None:
    stream = logged(LogSettings(format="json"))
    structlog.get_logger().info("message answered", channel_id=5, ms=12)
    line = json.loads(stream.getvalue())
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "message answered", "channel_id": 5, "ms": 12, "level": "info"}


@pytest.mark.parametrize("form", ["console", "json"])
def test_secrets_never_reach_the_log(form: str) -> None:
    """SET-1: secrets are never printed, wherever they stand in an event."""
    stream = logged(LogSettings.model_validate({"format": form}))
    log = structlog.get_logger()
    log.warning("refused", url=f"https://x/{SECRET}/y", nested={"a": [SECRET]})
    logging.getLogger("library").error("failed with %s", SECRET)
    try:
        int(f"bad {SECRET}")
    except ValueError:
        log.exception("broke")
    text = stream.getvalue()
    assert SECRET not in text
    assert text.count("[secret]") >= 4
    assert "ValueError" in text


@pytest.mark.parametrize("form", ["console", "json"])
def test_tracebacks_hold_no_values_of_variables(form: str) -> None:
    stream = logged(LogSettings.model_validate({"format": form}))

    def answer(private_words: str) -> int:
        return len(private_words) // 0

    try:
        answer(WORDS)
    except ZeroDivisionError:
        structlog.get_logger().exception("broke")
    assert "ZeroDivisionError" in stream.getvalue()
    assert WORDS not in stream.getvalue()


def test_the_level_holds_for_us_and_libraries_start_at_warning() -> None:
    stream = logged(LogSettings(level="DEBUG"))
    structlog.get_logger().debug("ours")
    logging.getLogger("discord.gateway").info("a payload with words of the room")
    logging.getLogger("discord.gateway").warning("reconnecting")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("a deprecation", UserWarning, stacklevel=1)
    text = stream.getvalue()
    assert "ours" in text
    assert "reconnecting" in text
    assert "a deprecation" in text
    assert "words of the room" not in text
    quiet = logged(LogSettings(level="ERROR"))
    structlog.get_logger().warning("ours")
    logging.getLogger("discord.gateway").warning("reconnecting")
    assert quiet.getvalue() == ""


def test_every_secret_of_the_tree_is_known_to_the_filter() -> None:
    settings = Settings(
        discord=DiscordSettings(token=SecretStr("the-token")),
        storage=StorageSettings(configured_database_url="postgresql://parley:the%2Fpass#word@host/db"),
    )
    assert secrets_of(settings) == ["the-token", "the%2Fpass#word", "the/pass#word"]
