"""From the events of a Responses stream to pieces and an answer (CORE-10).

Events are told apart by their `type` alone; unknown ones are skipped, unknown items stay in the continuation.
Servers beside OpenAI leave out deltas: what only the finished item holds is told when it comes.
"""

from collections.abc import Callable
from dataclasses import dataclass

from core.context.token_estimates import raw_tokens
from core.conversation.turns import Citation, FinishReason, ToolReference, Usage
from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.events import (
    CitationFound,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolCallArguments,
    ToolCallStarted,
)
from core.generation.model_protocol import ModelAnswer, RoundPiece
from core.generation.protocols.json_access import (
    JsonObject,
    count_in,
    number_in,
    object_in,
    objects_in,
    text_in,
    to_json,
)
from core.generation.protocols.provider_errors import reported_failure
from core.generation.protocols.round_content import RoundContentBuilder
from core.generation.protocols.surrogates import SurrogateJoiner
from core.tools.execution import ToolCall

_Pieces = list[RoundPiece]
_Part = tuple[int, int]  # output index, content index


@dataclass(slots=True)
class _Call:
    invocation_id: str
    provider_id: str
    name: str
    arguments: str = ""


class ResponsesAssembly:
    """One round. Feed parsed events in order, then `answer` once, after `is_finished`."""

    def __init__(self, *, new_invocation_id: Callable[[], str]) -> None:
        self._new_invocation_id = new_invocation_id
        self._content = RoundContentBuilder()
        self._calls: dict[int, _Call] = {}
        self._items: dict[int, JsonObject] = {}
        self._text_starts: dict[_Part, int] = {}
        self._told: dict[_Part, int] = {}
        self._surrogates: dict[_Part, SurrogateJoiner] = {}
        self._reasoned: set[int] = set()
        self._citations: set[Citation] = set()
        self._finished: JsonObject | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the terminal event came."""
        return self._finished is not None

    def feed(self, event: JsonObject) -> tuple[RoundPiece, ...]:
        """The pieces that `event` adds.

        Raises:
            GenerationFailed: the response failed or is incomplete.
        """
        pieces: _Pieces = []
        index = number_in(event, "output_index") or 0
        part = (index, number_in(event, "content_index") or 0)
        match text_in(event, "type"):
            case "response.output_text.delta":
                self._add_text(part, text_in(event, "delta"), pieces)
            case "response.refusal.delta":
                self._add_refusal(part, text_in(event, "delta"), pieces)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                self._add_reasoning(index, text_in(event, "delta"), pieces)
            case "response.reasoning_summary_part.added" if index in self._reasoned:
                self._add_reasoning(index, "\n\n", pieces)
            case "response.output_text.annotation.added":
                self._add_citation(part, object_in(event, "annotation"), pieces)
            case "response.output_item.added":
                self._begin_call(index, object_in(event, "item"), pieces)
            case "response.function_call_arguments.delta":
                self._add_arguments(index, text_in(event, "delta"), pieces)
            case "response.output_item.done":
                self._finish_item(index, object_in(event, "item"), pieces)
            case kind:
                self._end(kind, event, pieces)
        return tuple(pieces)

    def feed_document(self, response: JsonObject) -> tuple[RoundPiece, ...]:
        """The pieces of a whole response, from a server that did not stream."""
        if text_in(response, "status") in {"incomplete", "failed"}:
            raise _failure({"response": response})
        pieces: _Pieces = []
        self._finish(response, pieces)
        return tuple(pieces)

    def answer(self, *, request_text: str) -> ModelAnswer:
        """What the round came to; `request_text` is what the estimate counts where no usage was reported."""
        finished = self._finished or {}
        items = [self._items[index] for index in sorted(self._items)]
        calls = tuple(
            ToolCall(
                invocation_id=call.invocation_id,
                provider_call_id=call.provider_id,
                name=call.name,
                arguments=call.arguments,
            )
            for _, call in sorted(self._calls.items())
        )
        items_json = to_json(items)
        return ModelAnswer(
            content=self._content.built(),
            calls=calls,
            usage=_usage(object_in(finished, "usage"))
            or Usage(
                input_tokens=raw_tokens(request_text),
                output_tokens=raw_tokens(self._written()),
                estimated=True,
            ),
            finish_reason=FinishReason.TOOL_CALLS if calls else FinishReason.STOP,
            items_json=items_json,
        )

    def _written(self) -> str:
        told = [part.text for part in self._content.built() if not isinstance(part, Citation | ToolReference)]
        return "".join(told + [f"{call.name}{call.arguments}" for call in self._calls.values()])

    def _add_text(self, part: _Part, piece: str, pieces: _Pieces) -> None:
        text = self._surrogates.setdefault(part, SurrogateJoiner()).feed(piece)
        self._text_starts.setdefault(part, self._content.text_length)
        self._told[part] = self._told.get(part, 0) + len(text)
        if text:
            self._content.add_text(text)
            pieces.append(TextDelta(text=text))

    def _add_refusal(self, part: _Part, piece: str, pieces: _Pieces) -> None:
        self._told[part] = self._told.get(part, 0) + len(piece)
        if piece:
            self._content.add_refusal(piece)
            pieces.append(RefusalDelta(text=piece))

    def _add_reasoning(self, index: int, piece: str, pieces: _Pieces) -> None:
        if piece:
            self._reasoned.add(index)
            self._content.add_reasoning(piece)
            pieces.append(ReasoningDelta(text=piece))

    def _add_citation(self, part: _Part, annotation: JsonObject, pieces: _Pieces) -> None:
        url = text_in(annotation, "url")
        if text_in(annotation, "type") != "url_citation" or not url:
            return
        begin = self._text_starts.get(part, self._content.text_length)
        citation = Citation(
            url=url,
            title=text_in(annotation, "title"),
            start=begin + (number_in(annotation, "start_index") or 0),
            end=begin + (number_in(annotation, "end_index") or 0),
        )
        if citation not in self._citations:
            self._citations.add(citation)
            self._content.add_citation(citation)
            pieces.append(CitationFound(citation=citation))

    def _begin_call(self, index: int, item: JsonObject, pieces: _Pieces) -> None:
        if text_in(item, "type") != "function_call" or index in self._calls:
            return
        invocation_id = self._new_invocation_id()
        call = _Call(
            invocation_id=invocation_id,
            provider_id=text_in(item, "call_id") or text_in(item, "id") or invocation_id,
            name=text_in(item, "name"),
        )
        self._calls[index] = call
        self._content.add_call(invocation_id)
        pieces.append(ToolCallStarted(invocation_id=invocation_id, name=call.name))

    def _add_arguments(self, index: int, piece: str, pieces: _Pieces) -> None:
        call = self._calls.get(index)
        if call is not None and piece:
            call.arguments += piece
            pieces.append(ToolCallArguments(invocation_id=call.invocation_id, delta=piece))

    def _finish_item(self, index: int, item: JsonObject, pieces: _Pieces) -> None:
        """Keep the item whole, and tell what of it no delta told."""
        self._items[index] = item
        match text_in(item, "type"):
            case "message":
                for number, content in enumerate(objects_in(item, "content")):
                    self._finish_part((index, number), content, pieces)
            case "reasoning" if index not in self._reasoned:
                told = objects_in(item, "summary") or objects_in(item, "content")
                self._add_reasoning(index, "\n\n".join(text_in(part, "text") for part in told), pieces)
            case "function_call":
                self._begin_call(index, item, pieces)
                told = self._calls[index].arguments
                whole = text_in(item, "arguments")
                if whole.startswith(told):
                    self._add_arguments(index, whole[len(told) :], pieces)
            case _:
                pass

    def _finish_part(self, part: _Part, content: JsonObject, pieces: _Pieces) -> None:
        if part not in self._told:
            self._add_text(part, text_in(content, "text"), pieces)
            self._add_refusal(part, text_in(content, "refusal"), pieces)
        for annotation in objects_in(content, "annotations"):
            self._add_citation(part, annotation, pieces)

    def _end(self, kind: str, event: JsonObject, pieces: _Pieces) -> None:
        if kind == "response.completed":
            self._finish(object_in(event, "response"), pieces)
        elif kind in {"response.incomplete", "response.failed", "error"}:
            raise _failure(event)

    def _finish(self, response: JsonObject, pieces: _Pieces) -> None:
        self._finished = response
        for index, item in enumerate(objects_in(response, "output")):
            if index not in self._items:
                self._finish_item(index, item, pieces)


def _usage(usage: JsonObject) -> Usage | None:
    sent, written = count_in(usage, "input_tokens"), count_in(usage, "output_tokens")
    if sent is None or written is None:
        return None
    cached = count_in(object_in(usage, "input_tokens_details"), "cached_tokens") or 0
    return Usage(input_tokens=sent, output_tokens=written, cached_tokens=cached)


def _failure(event: JsonObject) -> GenerationFailed:
    response = object_in(event, "response")
    reason = text_in(object_in(response, "incomplete_details"), "reason")
    if reason == "max_output_tokens":
        return GenerationFailed(failure_advice.CUT_SHORT, reason="incomplete: max_output_tokens")
    if reason == "content_filter":
        return GenerationFailed(failure_advice.FILTERED, reason="incomplete: content_filter")
    return reported_failure(response.get("error") or event.get("error") or event)
