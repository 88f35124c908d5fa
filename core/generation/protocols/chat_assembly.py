"""From the chunks of a Chat Completions stream to pieces and an answer, for the many who speak it (CORE-11).

Vendors differ: tool-call deltas without index, ids late or never, several calls under one index, reasoning in
three places, usage in the last chunk, in each, or nowhere. What is tolerated is in tests/data/streams.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from core.context.token_estimates import raw_tokens
from core.conversation.turns import FinishReason, Usage
from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.events import ReasoningDelta, RefusalDelta, TextDelta, ToolCallArguments, ToolCallStarted
from core.generation.model_protocol import ModelAnswer, RoundPiece
from core.generation.protocols.json_access import (
    JsonObject,
    count_in,
    is_object_text,
    number_in,
    object_in,
    objects_in,
    text_in,
    to_json,
)
from core.generation.protocols.provider_errors import reported_failure
from core.generation.protocols.round_content import RoundContentBuilder
from core.generation.protocols.surrogates import SurrogateJoiner
from core.generation.protocols.think_tags import Split, ThinkTagSplitter
from core.tools.execution import ToolCall

_FINISH_REASONS = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
}


@dataclass(slots=True)
class _Call:
    invocation_id: str
    index: int | None
    provider_id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])
    is_started: bool = False


class ChatAssembly:
    """One round. Feed parsed chunks in order, then `answer` once."""

    def __init__(self, *, new_invocation_id: Callable[[], str]) -> None:
        self._new_invocation_id = new_invocation_id
        self._content = RoundContentBuilder()
        self._think = ThinkTagSplitter()
        self._surrogates = SurrogateJoiner()
        self._raw_text: list[str] = []
        self._reasoning_fields: dict[str, list[str]] = {}
        self._refusal: list[str] = []
        self._details: list[JsonObject] = []
        self._calls: list[_Call] = []
        self._finish: str | None = None
        self._usage: Usage | None = None

    @property
    def is_finished(self) -> bool:
        """Whether a finish reason came."""
        return self._finish is not None

    def feed(self, chunk: JsonObject) -> tuple[RoundPiece, ...]:
        """The pieces that `chunk` adds.

        Raises:
            GenerationFailed: the provider reports a failure inside its stream.
        """
        if chunk.get("error"):
            raise reported_failure(chunk["error"])
        self._read_usage(object_in(chunk, "usage"))
        pieces: list[RoundPiece] = []
        for choice in objects_in(chunk, "choices"):
            if (number_in(choice, "index") or 0) == 0:
                self._read_choice(choice, pieces)
        return tuple(pieces)

    def end(self) -> tuple[RoundPiece, ...]:
        """The pieces that were held back until the stream ended."""
        pieces: list[RoundPiece] = []
        self._add_raw_text(self._surrogates.end(), pieces)
        self._add_split(self._think.end(), pieces)
        for call in self._calls:
            self._start(call, pieces)
        return tuple(pieces)

    def answer(self, *, request_text: str) -> ModelAnswer:
        """What the round came to; `request_text` is what the estimate counts where no usage was reported."""
        calls = self._requested()
        reason = _FINISH_REASONS.get(self._finish or "", FinishReason.STOP)
        return ModelAnswer(
            content=self._content.built(),
            calls=calls,
            usage=self._usage or self._estimate(request_text),
            finish_reason=FinishReason.TOOL_CALLS if calls else reason,
            items_json=to_json([self._native_message(calls)]),
        )

    def _requested(self) -> tuple[ToolCall, ...]:
        calls: dict[str, ToolCall] = {}
        for call in self._calls:
            # Within a round the id must tell calls apart, or their results would be mixed up.
            is_taken = not call.provider_id or call.provider_id in calls
            provider_call_id = call.invocation_id if is_taken else call.provider_id
            calls[provider_call_id] = ToolCall(
                invocation_id=call.invocation_id,
                provider_call_id=provider_call_id,
                name=call.name,
                arguments="".join(call.arguments),
            )
        return tuple(calls.values())

    def _read_choice(self, choice: JsonObject, pieces: list[RoundPiece]) -> None:
        # A whole message stands in place of deltas where a server does not stream.
        delta = object_in(choice, "delta") if "delta" in choice else object_in(choice, "message")
        for key in ("reasoning_content", "reasoning"):
            if piece := text_in(delta, key):
                self._reasoning_fields.setdefault(key, []).append(piece)
                if key == "reasoning_content" or "reasoning_content" not in delta:
                    self._add_split(Split(reasoning=piece), pieces)
        self._details += objects_in(delta, "reasoning_details")
        self._read_content(delta, pieces)
        if refusal := text_in(delta, "refusal"):
            self._refusal.append(refusal)
            self._content.add_refusal(refusal)
            pieces.append(RefusalDelta(text=refusal))
        for entry in objects_in(delta, "tool_calls"):
            self._read_call(entry, pieces)
        if reason := text_in(choice, "finish_reason").lower():
            if reason == "error":
                raise reported_failure(choice.get("error"))
            self._finish = reason

    def _read_content(self, delta: JsonObject, pieces: list[RoundPiece]) -> None:
        text = text_in(delta, "content")
        for part in objects_in(delta, "content"):
            text += text_in(part, "text")
            thought = "".join(text_in(inner, "text") for inner in objects_in(part, "thinking"))
            self._add_split(Split(reasoning=thought or text_in(part, "thinking")), pieces)
        self._add_raw_text(self._surrogates.feed(text), pieces)

    def _add_raw_text(self, text: str, pieces: list[RoundPiece]) -> None:
        if text:
            self._raw_text.append(text)
            self._add_split(self._think.feed(text), pieces)

    def _add_split(self, split: Split, pieces: list[RoundPiece]) -> None:
        if split.reasoning:
            self._content.add_reasoning(split.reasoning)
            pieces.append(ReasoningDelta(text=split.reasoning))
        if split.text:
            self._content.add_text(split.text)
            pieces.append(TextDelta(text=split.text))

    def _read_call(self, entry: JsonObject, pieces: list[RoundPiece]) -> None:
        function = object_in(entry, "function")
        name, provider_id = text_in(function, "name"), text_in(entry, "id")
        call = self._call_of(number_in(entry, "index"), provider_id, name)
        call.provider_id = call.provider_id or provider_id
        if name and not call.is_started:
            call.name = name
            self._start(call, pieces)
        whole = object_in(function, "arguments")  # some servers send an object where text belongs
        piece = to_json(whole) if whole else text_in(function, "arguments")
        if piece:
            call.arguments.append(piece)
            if call.is_started:
                pieces.append(ToolCallArguments(invocation_id=call.invocation_id, delta=piece))

    def _call_of(self, index: int | None, provider_id: str, name: str) -> _Call:
        """The call that a delta belongs to; a new one where it says so."""
        beside = [call for call in self._calls if call.index == index]
        known = next((call for call in beside if provider_id and call.provider_id == provider_id), None)
        if known is not None:
            return known
        if beside and not self._begins_another(beside[-1], provider_id, name):
            return beside[-1]
        call = _Call(invocation_id=self._new_invocation_id(), index=index)
        self._calls.append(call)
        return call

    @staticmethod
    def _begins_another(last: _Call, provider_id: str, name: str) -> bool:
        """Whether a delta begins a call beside `last`, which has the same index or has none either."""
        if provider_id and last.provider_id:
            return bool(name) or last.index is None
        if last.index is not None or not name or not last.name:
            return False
        return name != last.name or is_object_text("".join(last.arguments))

    def _start(self, call: _Call, pieces: list[RoundPiece]) -> None:
        if call.is_started:
            return
        call.is_started = True
        self._content.add_call(call.invocation_id)
        pieces.append(ToolCallStarted(invocation_id=call.invocation_id, name=call.name))
        if call.arguments:
            held = "".join(call.arguments)
            pieces.append(ToolCallArguments(invocation_id=call.invocation_id, delta=held))

    def _read_usage(self, usage: JsonObject) -> None:
        sent, written = count_in(usage, "prompt_tokens"), count_in(usage, "completion_tokens")
        if sent is None or written is None:
            return
        details = object_in(usage, "prompt_tokens_details")
        cached = count_in(details, "cached_tokens") or count_in(usage, "prompt_cache_hit_tokens") or 0
        self._usage = Usage(input_tokens=sent, output_tokens=written, cached_tokens=cached)

    def _estimate(self, request_text: str) -> Usage:
        written = [*self._raw_text, *self._refusal]
        written += [piece for pieces in self._reasoning_fields.values() for piece in pieces]
        written += [piece for call in self._calls for piece in (call.name, *call.arguments)]
        return Usage(
            input_tokens=raw_tokens(request_text),
            output_tokens=raw_tokens("".join(written)),
            estimated=True,
        )

    def _native_message(self, calls: tuple[ToolCall, ...]) -> JsonObject:
        message: JsonObject = {"role": "assistant", "content": "".join(self._raw_text) or None}
        message |= {key: "".join(pieces) for key, pieces in self._reasoning_fields.items()}
        if self._details:
            message["reasoning_details"] = self._details
        if self._refusal:
            message["refusal"] = "".join(self._refusal)
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.provider_call_id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in calls
            ]
        return message


def broken_off(*, reason: str) -> GenerationFailed:
    """The stream ended before it was finished."""
    return GenerationFailed(failure_advice.BROKE_OFF, reason=reason)
