"""What recall adds to a run: one tool, where there is more than a prompt holds anyway (TASK-33)."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, Field

from core.conversation.turns import UserTurn
from core.tools.context import ToolContext
from core.tools.policies import RepeatPolicy, ToolPolicy
from core.tools.tool import AnyTool, Tool
from recipes.recall.recall_rules import best_of, told, words_to_find
from recipes.run_scene import RunAdditions, RunScene
from sessions.past_turns import PastTurns

OFFERED_FROM: Final = 30
"""Turns: as many stand in the prompt of any model."""

_LOOKED_AT: Final = 300
_ASKED_EVERY: Final = 10
_HELD: Final = 4_096


class RecallArguments(BaseModel):
    """What to look for."""

    words: str = Field(
        min_length=1, max_length=300, description="The words that were said then, in the language of then."
    )


class RecallRuns:
    """One for the process."""

    def __init__(self, past: PastTurns) -> None:
        self._past = past
        self._runs: OrderedDict[str, int] = OrderedDict()
        self._long: OrderedDict[str, None] = OrderedDict()

    async def additions(self, scene: RunScene, turns: Sequence[UserTurn]) -> RunAdditions:
        """The tool of a scene that has a past; it finds what was said in this scene and nowhere else."""
        if scene.speaker is None or not await self._has_past(scene.place.session_id):
            return RunAdditions()
        now = frozenset(turn.id for turn in turns)
        return RunAdditions(tools=(self._tool(scene.place.session_id, now),))

    def _tool(self, session_id: str, now: frozenset[str]) -> AnyTool:
        async def recall(arguments: RecallArguments, _context: ToolContext) -> str:
            words = words_to_find(arguments.words)
            past = await self._past.holding(session_id, words, _LOOKED_AT)
            found = best_of([one for one in past if one.turn.id not in now], words)
            return "\n".join(told(one.turn) for one in found) or "Nothing of that was said here."

        return Tool(
            name="recall",
            description=(
                "Find what was said earlier in this very conversation, word for word, when somebody refers "
                "to something that you do not see any more."
            ),
            arguments=RecallArguments,
            handler=recall,
            policy=ToolPolicy(repeat=RepeatPolicy.SAME_RESULT),
        )

    async def _has_past(self, session_id: str) -> bool:
        """Looked up at times only: a conversation gets long once."""
        if session_id in self._long:
            self._long.move_to_end(session_id)
            return True
        runs = self._runs.pop(session_id, 0)
        if runs % _ASKED_EVERY == 0 and await self._past.is_longer_than(session_id, OFFERED_FROM):
            self._long[session_id] = None
        else:
            self._runs[session_id] = runs + 1
        for held in (self._runs, self._long):
            while len(held) > _HELD:
                held.popitem(last=False)
        return session_id in self._long
