"""What a generation is asked for, and what a protocol is handed.

GenerationInput  what the orchestrator wants: a conversation, and where to ask, step by step
GenerationRequest = ChatRequest | ResponsesRequest   one model request; its class chooses the protocol
before anything is projected (CORE-31)
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from core.conversation.continuation import ContinuationScope, ProtocolName
from core.conversation.turns import Conversation, Round
from core.generation.capabilities import Capabilities, capabilities_of
from core.generation.capability_changes import NO_CHANGES, CapabilityChanges
from core.generation.preparation import prepare_for_model
from core.tools.tool import AnyTool

_USER = re.compile(r"(?<=://)[^/?#]*@")
_QUERY = re.compile(r"[?#].*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEndpoint:
    """A model at a place.

    What it takes is known by its name, as the deployment's `changes` have it; `capabilities` overrides that
    (CORE-16).
    """

    protocol: ProtocolName
    provider: str
    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    capabilities: Capabilities | None = None
    changes: CapabilityChanges = NO_CHANGES

    @property
    def able_to(self) -> Capabilities:
        """What the model takes."""
        return self.capabilities or self.changes.applied(capabilities_of(self.model), self.model)

    def scope(self, conversation_id: str) -> ContinuationScope:
        """Where native items of this endpoint may be replayed; credentials are no part of it (CORE-8)."""
        address = _QUERY.sub("", _USER.sub("", self.base_url))
        return ContinuationScope(
            protocol=self.protocol,
            provider=self.provider,
            endpoint=address.rstrip("/"),
            model=self.model,
            conversation=conversation_id,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the next token is chosen; None leaves it to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    frequency_penalty: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForcedCall:
    """A tool that this step's round must call, and `arguments` (JSON) with which code does when it does not.

    What the model says beside the call is not for the room. A model that takes no tools is not asked at all.
    """

    tool: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What `resolve_step` answers before each model request (CORE-15).

    `max_tokens` overrides the caller's cap (CORE-12). `time_prefix` off leaves the time out of user messages,
    for small models (CORE-46). `web_search` asks for the provider's own search where the protocol has one.
    With a `forced_call` that one of the `tools` alone is offered.
    """

    endpoint: ModelEndpoint
    system_prompt: str = ""
    tools: tuple[AnyTool, ...] = ()
    forced_call: ForcedCall | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    max_tokens: int | None = None
    sampling: Sampling = Sampling()
    time_prefix: bool = True
    web_search: bool = False


ResolveStep = Callable[[int], Awaitable[Step]]
PrepareConversation = Callable[[Conversation, Capabilities], Conversation]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationInput:
    """One assistant turn to generate.

    `conversation` holds history and context, without the system prompt, which comes with each step.
    `resolve_step` gets the number of the model request, from 0.
    """

    conversation: Conversation
    run_id: str
    resolve_step: ResolveStep
    prepare_conversation: PrepareConversation = prepare_for_model
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What both protocols render. `rounds` are those of the turn that is being generated, oldest first.

    `must_call`: the answer has to be a call of one of the `tools`.
    """

    endpoint: ModelEndpoint
    scope: ContinuationScope
    conversation: Conversation
    rounds: tuple[Round, ...]
    system_prompt: str
    tools: tuple[AnyTool, ...]
    headers: Mapping[str, str] = field(repr=False)
    max_tokens: int | None
    sampling: Sampling
    time_prefix: bool
    must_call: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request by Chat Completions."""

    prompt: Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesRequest:
    """One request by Responses."""

    prompt: Prompt
    web_search: bool = False


GenerationRequest = ChatRequest | ResponsesRequest


def one_endpoint(step: Step) -> ResolveStep:
    """A `resolve_step` that always answers `step`."""

    async def resolve(_number: int) -> Step:
        return step

    return resolve
