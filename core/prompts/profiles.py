"""How much a model can take: prompts and replies for large models and for small ones (CORE-46)."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptProfile:
    """What a request to a model of this size holds.

    Attributes:
        full_identity: format rules, the persona's own text and the scene's facts, or one short identity.
        time_prefix: user messages begin with the time at which they were written.
        memory_index: the memory rules and index stand in the prompt.
        tools: tools are offered.
        stickers: the sticker instructions stand in the prompt.
        max_reply_tokens: cap of a reply, or None for the provider's own.
        cut_repeats: a reply that goes round in circles is ended.
    """

    name: str
    full_identity: bool
    time_prefix: bool
    memory_index: bool
    tools: bool
    stickers: bool
    max_reply_tokens: int | None
    cut_repeats: bool


FULL_PROFILE: Final = PromptProfile(
    name="full",
    full_identity=True,
    time_prefix=True,
    memory_index=True,
    tools=True,
    stickers=True,
    max_reply_tokens=None,
    cut_repeats=False,
)

SMALL_PROFILE: Final = PromptProfile(
    name="small",
    full_identity=False,
    time_prefix=False,
    memory_index=False,
    tools=False,
    stickers=False,
    max_reply_tokens=160,
    cut_repeats=True,
)
