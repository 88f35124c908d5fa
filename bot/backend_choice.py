"""The backend agent of the deployment: an adapter that a package offers under a name (TASK-6).

A package declares it as an entry point of the group `parley.backends`: a callable without arguments that
gives an async context manager, and that a `BackendPort`.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib.metadata import entry_points
from typing import Final, cast

from core.failures import Failure
from recipes.backends.port import BackendPort

GROUP: Final = "parley.backends"

OpensBackend = Callable[[], AbstractAsyncContextManager[BackendPort]]


def chosen_backend(name: str) -> OpensBackend | None:
    """What opens the backend of that name; None where none is chosen.

    Raises:
        Failure: no installed package offers it.
    """
    if not name.strip():
        return None
    found = [point for point in entry_points(group=GROUP) if point.name == name.strip()]
    if not found:
        raise Failure(
            f"No installed package offers the backend {name.strip()!r}: install one, or leave BACKEND empty.",
            reason="unknown backend",
        )
    return cast("OpensBackend", found[0].load())
