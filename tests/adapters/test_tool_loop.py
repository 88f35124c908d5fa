"""Tools in a generation, over the wire: rounds, order, limits, and whatever can go wrong in a tool."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, field_validator
from structlog.testing import capture_logs

from core.conversation.continuation import ProtocolName
from core.conversation.turns import (
    FinishReason,
    InvocationStatus,
    ReplyText,
    ToolInvocation,
    ToolReference,
)
from core.generation.events import (
    RoundFinished,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    TurnFinished,
    UsageReported,
)
from core.generation.requests import Step, one_endpoint
from core.tools.context import ToolContext
from core.tools.policies import RepeatPolicy, ToolPolicy
from core.tools.tool import AnyTool, Tool, ToolFailed
from tests.fake_models import Answer, Call, FakeModels
from tests.generation_setup import (
    BOB,
    NoArguments,
    asked,
    collected,
    counting_tool,
    endpoint,
    generator,
    said,
    slow_tool,
    text_of,
    turn_of,
)

BOTH = pytest.mark.parametrize("protocol", list(ProtocolName))


class Dice(BaseModel):
    """Arguments of a tool."""

    sides: int = 6


def dice(policy: ToolPolicy | None = None) -> AnyTool:
    async def roll(arguments: Dice, _context: ToolContext) -> str:
        return f"1 of {arguments.sides}"

    return Tool(
        name="dice", description="Rolls.", arguments=Dice, handler=roll, policy=policy or ToolPolicy()
    )


def broken(error: Exception) -> AnyTool:
    async def fail(_arguments: NoArguments, _context: ToolContext) -> str:
        raise error

    return Tool(name="broken", description="Fails.", arguments=NoArguments, handler=fail)


def saying(text: str, policy: ToolPolicy | None = None) -> AnyTool:
    async def say(_arguments: NoArguments, _context: ToolContext) -> str:
        return text

    return Tool(
        name="say", description="Says.", arguments=NoArguments, handler=say, policy=policy or ToolPolicy()
    )


async def after_calls(*calls: Call, tools: tuple[AnyTool, ...]) -> tuple[ToolInvocation, ...]:
    """The invocations of a round that makes `calls`, which the model then read."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(Answer(calls=calls), Answer(text=("ok",)))
        events = await collected(generation, asked(models, tools=tools))
        assert text_of(events) == "ok"
        invocations = turn_of(events).rounds[0].invocations
        read = [message for message in models.requests[1].body["messages"] if message["role"] == "tool"]
        assert [message["content"] for message in read] == [invocation.result for invocation in invocations]
        assert not models.invalid_requests
        return invocations


async def after_call(call: Call, tool: AnyTool) -> tuple[InvocationStatus, str]:
    (invocation,) = await after_calls(call, tools=(tool,))
    return invocation.status, invocation.result


@BOTH
async def test_a_round_is_a_request_and_every_tool_that_it_asked_for(protocol: ProtocolName) -> None:
    """CORE-3, CORE-33, CORE-13: the order of events, and what the turn keeps."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(
            Answer(text=("Rolling.",), calls=(Call(name="dice", arguments='{"sides": 20}', id="a"),)),
            Answer(text=("A 1.",)),
        )
        events = await collected(generation, asked(models, tools=(dice(),), protocol=protocol))
    started = next(event for event in events if isinstance(event, ToolCallStarted))
    kinds = [type(event) for event in events if not isinstance(event, ToolCallArguments)]
    assert kinds == [
        TextDelta,
        ToolCallStarted,
        ToolCallFinished,
        UsageReported,
        RoundFinished,
        TextDelta,
        UsageReported,
        RoundFinished,
        TurnFinished,
    ]
    first, second = turn_of(events).rounds
    assert first.content == (ReplyText(text="Rolling."), ToolReference(invocation_id=started.invocation_id))
    assert first.finish_reason is FinishReason.TOOL_CALLS
    (invocation,) = first.invocations
    assert (invocation.id, invocation.provider_call_id) == (started.invocation_id, "a")
    assert (invocation.status, invocation.result) == (InvocationStatus.COMPLETED, "1 of 20")
    assert (second.text, second.finish_reason) == ("A 1.", FinishReason.STOP)
    assert turn_of(events).run_id == "run_1"


@BOTH
async def test_the_model_reads_the_results_in_the_next_request(protocol: ProtocolName) -> None:
    """CORE-6, CORE-7: its own items come back with the results behind them."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(
            Answer(reasoning=("Hm.",), calls=(Call(name="dice", id="a"), Call(name="dice", id="b"))),
            Answer(text=("ok",)),
        )
        await collected(generation, asked(models, tools=(dice(),), protocol=protocol))
        body = models.requests[1].body
    if protocol is ProtocolName.CHAT:
        user, assistant, first, second = body["messages"]
        assert user["role"] == "user"
        assert assistant["reasoning_content"] == "Hm."
        assert [call["id"] for call in assistant["tool_calls"]] == ["a", "b"]
        assert first == {"role": "tool", "tool_call_id": "a", "content": "1 of 6"}
        assert second == {"role": "tool", "tool_call_id": "b", "content": "1 of 6"}
    else:
        assert [item["type"] for item in body["input"]] == [
            "message",
            "reasoning",
            "function_call",
            "function_call",
            "function_call_output",
            "function_call_output",
        ]
        assert body["input"][1]["encrypted_content"] == "c2VjcmV0"
        assert body["input"][4] == {"type": "function_call_output", "call_id": "a", "output": "1 of 6"}


async def test_a_provider_may_repeat_its_call_ids() -> None:
    """CORE-3: our own ids keep two rounds apart."""
    tool, count = counting_tool()
    async with FakeModels.running() as models, generator() as generation:
        models.script(
            Answer(calls=(Call(name="count", id="same"),)),
            Answer(calls=(Call(name="count", id="same"),)),
            Answer(text=("ok",)),
        )
        turn = turn_of(await collected(generation, asked(models, tools=(tool,))))
        assert not models.invalid_requests
    one, two = (round_.invocations[0] for round_ in turn.rounds[:2])
    assert one.provider_call_id == two.provider_call_id == "same"
    assert one.id != two.id
    assert count() == 2


@BOTH
async def test_after_ten_rounds_with_tools_a_last_one_answers_without(protocol: ProtocolName) -> None:
    """CORE-10, CORE-17."""
    tool, count = counting_tool()
    async with FakeModels.running() as models, generator() as generation:
        models.script(*[Answer(calls=(Call(name="count"),))] * 10, Answer(text=("Enough.",)))
        events = await collected(generation, asked(models, tools=(tool,), protocol=protocol))
        assert text_of(events) == "Enough."
        assert count() == 10
        assert ["tools" in request.body for request in models.requests] == [True] * 10 + [False]


async def test_a_model_that_calls_even_then_is_refused_and_the_turn_ends() -> None:
    """CORE-17."""
    tool, count = counting_tool()
    async with FakeModels.running(default=Answer(calls=(Call(name="count"),))) as models:
        async with generator() as generation:
            turn = turn_of(await collected(generation, asked(models, tools=(tool,))))
        assert len(models.requests) == 11
    assert count() == 10
    assert turn.rounds[-1].invocations[0].status is InvocationStatus.REFUSED


async def test_parallel_calls_run_side_by_side_and_results_keep_the_order_of_calls() -> None:
    """CORE-17."""
    second_began = asyncio.Event()

    async def first(_arguments: NoArguments, _context: ToolContext) -> str:
        await second_began.wait()
        return "first"

    async def second(_arguments: NoArguments, _context: ToolContext) -> str:
        second_began.set()
        return "second"

    tools = (
        Tool(name="first", description="", arguments=NoArguments, handler=first),
        Tool(name="second", description="", arguments=NoArguments, handler=second),
    )
    invocations = await after_calls(Call(name="first"), Call(name="second"), tools=tools)
    assert [invocation.result for invocation in invocations] == ["first", "second"]


@pytest.mark.parametrize("name", ["unknown", "two words", "", "x" * 200, "würfel"])
async def test_an_unknown_tool_is_told_to_the_model(name: str) -> None:
    """CORE-17: whatever it is called, the next request is valid."""
    status, result = await after_call(Call(name=name), dice())
    assert status is InvocationStatus.REFUSED
    assert "There is no tool" in result


@pytest.mark.parametrize(
    "arguments", ['{"sides": "many"}', '{"sides": ', "[]", '"text"', "null", '{"sides": 1.5}', "{'sides': 6}"]
)
async def test_arguments_that_do_not_fit_are_told_to_the_model(arguments: str) -> None:
    """CORE-17: and broken JSON is not sent back to a server that would parse it again."""
    status, result = await after_call(Call(name="dice", arguments=arguments), dice())
    assert status is InvocationStatus.FAILED
    assert result.startswith("The arguments do not fit: ")
    assert "pydantic" not in result


@pytest.mark.parametrize("arguments", ["", " ", "{}"])
async def test_no_arguments_are_an_empty_object(arguments: str) -> None:
    """CORE-17."""
    assert await after_call(Call(name="dice", arguments=arguments), dice()) == (
        InvocationStatus.COMPLETED,
        "1 of 6",
    )


async def test_an_exception_is_told_without_its_words() -> None:
    """CORE-17, CORE-30: they stand in the log."""
    with capture_logs() as logged:
        status, result = await after_call(Call(name="broken"), broken(RuntimeError("password=hunter2")))
    assert [(entry["event"], entry["tool"]) for entry in logged] == [("tool failed", "broken")]
    assert status is InvocationStatus.FAILED
    assert result == "The tool failed with an internal error (RuntimeError)."


class Picky(BaseModel):
    """Arguments whose check has a defect."""

    word: str = ""

    @field_validator("word")
    @classmethod
    def broken_check(cls, _word: str) -> str:
        raise KeyError("hunter2")


async def test_a_defect_in_the_check_of_arguments_is_a_result_too() -> None:
    """CORE-17."""

    async def never(_arguments: Picky, _context: ToolContext) -> str:
        raise AssertionError

    tool = Tool(name="picky", description="", arguments=Picky, handler=never)
    with capture_logs():
        result = await after_call(Call(name="picky", arguments='{"word": "x"}'), tool)
    assert result == (InvocationStatus.FAILED, "The tool failed with an internal error (KeyError).")


async def test_arguments_that_are_no_text_are_a_result_too() -> None:
    """CORE-17: half a character, which a provider may send as an escape."""
    with capture_logs():
        status, _ = await after_call(Call(name="dice", arguments='{"sides": "\ud83c"}'), dice())
    assert status is InvocationStatus.FAILED


async def test_a_tools_own_words_of_failure_are_told() -> None:
    """CORE-17."""
    result = await after_call(Call(name="broken"), broken(ToolFailed("No such city.")))
    assert result == (InvocationStatus.FAILED, "No such city.")


async def test_a_tool_that_takes_too_long_is_cancelled_and_told() -> None:
    """CORE-17."""
    left: list[str] = []
    tool = slow_tool(seconds=30, left=left, policy=ToolPolicy(timeout_s=0.02))
    status, result = await after_call(Call(name="slow"), tool)
    assert status is InvocationStatus.TIMED_OUT
    assert result == "The tool did not finish within 0.02 seconds."
    assert left == ["began", "cancelled"]


async def test_a_result_of_two_megabytes_is_cut() -> None:
    """CORE-17."""
    tool = saying("ä" * 2_000_000, ToolPolicy(result_limit=100))
    status, result = await after_call(Call(name="say"), tool)
    assert status is InvocationStatus.COMPLETED
    assert result == "ä" * 100 + "\n[The result was cut: 100 of 2000000 characters are shown.]"
    default = await after_call(Call(name="say"), saying("x" * 2_000_000))
    assert len(default[1]) < 20_100


async def test_an_unavailable_tool_is_hidden_and_refused() -> None:
    """CORE-41: at the same moment as it is hidden, and when it goes between offer and call."""
    available = True

    def is_available(_context: ToolContext) -> bool:
        return available

    tool = dice(ToolPolicy(available=is_available))
    async with FakeModels.running() as models, generator() as generation:

        def going(body: dict[str, Any]) -> Answer:
            nonlocal available
            assert [described["function"]["name"] for described in body["tools"]] == ["dice"]
            available = False
            return Answer(calls=(Call(name="dice"),))

        models.script(going, Answer(text=("ok",)))
        turn = turn_of(await collected(generation, asked(models, tools=(tool,))))
        assert "tools" not in models.requests[1].body
    assert turn.rounds[0].invocations[0].status is InvocationStatus.REFUSED


async def test_a_permission_is_asked_before_each_call() -> None:
    """CORE-17: with the arguments, for the person who speaks."""
    asked_for: list[tuple[ToolContext, Dice]] = []

    async def permit(context: ToolContext, arguments: Dice) -> str | None:
        asked_for.append((context, arguments))
        return "Only six sides here." if arguments.sides != 6 else None

    calls = (Call(name="dice"), Call(name="dice", arguments='{"sides": 7}'))
    allowed, refused = await after_calls(*calls, tools=(dice(ToolPolicy(permit=permit)),))
    assert (allowed.status, allowed.result) == (InvocationStatus.COMPLETED, "1 of 6")
    assert (refused.status, refused.result) == (InvocationStatus.REFUSED, "Only six sides here.")
    context = ToolContext(conversation_id="discord:channel:1", run_id="run_1", speaker=BOB)
    assert asked_for == [(context, Dice(sides=6)), (context, Dice(sides=7))]


@pytest.mark.parametrize(
    ("repeat", "runs", "statuses"),
    [
        (RepeatPolicy.RUN_AGAIN, 4, ["completed"] * 4),
        (RepeatPolicy.SAME_RESULT, 1, ["completed"] * 4),
        (RepeatPolicy.REFUSE, 1, ["completed", "refused", "refused", "refused"]),
    ],
)
async def test_identical_calls_follow_the_repeat_policy(
    repeat: RepeatPolicy, runs: int, statuses: list[str]
) -> None:
    """CORE-17: within a round and over rounds; spaces and defaults in arguments make no difference."""
    tool, count = counting_tool()
    tool = replace(tool, policy=ToolPolicy(repeat=repeat))
    async with FakeModels.running() as models, generator() as generation:
        models.script(
            Answer(calls=(Call(name="count", id="a"), Call(name="count", arguments="{ }", id="b"))),
            Answer(calls=(Call(name="count", id="a"), Call(name="count", arguments="", id="b"))),
            Answer(text=("ok",)),
        )
        turn = turn_of(await collected(generation, asked(models, tools=(tool,))))
    invocations = [invocation for round_ in turn.rounds for invocation in round_.invocations]
    assert count() == runs
    assert [invocation.status.value for invocation in invocations] == statuses
    if repeat is RepeatPolicy.SAME_RESULT:
        assert {invocation.result for invocation in invocations} == {"run 1"}


async def test_the_schema_of_a_tool_goes_to_the_model() -> None:
    """CORE-17: from its pydantic model, in each protocol's form."""
    schema = {"type": "object", "properties": {"sides": {"type": "integer", "default": 6, "title": "Sides"}}}
    async with FakeModels.running() as models, generator() as generation:
        for protocol in ProtocolName:
            await collected(generation, asked(models, tools=(dice(),), protocol=protocol))
        chat, responses = (request.body["tools"][0] for request in models.requests)
    described = {"name": "dice", "description": "Rolls.", "parameters": schema}
    assert chat == {"type": "function", "function": described}
    assert responses == {"type": "function", "strict": False, **described}


async def test_the_cap_applies_to_each_continuation_and_a_steps_cap_wins() -> None:
    """CORE-12."""
    tool, _ = counting_tool()
    sent: list[list[int | None]] = []
    for caller, step_cap in ((None, None), (100, None), (None, 50), (100, 50)):
        async with FakeModels.running() as models, generator() as generation:
            for protocol in ProtocolName:
                step = Step(endpoint=endpoint(models, protocol), tools=(tool,), max_tokens=step_cap)
                request = replace(asked(models), resolve_step=one_endpoint(step), max_tokens=caller)
                models.script(Answer(calls=(Call(name="count"),)), Answer(text=("ok",)))
                await collected(generation, request)
            names = ("max_tokens", "max_tokens", "max_output_tokens", "max_output_tokens")
            bodies = [request.body for request in models.requests]
            sent.append([body.get(name) for body, name in zip(bodies, names, strict=True)])
    assert sent == [[None] * 4, [100] * 4, [50] * 4, [50] * 4]


async def test_a_model_that_demands_it_gets_max_completion_tokens() -> None:
    """CORE-12."""
    async with FakeModels.running() as models, generator() as generation:
        step = Step(endpoint=endpoint(models, model="o4-mini"), max_tokens=70)
        await collected(generation, replace(asked(models), resolve_step=one_endpoint(step)))
        body = models.requests[0].body
    assert body["max_completion_tokens"] == 70
    assert "max_tokens" not in body


async def test_each_step_is_resolved_before_its_request() -> None:
    """CORE-15: prompt, tools, headers and cap are those of the moment."""
    tool, _ = counting_tool()
    resolved: list[int] = []
    async with FakeModels.running() as models, generator() as generation:

        async def resolve(number: int) -> Step:
            assert len(models.requests) == number
            resolved.append(number)
            return Step(
                endpoint=endpoint(models),
                system_prompt=f"Prompt {number}.",
                tools=(tool,) if number == 0 else (),
                headers={"X-Step": str(number)},
                max_tokens=number + 1,
            )

        models.script(Answer(calls=(Call(name="count"),)), Answer(text=("ok",)))
        await collected(generation, replace(asked(models), resolve_step=resolve))
        first, second = models.requests
    assert resolved == [0, 1]
    assert [request.headers["x-step"] for request in (first, second)] == ["0", "1"]
    assert first.body["messages"][0] == {"role": "system", "content": "Prompt 0."}
    assert second.body["messages"][0] == {"role": "system", "content": "Prompt 1."}
    assert ("tools" in first.body, "tools" in second.body) == (True, False)
    assert (first.body["max_tokens"], second.body["max_tokens"]) == (1, 2)
    assert first.headers["authorization"] == "Bearer sk-test"


@pytest.mark.parametrize("change", ["model", "protocol", "provider"])
async def test_a_change_of_scope_begins_a_new_native_stream_in_the_same_turn(change: str) -> None:
    """CORE-15, CORE-8: finished rounds and usage stay, projected from what is portable."""
    tool, _ = counting_tool()
    async with FakeModels.running() as models, generator() as generation:
        here = endpoint(models)
        there = {
            "model": replace(here, model="other"),
            "protocol": replace(here, protocol=ProtocolName.RESPONSES),
            "provider": replace(here, provider="other"),
        }[change]

        async def resolve(number: int) -> Step:
            return Step(endpoint=here if number == 0 else there, tools=(tool,))

        models.script(
            Answer(reasoning=("Hm.",), text=("One moment.",), calls=(Call(name="count", id="a"),)),
            Answer(text=("ok",)),
        )
        turn = turn_of(await collected(generation, replace(asked(models), resolve_step=resolve)))
        body = models.requests[1].body
        assert not models.invalid_requests
    first, second = turn.rounds
    assert first.continuation is not None
    assert second.continuation is not None
    assert (first.continuation.scope, second.continuation.scope) == (
        here.scope("discord:channel:1"),
        there.scope("discord:channel:1"),
    )
    assert [round_.usage is not None for round_ in turn.rounds] == [True, True]
    sent = json.dumps(body)
    assert "One moment." in sent
    assert "run 1" in sent
    assert "Hm." not in sent
    assert f'"{first.invocations[0].id}"' in sent


async def test_the_conversation_is_prepared_once_for_each_native_stream() -> None:
    """CORE-16: for the model of the stream, and the stored history stays as it is."""
    tool, _ = counting_tool()
    prepared_for: list[bool] = []
    async with FakeModels.running() as models, generator() as generation:
        endpoints = [endpoint(models), endpoint(models), endpoint(models, model="gpt-4o"), endpoint(models)]

        async def resolve(number: int) -> Step:
            return Step(endpoint=endpoints[number], tools=(tool,))

        def prepare(conversation: Any, able_to: Any) -> Any:
            prepared_for.append(able_to.images)
            return replace(conversation, turns=(said(f"Prepared {len(prepared_for)}"),))

        models.script(*[Answer(calls=(Call(name="count"),))] * 3, Answer(text=("ok",)))
        request = replace(asked(models), resolve_step=resolve, prepare_conversation=prepare)
        await collected(generation, request)
        texts = [sent.body["messages"][0]["content"].rpartition(": ")[2] for sent in models.requests]
    assert prepared_for == [False, True, False]
    assert texts == ["Prepared 1", "Prepared 1", "Prepared 2", "Prepared 3"]
    assert request.conversation.turns == (said("Hi"),)


async def test_each_protocol_gets_its_own_form_of_the_conversation() -> None:
    """CORE-31: Responses items are not made of Chat messages, nor the other way round."""
    async with FakeModels.running() as models, generator() as generation:
        for protocol in ProtocolName:
            await collected(generation, asked(models, protocol=protocol))
        assert [request.path for request in models.requests] == ["/v1/chat/completions", "/v1/responses"]
        assert "input" not in models.requests[0].body
        assert "messages" not in models.requests[1].body
