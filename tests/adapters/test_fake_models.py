"""The fake provider itself: what it accepts, what it plays, and that a person can start it."""

import asyncio
import json
import sys
import time
from typing import Any

import aiohttp
import pytest

from tests.architecture.sources import ROOT
from tests.fake_models import Answer, Call, Ending, FakeModels, RawStream, Refusal
from tests.fake_models.validation import InvalidRequest, validate_chat, validate_responses

USER: dict[str, Any] = {"role": "user", "content": "Hi"}


async def post(models: FakeModels, path: str, body: object, **headers: str) -> tuple[int, bytes]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{models.base_url}{path}", json=body, headers=headers) as answer,
    ):
        return answer.status, await answer.read()


def chat(*messages: object, **more: object) -> dict[str, object]:
    return {"model": "m", "messages": list(messages), **more}


def call(id_: str = "a", name: str = "dice", arguments: str = "{}") -> dict[str, object]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(*calls: object) -> dict[str, object]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def result(id_: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": id_, "content": "1"}


@pytest.mark.parametrize(
    "body",
    [
        chat(USER),
        chat({"role": "system", "content": "x"}, USER, stream=True, max_tokens=1),
        chat(USER, assistant(call("a"), call("b")), result("b"), result("a"), USER),
        chat(USER, assistant(call("a")), result("a"), assistant(call("a")), result("a")),
    ],
)
def test_a_right_chat_request_passes(body: dict[str, object]) -> None:
    validate_chat(body)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (chat(), "empty"),
        ({"messages": [USER]}, "missing"),
        (chat(USER, mood="good"), "unknown keys"),
        (chat({"role": "user", "content": "x", "at": 1}), "unknown keys"),
        (chat({"role": "robot", "content": "x"}), "role"),
        (chat({"role": "user", "content": []}), "neither text nor parts"),
        (chat({"role": "user", "content": [{"type": "video"}]}), "part"),
        (chat({"role": "assistant", "content": ""}), "nothing in it"),
        (chat({"role": "system", "content": ""}), "no text"),
        (chat(result("a")), "no call"),
        (chat(assistant(call("a")), USER), "no result"),
        (chat(assistant(call("a"))), "no result"),
        (chat(assistant(call("a")), result("a"), result("a")), "no call"),
        (chat(assistant(call("a"), call("a")), result("a")), "id"),
        (chat(assistant(call(name="two words")), result("a")), "tool name"),
        (chat(assistant(call(arguments="{")), result("a")), "no JSON"),
        (chat(assistant(call(arguments="[]")), result("a")), "no object"),
        (chat(USER, tools=[]), "tools is empty"),
        (chat(USER, max_tokens=1, max_completion_tokens=1), "two caps"),
    ],
)
def test_a_wrong_chat_request_is_named(body: dict[str, object], complaint: str) -> None:
    with pytest.raises(InvalidRequest, match=complaint):
        validate_chat(body)


@pytest.mark.parametrize(
    ("items", "complaint"),
    [
        ([{"role": "tool", "content": "x"}], "role"),
        ([{"type": "function_call_output", "call_id": "a", "output": "1"}], "no call"),
        ([{"type": "function_call", "call_id": "a", "name": "n", "arguments": "{}"}], "without a result"),
        ([{"type": "tool_call", "name": "n"}], "not one of ours"),
        ([{"role": "user", "content": [{"type": "text", "text": "x"}]}], "part"),
        ([{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}], "assistant part"),
    ],
)
def test_a_wrong_responses_request_is_named(items: list[object], complaint: str) -> None:
    with pytest.raises(InvalidRequest, match=complaint):
        validate_responses({"model": "m", "input": items})


async def test_an_invalid_request_gets_400_and_is_remembered() -> None:
    async with FakeModels.running() as models:
        status, body = await post(models, "/chat/completions", chat())
        assert status == 400
        assert "empty" in json.loads(body)["error"]["message"]
        assert models.invalid_requests == ["messages is empty"]
        assert models.requests == []


async def test_without_a_script_it_echoes_the_last_user_text() -> None:
    async with FakeModels.running() as models:
        _, body = await post(models, "/chat/completions", chat({"role": "user", "content": "one"}, USER))
        assert json.loads(body)["choices"][0]["message"]["content"] == "Hi"
        parts = [{"type": "input_text", "text": "two"}]
        _, body = await post(
            models, "/responses", {"model": "m", "input": [{"role": "user", "content": parts}]}
        )
        assert json.loads(body)["output"][0]["content"][0]["text"] == "two"


async def test_scripts_are_played_in_order_then_the_default() -> None:
    async with FakeModels.running(default=Answer(text=("default",))) as models:
        models.script(Refusal(status=418, headers={"X-A": "b"}), lambda body: Answer(text=(body["model"],)))
        assert (await post(models, "/chat/completions", chat(USER)))[0] == 418
        assert b'"m"' in (await post(models, "/chat/completions", chat(USER)))[1]
        assert b"default" in (await post(models, "/chat/completions", chat(USER)))[1]


async def test_a_raw_stream_is_byte_exact() -> None:
    async with FakeModels.running() as models:
        models.script(RawStream(chunks=(b"\xff\r\n", b"data: \xf0\x9f"), content_type="x/y"))
        assert (await post(models, "/chat/completions", chat(USER)))[1] == b"\xff\r\ndata: \xf0\x9f"


@pytest.mark.parametrize("ending", [Ending.CLOSE, Ending.RESET])
async def test_a_cut_stream_is_an_error_of_the_client(ending: Ending) -> None:
    async with FakeModels.running() as models:
        models.script(Answer(text=("x",), ending=ending))
        with pytest.raises(aiohttp.ClientError):
            await post(models, "/chat/completions", chat(USER, stream=True))
        assert not models.requests[0].client_closed_early


async def test_another_key_and_another_path_are_refused() -> None:
    async with FakeModels.running(api_key="right") as models:
        assert (await post(models, "/chat/completions", chat(USER), Authorization="Bearer wrong"))[0] == 401
        assert (await post(models, "/chat/completions", chat(USER), Authorization="Bearer right"))[0] == 200
        assert (await post(models, "/embeddings", {}, Authorization="Bearer right"))[0] == 404


async def test_calls_and_usage_are_streamed() -> None:
    async with FakeModels.running() as models:
        models.script(Answer(calls=(Call(name="dice", arguments='{"sides": 20}'),), usage=(1, 2)))
        _, body = await post(models, "/chat/completions", chat(USER, stream=True))
    events = [json.loads(line[6:]) for line in body.decode().split("\n\n") if "{" in line]
    deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
    pieces = [delta["tool_calls"][0]["function"]["arguments"] for delta in deltas if "tool_calls" in delta]
    assert "".join(pieces) == '{"sides": 20}'
    assert events[-1]["usage"]["total_tokens"] == 3
    assert body.endswith(b"data: [DONE]\n\n")


async def test_it_answers_hundreds_of_requests_at_once() -> None:
    async with FakeModels.running() as models, aiohttp.ClientSession() as session:

        async def ask() -> int:
            async with session.post(f"{models.base_url}/chat/completions", json=chat(USER)) as answer:
                await answer.read()
                return answer.status

        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            asking = [group.create_task(ask()) for _ in range(500)]
        assert [task.result() for task in asking] == [200] * 500
        assert time.monotonic() - began < 10


async def test_a_person_can_start_it() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fake_models", cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(20):
            lines = [(await process.stdout.readline()).decode().strip() for _ in range(3)]
        settings = dict(line.split("=", 1) for line in lines)
        address = f"{settings['OPENAI_API_BASE_URL']}/models"
        async with aiohttp.ClientSession() as session, session.get(address) as answer:
            listed = await answer.json()
        assert listed["data"][0]["id"] == settings["OPENAI_MODEL"]
    finally:
        process.terminate()
        await process.wait()
