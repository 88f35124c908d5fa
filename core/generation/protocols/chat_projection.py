"""From a conversation to the messages of Chat Completions; nothing that goes in is changed (CORE-6).

Instructions keep their roles, context comes as labelled user data (CORE-2), rounds go back as the provider
sent them or as their portable content (CORE-8), each followed by its tool results.
"""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import assert_never, cast

from core.conversation.content import Audio, File, Image, Text
from core.conversation.continuation import ProjectionIssue
from core.conversation.turns import (
    AssistantTurn,
    Authority,
    Round,
    SystemTurn,
    UserTurn,
)
from core.failures import RequestRefused
from core.generation import failure_advice
from core.generation.capabilities import Capabilities
from core.generation.preparation import audio_label, file_label, image_label
from core.generation.protocols.json_access import JsonObject, is_object_text, object_in, objects_in, text_in
from core.generation.protocols.media_urls import data_url
from core.generation.protocols.portable_rounds import (
    callable_name,
    object_text,
    portable_text,
    result_as_context,
)
from core.generation.protocols.replay_rules import Interruption, Part, ReplayedRound, replay
from core.generation.requests import ChatRequest, Prompt
from core.prompts.user_messages import (
    INTERRUPTION,
    context_message,
    user_message_prefix,
    user_message_suffix,
    user_text,
)

_AUDIO_FORMATS = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatProjection:
    """The body of the request, and what could not be told in it."""

    body: JsonObject
    issues: tuple[ProjectionIssue, ...]


def project_chat(request: ChatRequest, media: Mapping[PurePath, bytes]) -> ChatProjection:
    """Render `request`; `media` holds the bytes of parts that are held by path.

    Raises:
        RequestRefused: a part has a form that Chat cannot carry.
    """
    prompt = request.prompt
    able_to = prompt.endpoint.able_to
    replayed = replay(prompt.conversation, prompt.rounds, prompt.scope)
    messages: list[JsonObject] = []
    if prompt.system_prompt:
        messages.append({"role": "system", "content": prompt.system_prompt})
    for part in replayed.parts:
        messages += _messages(part, prompt, media)
    if able_to.alternating_roles:
        messages = _alternating(messages)
    body: JsonObject = {"model": prompt.endpoint.model, "messages": messages, "stream": True}
    if able_to.stream_usage:
        body["stream_options"] = {"include_usage": True}
    if prompt.tools and able_to.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
            }
            for tool in prompt.tools
        ]
        if prompt.must_call:
            # With the one tool that is offered this names it, and more servers take the word than a name.
            body["tool_choice"] = "required"
    if prompt.max_tokens is not None:
        body[able_to.token_cap.value] = prompt.max_tokens
    if able_to.sampling:
        body |= _sampling(prompt)
    return ChatProjection(body=body, issues=replayed.issues)


def _sampling(prompt: Prompt) -> JsonObject:
    sampling = prompt.sampling
    chosen = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "frequency_penalty": sampling.frequency_penalty,
    }
    return {key: value for key, value in chosen.items() if value is not None}


def _messages(part: Part, prompt: Prompt, media: Mapping[PurePath, bytes]) -> Iterable[JsonObject]:
    match part:
        case UserTurn():
            yield {"role": "user", "content": _user_content(part, media, time_prefix=prompt.time_prefix)}
        case SystemTurn():
            yield _system_message(part, prompt.endpoint.able_to)
        case ReplayedRound(round=round_, native=native):
            if native:
                yield from _native_round(round_, native)
            elif round_.invocations and not prompt.endpoint.able_to.tools:
                yield from _told_round(round_)
            else:
                yield from _portable_round(round_)
        case Interruption():
            yield {"role": "user", "content": INTERRUPTION}
        case AssistantTurn():
            raise RuntimeError("assistant turns are replayed as rounds")
        case _:
            assert_never(part)


def _system_message(turn: SystemTurn, able_to: Capabilities) -> JsonObject:
    match turn.authority:
        case Authority.SYSTEM:
            return {"role": "system", "content": turn.text}
        case Authority.DEVELOPER:
            return {"role": "developer" if able_to.developer_role else "system", "content": turn.text}
        case Authority.CONTEXT:
            return {"role": "user", "content": context_message(turn)}
        case _:
            assert_never(turn.authority)


def _user_content(
    turn: UserTurn, media: Mapping[PurePath, bytes], *, time_prefix: bool
) -> str | list[JsonObject]:
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
    return [{"type": "text", "text": text}, *parts] if parts else text


def _media_part(part: Image | Audio | File, media: Mapping[PurePath, bytes]) -> JsonObject | str:
    """The part in the protocol's form, or its label when its bytes are gone."""
    match part:
        case Image():
            address = _image_address(part, media)
            return (
                image_label(part) if address is None else {"type": "image_url", "image_url": {"url": address}}
            )
        case Audio():
            return _audio_part(part, media)
        case File():
            return _file_part(part, media)
        case _:
            assert_never(part)


def _image_address(image: Image, media: Mapping[PurePath, bytes]) -> str | None:
    source = image.source
    if source.provider_file_id is not None:
        raise RequestRefused(failure_advice.FILE_ID_REFUSED, reason="an image by provider file id")
    return source.url or data_url(source.path, image.media_type, media)


def _audio_part(audio: Audio, media: Mapping[PurePath, bytes]) -> JsonObject | str:
    form = _AUDIO_FORMATS.get(audio.media_type.partition(";")[0].strip().lower())
    if form is None or audio.source.path is None:
        raise RequestRefused(failure_advice.MEDIA_FORM_REFUSED, reason=f"audio as {audio.media_type}")
    content = media.get(audio.source.path)
    if content is None:
        return audio_label(audio)
    data = base64.b64encode(content).decode("ascii")
    return {"type": "input_audio", "input_audio": {"data": data, "format": form}}


def _file_part(file: File, media: Mapping[PurePath, bytes]) -> JsonObject | str:
    source = file.source
    if source.provider_file_id is not None:
        return {"type": "file", "file": {"file_id": source.provider_file_id}}
    if source.path is None:
        raise RequestRefused(failure_advice.MEDIA_FORM_REFUSED, reason="a file by URL")
    address = data_url(source.path, file.media_type, media)
    if address is None:
        return file_label(file)
    return {"type": "file", "file": {"filename": file.name, "file_data": address}}


def _native_round(round_: Round, native: tuple[JsonObject, ...]) -> Iterable[JsonObject]:
    if not _takes_back(native):
        yield from _portable_round(round_)
        return
    yield from native
    for invocation in round_.invocations:
        yield {"role": "tool", "tool_call_id": invocation.provider_call_id, "content": invocation.result}


def _takes_back(native: tuple[JsonObject, ...]) -> bool:
    """Whether a server can read the items again.

    Some parse the names and arguments of calls, which a model may have broken; most refuse an empty message.
    """
    functions = [
        object_in(call, "function") for message in native for call in objects_in(message, "tool_calls")
    ]
    return all(
        is_object_text(text_in(function, "arguments"))
        and callable_name(text_in(function, "name")) == text_in(function, "name")
        for function in functions
    ) and all(message.get("content") or message.get("tool_calls") for message in native)


def _portable_round(round_: Round) -> Iterable[JsonObject]:
    text = portable_text(round_)
    if not round_.invocations:
        if text:
            yield {"role": "assistant", "content": text}
        return
    calls = [
        {
            "id": invocation.id,
            "type": "function",
            "function": {
                "name": callable_name(invocation.name),
                "arguments": object_text(invocation.arguments),
            },
        }
        for invocation in round_.invocations
    ]
    yield {"role": "assistant", "content": text or None, "tool_calls": calls}
    for invocation in round_.invocations:
        yield {"role": "tool", "tool_call_id": invocation.id, "content": invocation.result}


def _told_round(round_: Round) -> Iterable[JsonObject]:
    """A round with tools for a model that takes none: what it said, and the results as data."""
    if text := portable_text(round_):
        yield {"role": "assistant", "content": text}
    for invocation in round_.invocations:
        yield {"role": "user", "content": context_message(result_as_context(invocation))}


def _alternating(messages: list[JsonObject]) -> list[JsonObject]:
    """One system message in front; neighbours of one role joined; for templates that want it so."""
    instructions = [text_in(message, "content") for message in messages if message["role"] == "system"]
    joined: list[JsonObject] = []
    if instructions:
        joined.append({"role": "system", "content": "\n\n".join(instructions)})
    for message in messages:
        if message["role"] == "system":
            continue
        last = joined[-1] if joined else None
        if last is not None and last["role"] == message["role"] == "user":
            joined[-1] = {"role": "user", "content": _joined_content(last["content"], message["content"])}
        else:
            joined.append(message)
    return joined


def _joined_content(first: object, second: object) -> str | list[object]:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: object) -> list[object]:
    if isinstance(content, list):
        return cast("list[object]", content)
    return [{"type": "text", "text": content}]
