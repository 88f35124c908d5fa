"""A session that outgrows its model's window, on the stores in memory (CORE-28)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.run_planner import ScenePlanner
from bot.scene_compaction import SceneCompaction
from bot.scene_journal import SceneJournal
from bot.token_estimates import ModelTokens
from core.context.registry import ContextRegistry
from core.context.token_estimates import TokenEstimate
from core.conversation.content import Text
from core.conversation.continuation import ProtocolName
from core.conversation.turns import AssistantTurn, InvokedSkill, Speaker, SystemTurn, UserTurn
from core.failures import GenerationFailed
from core.generation.requests import ModelEndpoint
from core.orchestration.hooks import HookEvent, Hooks
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.runs import Runner
from core.orchestration.sends import Answered, Outcome, Send
from core.prompts.profiles import FULL_PROFILE
from core.prompts.scene import SceneFacts
from sessions.bindings import ConsoleBinding
from sessions.in_memory import scenes_in_memory
from sessions.stores import SceneStores
from tests.orchestration import (
    AT,
    CountedIds,
    KeptPlace,
    Scripted,
    ScriptedGeneration,
    StillClock,
    says,
    settled,
)
from tests.personas import OnePersona
from tests.scene_values import NOON

WORDS = "The quick brown fox jumps over the lazy dog while the old clock ticks. " * 8
SKILL = InvokedSkill(name="brief", text="1. One line.\n2. No greetings.")


@dataclass(frozen=True)
class ChosenModel:
    name: str

    async def of(self, session_id: str) -> str:
        return self.name


class NoFacts:
    def facts(self, session_id: str, participants: tuple[Speaker, ...]) -> SceneFacts | None:
        return None


@dataclass
class LongRoom:
    """One session and its orchestrator; the window holds about ten exchanges."""

    stores: SceneStores
    generation: ScriptedGeneration
    orchestrator: Orchestrator
    turns: int = 0

    async def say(self, text: str, *, skills: tuple[InvokedSkill, ...] = ()) -> Outcome:
        session = await self.stores.sessions.open(ConsoleBinding(), AT)
        self.turns += 1
        turn = UserTurn(id=f"u{self.turns}", at=AT, content=(Text(text=text),), skills=skills)
        send = Send(
            session_id=session.session_id,
            generation=session.generation,
            reply_id=f"reply:{self.turns}",
            turns=(turn,),
            place=KeptPlace(),
        )
        outcome = await self.orchestrator.submit(send).outcome()
        await settled(200)
        return outcome

    async def reset(self) -> None:
        session = await self.stores.sessions.reset("console:local", NOON)
        self.orchestrator.reset("console:local", session.generation)

    @property
    def last_request(self) -> tuple[UserTurn | SystemTurn | AssistantTurn, ...]:
        return self.generation.requests[-1].conversation.turns

    @property
    def summary_requests(self) -> list[str]:
        asked = [request.conversation for request in self.generation.requests]
        return [
            part.text
            for conversation in asked
            if conversation.id.endswith(":summary")
            for turn in conversation.turns
            if isinstance(turn, UserTurn)
            for part in turn.content
            if isinstance(part, Text)
        ]


def fail_on_hook(event: HookEvent, error: BaseException) -> None:
    raise AssertionError(event) from error


@asynccontextmanager
async def long_room(
    *scripts: tuple[Scripted, ...], models: ChosenModel | None = None
) -> AsyncIterator[LongRoom]:
    stores, generation, clock, new_id = (
        scenes_in_memory(),
        ScriptedGeneration(*scripts),
        StillClock(),
        CountedIds(),
    )
    endpoint = ModelEndpoint(protocol=ProtocolName.CHAT, provider="p", base_url="http://m/v1", model="m")
    tokens, hooks = ModelTokens(), Hooks(fail_on_hook)
    async with SceneCompaction(
        history=stores.history,
        summaries=stores.summaries,
        generation=generation,
        tokens=tokens,
        clock=clock,
        new_id=new_id,
    ) as compaction:
        compaction.listen(hooks)
        planner = ScenePlanner(
            endpoint=endpoint,
            profile=FULL_PROFILE,
            personas=OnePersona(),
            models=models,
            directory=NoFacts(),
            tokens=tokens,
            context=ContextRegistry(),
            overheard=None,
            context_tokens=6_000,
            max_tokens=500,
            compaction=compaction,
        )
        journal = SceneJournal(
            replies=stores.replies, history=stores.history, summaries=stores.summaries, clock=clock
        )
        runner = Runner(
            generation=generation, planner=planner, journal=journal, hooks=hooks, clock=clock, new_id=new_id
        )
        async with Orchestrator(runner) as orchestrator:
            yield LongRoom(stores=stores, generation=generation, orchestrator=orchestrator)


async def talk(room: LongRoom, exchanges: int) -> None:
    for number in range(exchanges):
        assert await room.say(f"{number}: {WORDS}") == Answered()


async def test_older_turns_become_a_stored_summary_and_the_talk_goes_on_from_it() -> None:
    """CORE-28: what the model reads keeps fitting, and begins with the summary."""
    scripts: list[tuple[Scripted, ...]] = [says(f"answer {number}") for number in range(60)]
    async with long_room(*scripts) as room:
        await room.say("be brief from now on", skills=(SKILL,))
        await talk(room, 40)
        summary = await room.stores.summaries.latest("console:local")
        assert summary is not None
        assert summary.skills == (SKILL,)
        first = room.last_request[0]
        if room.generation.requests[-1].conversation.id.endswith(":summary"):
            await room.say("and?")
            first = room.last_request[0]
        assert isinstance(first, SystemTurn)
        assert SKILL.text in first.text
        stored = await room.stores.history.window("console:local", 500)
        assert len(stored.turns) > 80
        assert len(room.last_request) < len(stored.turns) / 2
        assert len(room.summary_requests) >= 2
        assert "<earlier_summary>" in room.summary_requests[-1]


async def test_the_scene_s_own_model_sums_up() -> None:
    """CORE-28, SET-8: whoever answers in a room also knows what was said there, and nobody else."""
    async with long_room(models=ChosenModel("small-and-local")) as room:
        await talk(room, 25)
        summed_up_by = [
            (await request.resolve_step(0)).endpoint.model
            for request in room.generation.requests
            if request.conversation.id.endswith(":summary")
        ]
    assert summed_up_by
    assert set(summed_up_by) == {"small-and-local"}


async def test_a_failed_summary_costs_nothing_but_the_attempt() -> None:
    """CORE-28."""
    broken: tuple[Scripted, ...] = (GenerationFailed("Try later.", reason="HTTP 500"),)
    async with long_room() as room:
        number = 0
        while not room.summary_requests:
            room.generation.scripts = [says("fine"), broken]
            assert await room.say(f"{number}: {WORDS}") == Answered()
            number += 1
            assert number < 40
        assert await room.stores.summaries.latest("console:local") is None
        assert await room.say("still there?") == Answered()


async def test_what_piled_up_while_summaries_failed_is_summed_up_part_by_part() -> None:
    """CORE-28: each request for a summary fits the model's window, too."""
    later: tuple[Scripted, ...] = (GenerationFailed("Later.", reason="HTTP 500"),)
    async with long_room() as room:
        for number in range(40):
            room.generation.scripts = [says("fine"), later]
            await room.say(f"{number}: {WORDS}")
        room.generation.scripts = []
        before = len(room.summary_requests)
        await talk(room, 8)
        asked = room.summary_requests[before:]
    assert len(asked) > 1
    assert "0: The quick" in asked[0]
    assert max(TokenEstimate().tokens(request) for request in asked) < 6_000 - 500


async def test_a_defect_of_the_summary_ends_nothing_else() -> None:
    """CORE-28, CORE-27: the work beside the conversation never takes the conversation along."""
    async with long_room() as room:
        number = 0
        while not room.summary_requests:
            room.generation.scripts = [says("fine"), (ZeroDivisionError("a defect"),)]
            assert await room.say(f"{number}: {WORDS}") == Answered()
            number += 1
            assert number < 40
        room.generation.scripts = []
        assert await room.say("still there?") == Answered()


async def test_a_reset_forgets_the_summary_too() -> None:
    """CORE-18, CORE-28."""
    async with long_room() as room:
        await talk(room, 25)
        assert await room.stores.summaries.latest("console:local") is not None
        await room.reset()
        await room.say("hello again")
        assert await room.stores.summaries.latest("console:local") is None
        assert [type(turn) for turn in room.last_request] == [UserTurn]


async def test_a_short_talk_is_never_summed_up() -> None:
    """CORE-28."""
    async with long_room() as room:
        for _ in range(20):
            await room.say("hm")
        assert room.summary_requests == []
        assert len(room.last_request) == 39
