"""What known models take, by their names (CORE-16, CORE-12).

A table, because providers do not tell. An unknown model gets text and tools only, which every endpoint takes;
a setting changes the table (`capability_changes.py`).
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class TokenCap(StrEnum):
    """The name under which a Chat endpoint takes the cap of output tokens."""

    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What may be sent to a model.

    `alternating_roles`: its chat template wants one system message in front and user and assistant in turn.
    `developer_role`: it knows the role `developer`. `reasoning_items`: Responses can return its encrypted
    reasoning. `sampling`: it takes temperature and penalties. `stream_usage`: it takes `stream_options`.
    """

    images: bool = False
    audio: bool = False
    files: bool = False
    tools: bool = True
    developer_role: bool = False
    alternating_roles: bool = False
    reasoning_items: bool = False
    sampling: bool = True
    stream_usage: bool = True
    token_cap: TokenCap = TokenCap.MAX_TOKENS


TEXT_ONLY = Capabilities()
_OPENAI = Capabilities(images=True, files=True, developer_role=True, token_cap=TokenCap.MAX_COMPLETION_TOKENS)
_OPENAI_REASONING = Capabilities(
    images=True,
    files=True,
    developer_role=True,
    reasoning_items=True,
    sampling=False,
    token_cap=TokenCap.MAX_COMPLETION_TOKENS,
)
_SEES = Capabilities(images=True)

_KNOWN: tuple[tuple[str, Capabilities], ...] = (
    (r"gpt-(4o|realtime|audio).*audio|gpt-audio", Capabilities(audio=True)),
    (r"o1-mini|o1-preview", Capabilities(tools=False, token_cap=TokenCap.MAX_COMPLETION_TOKENS)),
    (r"gpt-5.*chat|chatgpt", _OPENAI),
    (r"\bo[134](-|$)|gpt-[5-9]", _OPENAI_REASONING),
    (r"gpt-(4o|4\.1|4\.5|4-turbo)", _OPENAI),
    (r"gpt-oss", Capabilities(reasoning_items=True)),
    (r"gemini", Capabilities(images=True, audio=True)),
    (r"claude-([3-9]|opus|sonnet|haiku)", _SEES),
    (r"gemma-?3(?!.*(270m|:1b|-1b))|gemma-?[4-9]", Capabilities(images=True, alternating_roles=True)),
    (r"gemma", Capabilities(tools=False, alternating_roles=True)),
    (r"smollm2?", Capabilities(tools=False, alternating_roles=True)),
    (r"voxtral", Capabilities(audio=True)),
    (r"omni", Capabilities(images=True, audio=True)),
    (r"pixtral|mistral-(small|medium)|llava|bakllava|moondream|minicpm-v|internvl|smolvlm", _SEES),
    (r"llama-?4|llama-?3\.2.*vision|-vl\b|\bvl-|vision|grok-[4-9]|qwen[23.]*-?vl", _SEES),
)
_PATTERNS = tuple((re.compile(pattern), capabilities) for pattern, capabilities in _KNOWN)


@lru_cache(maxsize=256)
def capabilities_of(model: str) -> Capabilities:
    """What the table says of `model`, whatever path or vendor stands in front of its name."""
    name = model.lower()
    for pattern, capabilities in _PATTERNS:
        if pattern.search(name):
            return capabilities
    return TEXT_ONLY
