"""The request of each kind of run, as both protocols send it.

The requests stand in tests/data/requests/*.txt to be read; `PARLEY_REWRITE_PROMPTS=1` writes them anew.
"""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath
from typing import Any

import pytest

from bot.run_planner import ScenePlanner
from bot.token_estimates import ModelTokens
from core.context.compaction import Summary, summary_turn
from core.context.registry import ContextEntry, ContextRegistry, EveryScene, OneScene
from core.conversation.content import Audio, File, Image, MediaSource, Text
from core.conversation.continuation import ProtocolName
from core.conversation.turns import (
    AssistantTurn,
    Conversation,
    InvocationStatus,
    InvokedSkill,
    Notice,
    ReplyText,
    Round,
    Speaker,
    ToolInvocation,
    ToolReference,
    Turn,
    UserTurn,
)
from core.generation.native_stream import NativeStream
from core.generation.protocols.chat_projection import project_chat
from core.generation.protocols.responses_projection import project_responses
from core.generation.requests import ChatRequest, ModelEndpoint, ResponsesRequest, Step
from core.markers.self_prefix import SelfPrefixStripper
from core.orchestration.run_ports import RunPlan
from core.orchestration.sends import SceneKind, Send, SendOptions
from core.prompts.profiles import FULL_PROFILE, SMALL_PROFILE, PromptProfile
from core.prompts.scene import RoomKind, SceneFacts
from core.prompts.spoken import SPOKEN_REPLY
from tests.orchestration import KeptPlace
from tests.personas import OnePersona

REQUESTS = Path(__file__).parents[1] / "data" / "requests"
ROOM = "discord:channel:42"
EVENING = datetime(2026, 11, 30, 18, 47, tzinfo=UTC)
MIA = Speaker(id="111", name="Mia")
SAM = Speaker(id="222", name="Sam")


def said(
    minute: int, text: str, speaker: Speaker = MIA, *, skills: tuple[InvokedSkill, ...] = ()
) -> UserTurn:
    at = EVENING + timedelta(minutes=minute)
    return UserTurn(id=f"t{minute}", at=at, speaker=speaker, content=(Text(text=text),), skills=skills)


def answered(minute: int, *rounds: Round, interrupted: bool = False) -> AssistantTurn:
    at = EVENING + timedelta(minutes=minute)
    return AssistantTurn(
        id=f"a{minute}", run_id="run", created_at=at, completed_at=at, rounds=rounds, interrupted=interrupted
    )


def spoke(text: str) -> Round:
    return Round(content=(ReplyText(text=text),))


def called(name: str, arguments: str, result: str) -> Round:
    call = ToolInvocation(
        id="call_1",
        provider_call_id="provider_1",
        name=name,
        arguments=arguments,
        result=result,
        status=InvocationStatus.COMPLETED,
        started_at=EVENING,
        finished_at=EVENING,
    )
    return Round(
        content=(ReplyText(text="Let me look."), ToolReference(invocation_id="call_1")), invocations=(call,)
    )


HISTORY: tuple[Turn, ...] = (
    said(0, "When do we meet?"),
    answered(1, spoke("On Tuesday at eight.")),
    said(2, "Who brings the cake?", SAM),
    answered(3, spoke("Nobody has said"), interrupted=True),
)


class OneRoom:
    def __init__(self, kind: RoomKind) -> None:
        self.kind = kind

    def facts(self, session_id: str, participants: tuple[Speaker, ...]) -> SceneFacts:
        return SceneFacts(
            kind=self.kind, time_zone="UTC", server="Club", channel="general", participants=participants
        )


async def planned(
    *turns: Turn,
    now: tuple[UserTurn, ...],
    protocol: ProtocolName = ProtocolName.CHAT,
    profile: PromptProfile = FULL_PROFILE,
    kind: RoomKind = RoomKind.TEXT_CHANNEL,
    context: ContextRegistry | None = None,
    options: SendOptions | None = None,
    model: str = "plain-model",
    max_tokens: int | None = None,
) -> tuple[RunPlan, Step]:
    planner = ScenePlanner(
        endpoint=ModelEndpoint(protocol=protocol, provider="p", base_url="http://m/v1", model=model),
        profile=profile,
        personas=OnePersona(),
        directory=OneRoom(kind),
        tokens=ModelTokens(),
        context=context or ContextRegistry(),
        overheard=None,
        context_tokens=32_000,
        max_tokens=max_tokens,
        compaction=None,
    )
    send = Send(
        session_id=ROOM,
        generation=0,
        reply_id="reply:1",
        turns=now,
        place=KeptPlace(),
        options=options or SendOptions(scene=SceneKind.DISCORD),
    )
    plan = await planner.plan(send, Conversation(id=ROOM, turns=(*turns, *now)), "run_1")
    return plan, await plan.request.resolve_step(0)


def readable(plan: RunPlan, step: Step) -> str:
    """The body of the request with its system prompt named only; the prompts have files of their own."""
    request = NativeStream(plan.request).request_for(step, step.tools, ())
    match request:
        case ChatRequest():
            body = dict(project_chat(request, {}).body)
        case ResponsesRequest():
            body = dict(project_responses(request, {}).body)
    text = json.dumps(body, indent=1, ensure_ascii=False)
    prompt = json.dumps(step.system_prompt, ensure_ascii=False)[1:-1]
    assert prompt in text
    return text.replace(prompt, "(the system prompt)").replace("\\n", "\n") + "\n"


def modules_that_told() -> ContextRegistry:
    registry = ContextRegistry()
    registry.replace_self("calendar", [ContextEntry(text="Choir on Tuesday.", audience=EveryScene())])
    registry.append_self(
        "music", ContextEntry(text="A waltz is playing.", audience=OneScene(session_id=ROOM))
    )
    registry.append_self("music", ContextEntry(text="Not for here.", audience=OneScene(session_id="other")))
    return registry


ASKED = (said(5, "And when exactly?", SAM), said(6, "I can bring one."))
SKILL = InvokedSkill(name="brief", text="1. Answer in one line.\n2. No greetings.")
MEDIA = UserTurn(
    id="t9",
    at=EVENING,
    speaker=MIA,
    content=(
        Text(text="Look:"),
        Image(source=MediaSource(url="https://cdn/cat.png"), media_type="image/png", caption="a cat"),
        Audio(
            source=MediaSource(path=PurePath("talk.ogg")), media_type="audio/ogg", transcript="hello there"
        ),
        File(source=MediaSource(path=PurePath("plan.pdf")), media_type="application/pdf", name="plan.pdf"),
    ),
)
SUMMARY = summary_turn(
    Summary(text="Mia and Sam plan a party. Sam promised music.", skills=(SKILL,)), turn_id="summary:7"
)
NOTICE = UserTurn(
    id="t8",
    at=EVENING,
    content=(Text(text="The background task finished.\nThe cake costs 30."),),
    notice=Notice(source="recipe:cake", silence_allowed=True),
)

KINDS = {
    "plain": lambda: planned(*HISTORY, now=ASKED),
    "plain_responses": lambda: planned(*HISTORY, now=ASKED, protocol=ProtocolName.RESPONSES),
    "with_context": lambda: planned(*HISTORY, now=ASKED, context=modules_that_told()),
    "with_context_responses": lambda: planned(
        *HISTORY, now=ASKED, context=modules_that_told(), protocol=ProtocolName.RESPONSES
    ),
    "with_skills": lambda: planned(*HISTORY, now=(said(5, "be brief: what now?", skills=(SKILL,)),)),
    "notice": lambda: planned(*HISTORY, now=(NOTICE,)),
    "after_compaction": lambda: planned(SUMMARY, *HISTORY[2:], now=ASKED),
    "voice_scene": lambda: planned(
        *HISTORY,
        now=ASKED,
        kind=RoomKind.VOICE_CHANNEL,
        options=SendOptions(scene=SceneKind.DISCORD, supplement=SPOKEN_REPLY),
    ),
    "tool_round": lambda: planned(
        said(0, "What time is it?"),
        answered(1, called("get_current_time", '{"zone": "UTC"}', "18:47"), spoke("It is 18:47.")),
        now=(said(2, "Thanks!"),),
    ),
    "tool_round_responses": lambda: planned(
        said(0, "What time is it?"),
        answered(1, called("get_current_time", '{"zone": "UTC"}', "18:47"), spoke("It is 18:47.")),
        now=(said(2, "Thanks!"),),
        protocol=ProtocolName.RESPONSES,
    ),
    "media_for_a_text_model": lambda: planned(now=(MEDIA,)),
    "small_model": lambda: planned(*HISTORY, now=ASKED, profile=SMALL_PROFILE),
    "small_model_and_one_person": lambda: planned(
        *HISTORY[:2], now=(said(5, "be brief: what now?", skills=(SKILL,)),), profile=SMALL_PROFILE
    ),
}


@pytest.mark.parametrize("name", KINDS)
async def test_the_composed_requests_are_those_that_were_read_and_approved(name: str) -> None:
    """CORE-2, CORE-16, CORE-20, CORE-21, CORE-22, CORE-25, CORE-28, CORE-31, CORE-32, CORE-46, SCENE-3."""
    composed = readable(*await KINDS[name]())
    snapshot = REQUESTS / f"{name}.txt"
    if os.environ.get("PARLEY_REWRITE_PROMPTS"):
        snapshot.parent.mkdir(parents=True, exist_ok=True)
        snapshot.write_text(composed, encoding="utf-8")
    assert composed == snapshot.read_text(encoding="utf-8")


def test_every_snapshot_is_still_composed() -> None:
    assert {path.stem for path in REQUESTS.glob("*.txt")} == set(KINDS)


async def test_a_scene_reads_only_the_context_that_reaches_it() -> None:
    """CORE-25, SCENE-6."""
    plan, step = await planned(*HISTORY, now=ASKED, context=modules_that_told())
    text = readable(plan, step)
    assert "A waltz is playing." in text
    assert "Not for here." not in text


async def test_a_hosts_own_step_keeps_the_supplement_of_the_send() -> None:
    """CORE-15, CORE-19."""
    endpoint = ModelEndpoint(protocol=ProtocolName.CHAT, provider="q", base_url="http://q/v1", model="other")

    async def resolve(number: int) -> Step:
        return Step(endpoint=endpoint, system_prompt=f"Step {number}.")

    options = SendOptions(supplement="Speak of the sea.", resolve_step=resolve)
    plan, _ = await planned(now=ASKED, options=options)
    for number in (0, 1):
        step = await plan.request.resolve_step(number)
        assert step.endpoint.model == "other"
        assert step.system_prompt == f"Step {number}.\n\nSpeak of the sea."


@pytest.mark.parametrize(("set_to", "sent"), [(None, 160), (40, 40), (4_000, 160)])
async def test_the_cap_of_the_small_profile_never_widens_what_is_set(set_to: int | None, sent: int) -> None:
    """CORE-12, CORE-46: MODEL_MAX_TOKENS holds in every profile."""
    _, step = await planned(now=ASKED, profile=SMALL_PROFILE, max_tokens=set_to)
    assert step.max_tokens == sent


async def test_a_small_model_that_answers_in_somebodys_name_is_read_without_it() -> None:
    """CORE-22, CORE-46: where no time stands before a name, the name alone is what it copies."""
    plan, _ = await planned(*HISTORY, now=ASKED, profile=SMALL_PROFILE)
    stripper = SelfPrefixStripper(plan.own_names)
    assert stripper.feed("Mia (111): At ei") + stripper.feed("ght.") + stripper.end() == "At eight."


async def test_plans_of_one_basis_ask_the_same_and_a_change_is_another_basis() -> None:
    """VOX-16, SET-8: a reply begun early is adopted only where a run begun now would ask the very same."""

    async def basis(**changed: Any) -> tuple[object, ...]:
        return (await planned(now=ASKED, **changed))[0].basis

    assert await basis() == await basis()
    others = [
        await basis(model="other-model"),
        await basis(max_tokens=7),
        await basis(profile=SMALL_PROFILE),
        await basis(context=modules_that_told()),
    ]
    assert await basis() not in others
