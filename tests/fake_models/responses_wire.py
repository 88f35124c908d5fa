"""An answer as Responses: typed events of a stream, or one document."""

import json
from collections.abc import Iterator

from tests.fake_models.chat_wire import Json, pieces
from tests.fake_models.scripts import Answer


def responses_events(answer: Answer, model: str) -> Iterator[bytes]:
    """The events of a whole stream, the terminal one last."""
    number = 0

    def event(kind: str, fields: Json) -> bytes:
        nonlocal number
        number += 1
        data = json.dumps({"type": kind, "sequence_number": number, **fields}, ensure_ascii=False)
        return f"event: {kind}\ndata: {data}\n\n".encode()

    yield event("response.created", {"response": {**_shell(model), "status": "in_progress", "output": []}})
    items = output_items(answer)
    for index, item in enumerate(items):
        yield event(
            "response.output_item.added", {"output_index": index, "item": {**item, "status": "in_progress"}}
        )
        place: Json = {"output_index": index, "item_id": item.get("id", "")}
        if item["type"] == "reasoning" and answer.reasoning and item["id"] == "rs_1":
            for piece in answer.reasoning:
                yield event(
                    "response.reasoning_summary_text.delta", {**place, "summary_index": 0, "delta": piece}
                )
        elif item["type"] == "message" and item["id"] == "msg_1":
            part = {**place, "content_index": 0}
            for piece in answer.text:
                yield event("response.output_text.delta", {**part, "delta": piece})
            for number_of, annotation in enumerate(_annotations(answer)):
                yield event(
                    "response.output_text.annotation.added",
                    {**part, "annotation_index": number_of, "annotation": annotation},
                )
            for piece in answer.refusal:
                yield event("response.refusal.delta", {**part, "delta": piece})
        elif item["type"] == "function_call":
            arguments = str(item["arguments"])
            for piece in pieces(arguments, answer.argument_size):
                yield event("response.function_call_arguments.delta", {**place, "delta": piece})
            yield event("response.function_call_arguments.done", {**place, "arguments": arguments})
        yield event("response.output_item.done", {"output_index": index, "item": item})
    kind = "response.incomplete" if answer.incomplete_reason else "response.completed"
    yield event(kind, {"response": responses_document(answer, model)})


def responses_document(answer: Answer, model: str) -> Json:
    """The response object, finished."""
    document = {**_shell(model), "status": "completed", "output": output_items(answer)}
    if answer.incomplete_reason:
        document |= {"status": "incomplete", "incomplete_details": {"reason": answer.incomplete_reason}}
    if answer.usage is not None:
        document["usage"] = {
            "input_tokens": answer.usage[0],
            "output_tokens": answer.usage[1],
            "total_tokens": sum(answer.usage),
            "input_tokens_details": {"cached_tokens": 0},
        }
    return document


def output_items(answer: Answer) -> list[Json]:
    """The items of the output, in order."""
    items: list[Json] = [dict(item) for item in answer.native_items]
    if answer.reasoning:
        summary = [{"type": "summary_text", "text": "".join(answer.reasoning)}]
        items.append({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "c2VjcmV0"})
    if answer.text or answer.refusal:
        content: list[Json] = []
        if answer.text:
            content.append(
                {"type": "output_text", "text": "".join(answer.text), "annotations": _annotations(answer)}
            )
        if answer.refusal:
            content.append({"type": "refusal", "refusal": "".join(answer.refusal)})
        items.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        )
    for index, call in enumerate(answer.calls):
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{index}",
                "call_id": call.id or f"call_{index}",
                "name": call.name,
                "arguments": call.arguments,
                "status": "completed",
            }
        )
    return items


def _annotations(answer: Answer) -> list[Json]:
    return [
        {"type": "url_citation", "url": url, "title": title, "start_index": start, "end_index": end}
        for url, title, start, end in answer.citations
    ]


def _shell(model: str) -> Json:
    return {"id": "resp_1", "object": "response", "created_at": 1, "model": model}
