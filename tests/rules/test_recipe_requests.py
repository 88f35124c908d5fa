"""The prompt table of recipes and memory, row by row, as requests that can be read (REC-3, REC-14).

The requests stand in tests/data/recipe_requests/*.txt; `PARLEY_REWRITE_PROMPTS=1` writes them anew.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.run_extras import RunExtras
from bot.run_planner import ScenePlanner
from bot.token_estimates import ModelTokens
from core.context.registry import ContextRegistry
from core.conversation.content import Text
from core.conversation.continuation import ProtocolName
from core.conversation.turns import (
    Conversation,
    InvocationStatus,
    Notice,
    Round,
    ToolInvocation,
    ToolReference,
    Turn,
    UserTurn,
)
from core.generation.forced_calls import offered_in
from core.generation.native_stream import NativeStream
from core.generation.protocols.chat_projection import project_chat
from core.generation.protocols.responses_projection import project_responses
from core.generation.requests import ChatRequest, ModelEndpoint, ResponsesRequest, Step
from core.orchestration.run_ports import RunPlan
from core.orchestration.sends import SceneKind, Send, SendOptions
from core.prompts.profiles import FULL_PROFILE, SMALL_PROFILE, PromptProfile
from core.prompts.scene import RoomKind
from core.prompts.system_prompt import SystemPromptParts, compose_system_prompt
from core.tools.context import ToolContext
from recipes.decision_rules import judge_decision
from recipes.in_memory import RecipesInMemory
from recipes.library import RecipeLibrary
from recipes.memory.memory_runs import MemoryRuns
from recipes.memory.notebook import Notebook
from recipes.memory.notes_in_memory import NotesInMemory
from recipes.prompts import (
    compose_recipe_space_prompt,
    judgment_result,
    notice_source,
    skill_of,
    task_message,
    task_result,
)
from recipes.recipe import Recipe
from recipes.recipe_form import draft_of
from recipes.recipe_runs import RecipeRuns
from recipes.recipe_tasks import RecipeTask
from recipes.run_scene import Place, RunScene, Standing
from tests.memory_setup import GENERAL, MIA, SAM, new_memory, scene, telling
from tests.orchestration import CountedIds, KeptPlace, StillClock
from tests.personas import OnePersona
from tests.recipe_values import GUILD, LATE, decision, recipe
from tests.rules.test_composed_requests import EVENING, HISTORY, OneRoom, answered, said, spoke

REQUESTS = Path(__file__).parents[1] / "data" / "recipe_requests"
BRIEF = recipe(purpose="Short answers for hurried people.", keywords=("brief",))
DIG = recipe("dig", purpose="Long work.", steps="1. Dig for an hour.", background=True)
VERSE = recipe("verse", purpose="Poems on request.", steps="1. Rhyme.\n2. Four lines.")
JUDGE = decision("late", purpose="Whether it is late.", keywords=("hour",))


class Access:
    def __init__(self, standing: Standing) -> None:
        self._standing = standing

    async def place(self, session_id: str) -> Place:
        return GENERAL

    async def standing(self, place: Place, user_id: str) -> Standing:
        return self._standing


class OneKey:
    async def key_of(self, session_id: str) -> str:
        return "default"


class NobodyElse:
    async def members_may(self, guild_id: str) -> bool:
        return False


class Tasks:
    """Accepts whatever begins."""

    def __init__(self) -> None:
        self.begun: list[RecipeTask] = []

    def can_run(self) -> bool:
        return True

    async def begin(self, scene: RunScene, task: RecipeTask) -> str:
        self.begun.append(task)
        return "7k2m9p"


class NoCards:
    async def show(self, proposal: Recipe, place: Place) -> None:
        pass


async def extras(standing: Standing = Standing.OWNER, background: Tasks | None = None) -> RunExtras:
    """A library with a skill, a background skill, a decision and a proposal; a memory with two entries."""
    library = RecipeLibrary(store=RecipesInMemory(), clock=StillClock(), new_id=CountedIds())
    for one in (BRIEF, DIG, VERSE, JUDGE):
        await library.add(draft_of(one), scope=GUILD, author="1")
    await library.propose(draft_of(recipe("haiku")), scope=GUILD, author="1")
    memory = new_memory()
    await memory.remember(scene(), telling("cake", "Sam brings the cake."))
    await memory.remember(scene(), telling("short answers", preference=True))
    notes = NotesInMemory()
    recipes = RecipeRuns(library=library, members=NobodyElse(), notices=NoCards(), background=background)
    notebook = Notebook(store=notes, persons=notes, clock=StillClock())
    return RunExtras(
        access=Access(standing),
        personas=OneKey(),
        skills_of=recipes,
        domains=(recipes, MemoryRuns(memory=memory, notebook=notebook)),
    )


async def heard(found: RunExtras, turn: UserTurn) -> UserTurn:
    """The turn as it is stored: with what its words invoke."""
    words = "".join(part.text for part in turn.content if isinstance(part, Text))
    assert turn.speaker is not None
    return replace(turn, skills=await found.skills(GENERAL.session_id, turn.speaker, words))


async def planned(
    now: tuple[UserTurn, ...],
    *before: Turn,
    standing: Standing = Standing.OWNER,
    profile: PromptProfile = FULL_PROFILE,
    protocol: ProtocolName = ProtocolName.CHAT,
    background: Tasks | None = None,
) -> RunPlan:
    found = await extras(standing, background)
    turns = tuple([await heard(found, turn) if turn.speaker else turn for turn in now])
    history = tuple([await heard(found, one) if isinstance(one, UserTurn) else one for one in before])
    planner = ScenePlanner(
        endpoint=ModelEndpoint(protocol=protocol, provider="p", base_url="http://m/v1", model="plain-model"),
        profile=profile,
        personas=OnePersona(),
        directory=OneRoom(RoomKind.TEXT_CHANNEL),
        tokens=ModelTokens(),
        context=ContextRegistry(),
        overheard=None,
        context_tokens=32_000,
        max_tokens=None,
        compaction=None,
        extras=found,
    )
    send = Send(
        session_id=GENERAL.session_id,
        generation=0,
        reply_id="reply:1",
        turns=turns,
        place=KeptPlace(),
        options=SendOptions(scene=SceneKind.DISCORD),
    )
    conversation = Conversation(id=GENERAL.session_id, turns=(*history, *turns))
    return await planner.plan(send, conversation, "run_1")


def body_of(plan: RunPlan, step: Step, rounds: Sequence[Round] = ()) -> dict[str, Any]:
    request = NativeStream(plan.request).request_for(step, offered_in(step, step.tools), rounds)
    match request:
        case ChatRequest():
            return dict(project_chat(request, {}).body)
        case ResponsesRequest():
            return dict(project_responses(request, {}).body)


def readable(body: dict[str, Any], *, prompt_from: str | None = None) -> str:
    """The request as text: messages whole, tools by name, of two the description; no schemas.

    The system prompt is cut to what follows `prompt_from`; the rest of it has snapshots of its own.
    """
    shown = json.loads(json.dumps(body))
    functions = [tool.get("function", tool) for tool in shown.pop("tools", [])]
    told = {tool["name"]: tool["description"] for tool in functions}
    for message in shown.get("messages", []):
        if message["role"] == "system":
            message["content"] = _from(message["content"], prompt_from)
    if "instructions" in shown:
        shown["instructions"] = _from(shown["instructions"], prompt_from)
    text = json.dumps(shown, indent=1, ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"')
    lines = [f"--- {name} ---\n{told[name]}" for name in told if name.startswith("builtIn_")]
    others = ", ".join(name for name in told if not name.startswith("builtIn_"))
    return "\n\n".join((text, *lines, f"--- other tools ---\n{others}")) + "\n"


def _from(prompt: str, start: str | None) -> str:
    return "(the system prompt)" if start is None else f"...\n{prompt[prompt.index(start) :]}"


async def first(plan: RunPlan) -> dict[str, Any]:
    return body_of(plan, await plan.request.resolve_step(0))


async def memory_and_recipes() -> str:
    plan = await planned((said(5, "And when exactly?"),), *HISTORY)
    return readable(await first(plan), prompt_from="# What you remember")


async def memory_and_recipes_responses() -> str:
    plan = await planned((said(5, "And when exactly?"),), *HISTORY, protocol=ProtocolName.RESPONSES)
    return readable(await first(plan), prompt_from="# What you remember")


async def somebody_else_speaks() -> str:
    plan = await planned((said(5, "brief: when exactly?", SAM),), standing=Standing.MANAGER)
    return readable(await first(plan), prompt_from="# What you remember")


async def a_member_speaks() -> str:
    plan = await planned((said(5, "brief, at which hour?", SAM),), standing=Standing.MEMBER)
    return readable(await first(plan))


async def skill_by_keyword() -> str:
    return readable(await first(await planned((said(5, "be brief: what now?"),))))


async def skill_in_a_later_turn() -> str:
    earlier = (said(0, "be brief: what now?"), answered(1, spoke("Cake.")))
    return readable(await first(await planned((said(5, "and then?"),), *earlier)))


async def background_by_keyword() -> str:
    return readable(await first(await planned((said(5, "dig here"),))))


async def background_begun_by_keyword() -> str:
    """Where tasks run: the line, and what the task is told."""
    tasks = Tasks()
    plan = await planned((said(5, "dig here"),), background=tasks)
    composed = readable(await first(plan))
    assert plan.begins is not None
    await plan.begins()
    (begun,) = tasks.begun
    return f"{composed}\n--- the task message of {begun.recipe.name} ---\n{begun.message}\n"


async def decision_by_keyword() -> str:
    return readable(await first(await planned((said(5, "which hour is it?"),))))


async def decision_by_keyword_responses() -> str:
    plan = await planned((said(5, "which hour is it?"),), protocol=ProtocolName.RESPONSES)
    return readable(await first(plan))


async def decision_judged() -> str:
    """The second request of that turn: the result, and the tools of every other request."""
    plan = await planned((said(5, "which hour is it?"),))
    step = await plan.request.resolve_step(0)
    (judge,) = offered_in(step, step.tools)
    context = ToolContext(conversation_id="c", run_id="r", speaker=MIA)
    result = await judge.handler(judge.arguments(answer=4), context)
    call = ToolInvocation(
        id="call_1",
        provider_call_id="call_1",
        name=judge.name,
        arguments='{"answer": 4}',
        result=result,
        status=InvocationStatus.COMPLETED,
        started_at=EVENING,
        finished_at=EVENING,
    )
    judged = Round(content=(ToolReference(invocation_id="call_1"),), invocations=(call,))
    return readable(body_of(plan, await plan.request.resolve_step(1), [judged]))


async def small_model() -> str:
    plan = await planned((said(5, "be brief: what now?"),), profile=SMALL_PROFILE)
    return readable(await first(plan))


async def recipe_space() -> str:
    """The session of a task: its recipe stands in the system prompt, after the identity."""
    prompt = compose_system_prompt(SystemPromptParts(recipe_space=compose_recipe_space_prompt(DIG)))
    return prompt[prompt.index("You run the recipe") :] + "\n"


async def task_messages() -> str:
    by_tool = "Dig under the old oak and list what you find."
    return f"from a keyword: {task_message('dig here')}\nfrom the tool: {by_tool}\n"


async def task_result_as_notice() -> str:
    result = task_result("dig", "An old coin.\nTwo bones.")
    notice = UserTurn(
        id="t8",
        at=EVENING,
        content=(Text(text=result),),
        notice=Notice(source=notice_source("dig"), silence_allowed=True),
    )
    return readable(await first(await planned((notice,))))


ROWS = {
    row.__name__: row
    for row in (
        memory_and_recipes,
        memory_and_recipes_responses,
        somebody_else_speaks,
        a_member_speaks,
        skill_by_keyword,
        skill_in_a_later_turn,
        background_by_keyword,
        background_begun_by_keyword,
        decision_by_keyword,
        decision_by_keyword_responses,
        decision_judged,
        small_model,
        recipe_space,
        task_messages,
        task_result_as_notice,
    )
}


@pytest.mark.parametrize("name", ROWS)
async def test_each_row_of_the_prompt_table_is_as_it_was_read_and_approved(name: str) -> None:
    """REC-3, REC-8, REC-13, REC-14, MEM-1, MEM-3."""
    composed = await ROWS[name]()
    snapshot = REQUESTS / f"{name}.txt"
    if os.environ.get("PARLEY_REWRITE_PROMPTS"):
        snapshot.parent.mkdir(parents=True, exist_ok=True)
        snapshot.write_text(composed, encoding="utf-8")
    assert composed == snapshot.read_text(encoding="utf-8")


def test_every_snapshot_is_still_composed() -> None:
    assert {path.stem for path in REQUESTS.glob("*.txt")} == set(ROWS)


@pytest.mark.parametrize("text", ["hello", "brief", "dig", "hour", "verse"])
async def test_steps_never_enter_the_system_prompt_of_a_conversation(text: str) -> None:
    """REC-3: whatever was invoked; nor do questions and answers of decisions."""
    body = await first(await planned((said(5, text),)))
    prompt = body["messages"][0]["content"]
    for one in (BRIEF, DIG, VERSE):
        assert one.steps not in prompt
        assert one.name not in prompt.replace("You are brief", "")
    assert LATE.question not in prompt


async def test_before_it_is_judged_nothing_tells_what_an_answer_leads_to() -> None:
    """REC-3, REC-4."""
    body = str(await first(await planned((said(5, "which hour?"),))))
    assert "Whisper" not in body
    assert "verse" not in body


async def test_a_judgment_names_the_next_step_that_code_chose() -> None:
    """REC-4: one result for each of the four actions, and for a default."""
    told = [
        judgment_result("late", judge_decision(LATE, picked), steps="1. Rhyme.") for picked in (1, 2, 3, 4)
    ]
    assert [text.splitlines()[1] for text in told] == [
        "Next: reply as usual.",
        "Next: stay quiet. Nothing is posted.",
        "Next: reply with this in mind: Whisper: no capitals.",
        'Next: follow the steps of the recipe "verse" in this reply:',
    ]
    default = judgment_result("late", judge_decision(LATE, None))
    assert default.startswith('Decided "late": No answer was picked, so the default counts: 3. A little')
    gone = judgment_result("late", judge_decision(LATE, 4))
    assert gone.endswith('Next: reply as usual; the recipe "verse" is not there any more.')


async def test_a_background_skill_will_say_that_it_has_begun_once_it_can_run() -> None:
    """REC-3, REC-8: the same place, the other line."""
    runs = skill_of(DIG, by_owner=True, runs_in_background=True)
    assert runs.text == "It runs in the background: reply briefly that it has begun, and do not do its task."


async def test_people_who_write_together_have_the_standing_of_the_least() -> None:
    """REC-3: a member's words do not reach the owner's recipes by joining the owner's message."""

    class Mixed(Access):
        async def standing(self, place: Place, user_id: str) -> Standing:
            return Standing.OWNER if user_id == MIA.id else Standing.MEMBER

    found = replace(await extras(), access=Mixed(Standing.MEMBER))
    both = await found.of_run(GENERAL.session_id, (said(1, "use brief", SAM), said(2, "yes")))
    alone = await found.of_run(GENERAL.session_id, (said(2, "yes"),))
    assert "builtIn_useRecipe" not in [tool.name for tool in both.tools]
    assert "builtIn_useRecipe" in [tool.name for tool in alone.tools]
