"""From a conversation to the items of Responses, directly and never through Chat messages (CORE-31).

Nothing is stored at the provider (`store` is false), so every item goes along each time (CORE-10).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import assert_never

from core.conversation.content import Audio, File, Image, Text
from core.conversation.continuation import ProjectionIssue
from core.conversation.turns import AssistantTurn, Authority, SystemTurn, UserTurn
from core.failures import RequestRefused
from core.generation import failure_advice
from core.generation.preparation import file_label, image_label
from core.generation.protocols.json_access import JsonObject
from core.generation.protocols.media_urls import data_url
from core.generation.protocols.portable_rounds import (
    callable_name,
    object_text,
    portable_text,
    result_as_context,
)
from core.generation.protocols.replay_rules import Interruption, Part, ReplayedRound, replay
from core.generation.requests import Prompt, ResponsesRequest
from core.prompts.user_messages import (
    INTERRUPTION,
    context_message,
    user_message_prefix,
    user_message_suffix,
    user_text,
)
from core.tools.tool import AnyTool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsesProjection:
    """The body of the request, and what could not be told in it."""

    body: JsonObject
    issues: tuple[ProjectionIssue, ...]


def project_responses(request: ResponsesRequest, media: Mapping[PurePath, bytes]) -> ResponsesProjection:
    """Render `request`; `media` holds the bytes of parts that are held by path.

    Raises:
        RequestRefused: audio, or a file that lives at a provider.
    """
    prompt = request.prompt
    able_to = prompt.endpoint.able_to
    replayed = replay(prompt.conversation, prompt.rounds, prompt.scope)
    items = [item for part in replayed.parts for item in _items(part, prompt, media)]
    body: JsonObject = {"model": prompt.endpoint.model, "input": items, "stream": True, "store": False}
    if prompt.system_prompt:
        body["instructions"] = prompt.system_prompt
    if tools := _tools(request):
        body["tools"] = tools
        if prompt.must_call:
            body["tool_choice"] = "required"
    if able_to.reasoning_items:
        body["include"] = ["reasoning.encrypted_content"]
    if prompt.max_tokens is not None:
        body["max_output_tokens"] = prompt.max_tokens
    if able_to.sampling:
        sampling = {"temperature": prompt.sampling.temperature, "top_p": prompt.sampling.top_p}
        body |= {key: value for key, value in sampling.items() if value is not None}
    return ResponsesProjection(body=body, issues=replayed.issues)


def _tools(request: ResponsesRequest) -> list[JsonObject]:
    tools: list[JsonObject] = []
    if request.prompt.endpoint.able_to.tools:
        tools += [_function(tool) for tool in request.prompt.tools]
    if request.web_search:
        tools.append({"type": "web_search"})
    return tools


def _function(tool: AnyTool) -> JsonObject:
    # Not strict: that would want every argument required and nothing else allowed.
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": False,
    }


def _items(part: Part, prompt: Prompt, media: Mapping[PurePath, bytes]) -> Iterable[JsonObject]:
    match part:
        case UserTurn():
            yield _message("user", _user_content(part, media, time_prefix=prompt.time_prefix))
        case SystemTurn():
            yield _system_message(part)
        case ReplayedRound():
            yield from _round_items(part, tells_tools=prompt.endpoint.able_to.tools)
        case Interruption():
            yield _message("user", INTERRUPTION)
        case AssistantTurn():
            raise RuntimeError("assistant turns are replayed as rounds")
        case _:
            assert_never(part)


def _message(role: str, content: str | list[JsonObject]) -> JsonObject:
    return {"type": "message", "role": role, "content": content}


def _system_message(turn: SystemTurn) -> JsonObject:
    match turn.authority:
        case Authority.SYSTEM | Authority.DEVELOPER:
            return _message(turn.authority.value, turn.text)
        case Authority.CONTEXT:
            return _message("user", context_message(turn))
        case _:
            assert_never(turn.authority)


def _user_content(turn: UserTurn, media: Mapping[PurePath, bytes], *, time_prefix: bool) -> list[JsonObject]:
    parts: list[JsonObject] = []
    words: list[str] = []
    for part in turn.content:
        rendered = part.text if isinstance(part, Text) else _media_part(part, media)
        if isinstance(rendered, str):
            words.append(rendered)
        else:
            parts.append(rendered)
    prefix = user_message_prefix(turn, time_prefix=time_prefix)
    text = prefix + user_text(*words, time_prefix=time_prefix) + user_message_suffix(turn)
    return [{"type": "input_text", "text": text}, *parts]


def _media_part(part: Image | Audio | File, media: Mapping[PurePath, bytes]) -> JsonObject | str:
    """The part in the protocol's form, or its label when its bytes are gone."""
    if isinstance(part, Audio):
        raise RequestRefused(failure_advice.AUDIO_REFUSED, reason="Responses takes no audio")
    if part.source.provider_file_id is not None:
        raise RequestRefused(failure_advice.FILE_ID_REFUSED, reason="a part by provider file id")
    data = data_url(part.source.path, part.media_type, media)
    match part:
        case Image():
            address = part.source.url or data
            if address is None:
                return image_label(part)
            return {"type": "input_image", "detail": "auto", "image_url": address}
        case File():
            if part.source.url is not None:
                return {"type": "input_file", "file_url": part.source.url}
            if data is None:
                return file_label(part)
            return {"type": "input_file", "filename": part.name, "file_data": data}
        case _:
            assert_never(part)


def _round_items(part: ReplayedRound, *, tells_tools: bool) -> Iterable[JsonObject]:
    invocations = part.round.invocations
    if part.native is not None:
        yield from part.native
    else:
        if text := portable_text(part.round):
            yield _message("assistant", text)
        if not tells_tools:
            yield from (_system_message(result_as_context(one)) for one in invocations)
            return
        for invocation in invocations:
            yield {
                "type": "function_call",
                "call_id": invocation.id,
                "name": callable_name(invocation.name),
                "arguments": object_text(invocation.arguments),
            }
    for invocation in invocations:
        call_id = invocation.provider_call_id if part.native is not None else invocation.id
        yield {"type": "function_call_output", "call_id": call_id, "output": invocation.result}
