"""The native stream of a turn: model requests of one scope, in one prepared view (CORE-15, CORE-16).

A step that resolves to another scope begins a new one; the conversation is then prepared anew for its model.
"""

from collections.abc import Sequence
from typing import assert_never

from core.conversation.continuation import ContinuationScope, ProtocolName
from core.conversation.turns import Conversation, Round
from core.generation.requests import (
    ChatRequest,
    GenerationInput,
    GenerationRequest,
    Prompt,
    ResponsesRequest,
    Step,
)
from core.tools.tool import AnyTool


class NativeStream:
    """Makes the model requests of one turn."""

    def __init__(self, request: GenerationInput) -> None:
        self._request = request
        self._current: tuple[ContinuationScope, Conversation] | None = None

    @property
    def scope(self) -> ContinuationScope:
        """Of the latest request."""
        if self._current is None:
            raise RuntimeError("a scope is there once a request was made")
        return self._current[0]

    def request_for(
        self, step: Step, tools: tuple[AnyTool, ...], rounds: Sequence[Round]
    ) -> GenerationRequest:
        """The request of `step`; its class chooses the protocol before anything is projected (CORE-31)."""
        endpoint = step.endpoint
        scope = endpoint.scope(self._request.conversation.id)
        if self._current is None or self._current[0] != scope:
            prepared = self._request.prepare_conversation(self._request.conversation, endpoint.able_to)
            self._current = (scope, prepared)
        prompt = Prompt(
            endpoint=endpoint,
            scope=scope,
            conversation=self._current[1],
            rounds=tuple(rounds),
            system_prompt=step.system_prompt,
            tools=tools,
            headers=step.headers,
            max_tokens=step.max_tokens if step.max_tokens is not None else self._request.max_tokens,
            sampling=step.sampling,
            time_prefix=step.time_prefix,
            must_call=step.forced_call is not None,
        )
        match endpoint.protocol:
            case ProtocolName.CHAT:
                return ChatRequest(prompt=prompt)
            case ProtocolName.RESPONSES:
                return ResponsesRequest(
                    prompt=prompt, web_search=step.web_search and step.forced_call is None
                )
            case _:
                assert_never(endpoint.protocol)
