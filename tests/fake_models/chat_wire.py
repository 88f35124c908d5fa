"""An answer as Chat Completions: chunks of a stream, or one document."""

import json
from collections.abc import Iterator

from tests.fake_models.scripts import Answer, Call

Json = dict[str, object]


def chat_events(answer: Answer, model: str) -> Iterator[bytes]:
    """The events of a whole stream, `[DONE]` included."""
    shared: Json = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}

    def event(delta: Json, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _sse({**shared, "choices": [choice]})

    yield event({"role": "assistant", "content": ""})
    for piece in answer.reasoning:
        yield event({answer.reasoning_field: piece})
    for piece in answer.text:
        yield event({"content": piece})
    for piece in answer.refusal:
        yield event({"refusal": piece})
    for index, call in enumerate(answer.calls):
        function: Json = {"name": call.name, "arguments": ""}
        begun = {"index": index, "id": _call_id(call, index), "type": "function", "function": function}
        yield event({"tool_calls": [begun]})
        for piece in pieces(call.arguments, answer.argument_size):
            yield event({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield event({}, finish=_finish(answer))
    if answer.usage is not None:
        yield _sse({**shared, "choices": [], "usage": _usage(answer.usage)})
    yield b"data: [DONE]\n\n"


TERMINAL_EVENTS_WITH_USAGE = 3  # finish reason, usage, [DONE]


def chat_document(answer: Answer, model: str) -> Json:
    """The answer to a request without `stream`."""
    message: Json = {"role": "assistant", "content": "".join(answer.text) or None}
    if answer.reasoning:
        message[answer.reasoning_field] = "".join(answer.reasoning)
    if answer.refusal:
        message["refusal"] = "".join(answer.refusal)
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": _call_id(call, index),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for index, call in enumerate(answer.calls)
        ]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(answer)}],
        "usage": _usage(answer.usage or (10, 5)),
    }


def pieces(text: str, size: int) -> Iterator[str]:
    """`text` in pieces of `size` code points."""
    return (text[start : start + size] for start in range(0, len(text), size))


def _finish(answer: Answer) -> str:
    return answer.finish_reason or ("tool_calls" if answer.calls else "stop")


def _call_id(call: Call, index: int) -> str:
    return call.id or f"call_{index}"


def _usage(usage: tuple[int, int]) -> Json:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


def _sse(value: Json) -> bytes:
    try:
        data = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character goes as an escape
        data = json.dumps(value).encode()
    return b"data: " + data + b"\n\n"
