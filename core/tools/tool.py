"""A tool as a value: a name, a schema, a handler and a policy.

A description speaks of its own tool only and never of another, which may not be there (CORE-17, CORE-42).
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from core.tools.context import ToolContext
from core.tools.policies import ToolPolicy

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # what both OpenAI protocols take


class ToolFailed(Exception):
    """Raised by a handler; its words are the result that the model reads."""


class TurnOver(Exception):
    """Raised by a handler; its words are the result, and the last: nothing more is asked, nothing is said."""


Arguments = TypeVar("Arguments", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[Arguments]):
    """What the model may call.

    `handler` gets validated arguments and returns the result's text; it may raise `ToolFailed`. Any other
    exception is logged and told to the model without its words.

    Raises:
        ValueError: the name would be refused by a provider.
    """

    name: str
    description: str
    arguments: type[Arguments]
    handler: Callable[[Arguments, ToolContext], Awaitable[str]]
    policy: ToolPolicy = field(default_factory=ToolPolicy)

    def __post_init__(self) -> None:
        _require_name(self.name)

    @property
    def schema(self) -> Mapping[str, object]:
        """See `schema_of`."""
        return schema_of(self.arguments)

    def is_available(self, context: ToolContext) -> bool:
        """Whether the tool may be offered and called now (CORE-41)."""
        return self.policy.available is None or self.policy.available(context)


# Tools are made anew for each run; their names and arguments are the same each time.
@lru_cache(maxsize=256)
def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"a tool's name has 1 to 64 letters, digits, _ or -, not {name!r}")


@lru_cache(maxsize=256)
def schema_of(arguments: type[BaseModel]) -> Mapping[str, object]:
    """The JSON schema of arguments, as a provider gets it."""
    schema: dict[str, object] = arguments.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


AnyTool = Tool[Any]
