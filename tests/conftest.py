"""What holds for every test: a blocking call of ours on a running event loop is an error."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from blockbuster import BlockBuster, blockbuster_ctx

PRODUCT = [package for package in ("bot", "core", "sessions", "recipes", "voice") if find_spec(package)]


@pytest.fixture(autouse=True)
def blocking_calls_are_errors() -> Iterator[BlockBuster]:
    """Raises `BlockingError` where a frame of ours calls open, sleep, a lock or a socket on the loop."""
    with blockbuster_ctx(PRODUCT) as detector:
        for asks_only_the_process in ("os.path.abspath", "os.getcwd"):
            detector.functions[asks_only_the_process].deactivate()
        yield detector
