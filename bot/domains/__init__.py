"""The domains beside the conversation, put together over one database.

    recipes     always there
    optional    one line each: delete the line and the folder that it names, and the domain is gone (MEM-9)

A domain brings its tables, its part of each run, what it knows of people, and its commands. Nothing else in
the bot names an optional one, so without its line there are no tools, prompts, tables or commands of it.
"""

from importlib import import_module
from typing import Final, cast

from bot.domains.domain import OptionalDomain

_OPTIONAL: Final = (
    "bot.domains.memory",  # recipes/memory/
    "bot.domains.knowledge",  # recipes/knowledge/
)


def optional_domains() -> tuple[OptionalDomain, ...]:
    """The optional domains of this deployment, in the order in which their prompts stand."""
    return tuple(cast("OptionalDomain", import_module(name).DOMAIN) for name in _OPTIONAL)
