"""What holds for every test: a blocking call of ours on a running event loop is an error."""

import gc
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from blockbuster import BlockBuster, blockbuster_ctx
from hypothesis import HealthCheck, settings

from bot.logging_setup import configure_logging
from bot.settings import LogSettings

# Whether a test passes may not hang on how busy the machine is, nor on luck.
settings.register_profile(
    "parley", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("parley")

PRODUCT = [package for package in ("bot", "core", "sessions", "recipes", "voice") if find_spec(package)]


def pytest_collection_finish() -> None:
    """As the bot at its start: a full collection of what was imported would hold a test for a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def blocking_calls_are_errors() -> Iterator[BlockBuster]:
    """Raises `BlockingError` where a frame of ours calls open, sleep, a lock or a socket on the loop."""
    with blockbuster_ctx(PRODUCT) as detector:
        for function in ("os.stat", "io.BufferedReader.read", "io.TextIOWrapper.read"):
            if function in detector.functions:
                # a traceback in the log looks up its source lines
                detector.functions[function].can_block_in("linecache.py", {"checkcache", "updatecache"})
        for looks_for_keys in ("os.stat", "os.access"):  # asyncpg, once a connection
            detector.functions[looks_for_keys].can_block_in(
                "asyncpg/connect_utils.py", {"_parse_connect_arguments"}
            )
        for function in detector.functions.values():  # on a loop of its own, in a thread
            function.can_block_in("sessions/storage/schema.py", {"upgrade_tables"})
        for asks_only_the_process in ("os.path.abspath", "os.getcwd"):
            detector.functions[asks_only_the_process].deactivate()
        for function in detector.functions.values():
            # in a thread of its own, which shows our loop as its own for the time of the launch
            function.can_block_in("recipes/tasks/durable.py", {"_launch"})
        yield detector


@pytest.fixture(autouse=True)
def logs_are_plain() -> None:
    """Logs as the product writes them, whatever another test left: plain tracebacks, without values."""
    configure_logging(LogSettings(level="DEBUG"))
