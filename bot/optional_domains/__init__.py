"""Domains that can be taken out: delete the domain's folder and its line here (MEM-9).

A domain brings its tables, its part of each run, what it knows of people, and its commands. Nothing else in
the bot names one, so without its line there are no tools, prompts, tables or commands of it.
"""

from importlib import import_module
from typing import Final, cast

from bot.optional_domains.domain import OptionalDomain

_DOMAINS: Final = (
    "bot.optional_domains.memory",  # recipes/memory/
)


def optional_domains() -> tuple[OptionalDomain, ...]:
    """The domains of this deployment, in the order in which their prompts stand."""
    return tuple(cast("OptionalDomain", import_module(name).DOMAIN) for name in _DOMAINS)
