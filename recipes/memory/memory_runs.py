"""What memory and notes add to a run: rules and index in the prompt, and the tools (MEM-1, MEM-7)."""

from collections.abc import Sequence

from core.conversation.content import Text
from core.conversation.turns import UserTurn
from recipes.memory.memory import Memory
from recipes.memory.note_tools import note_tools
from recipes.memory.notebook import Notebook
from recipes.memory.tools import memory_tools
from recipes.run_scene import RunAdditions, RunScene


class MemoryRuns:
    """One for the process."""

    def __init__(self, *, memory: Memory, notebook: Notebook) -> None:
        self._memory = memory
        self._notebook = notebook

    async def additions(self, scene: RunScene, turns: Sequence[UserTurn]) -> RunAdditions:
        """The index of the scene, the preferences of who speaks now, and the tools for both."""
        speakers = [turn.speaker for turn in turns if turn.speaker is not None]
        prompt = await self._memory.prompt_by_tools(scene, speakers)
        searchable = (await self._memory.listed(scene)).more
        turn_id = turns[-1].id if turns else None
        return RunAdditions(
            tools=(
                *memory_tools(self._memory, scene, searchable=searchable, turn_id=turn_id),
                *note_tools(self._notebook, scene, _said(turns)),
            ),
            memory_prompt=prompt,
        )


def _said(turns: Sequence[UserTurn]) -> str:
    """The people's words of this turn; what a notice says is nobody's."""
    spoken = (turn for turn in turns if turn.notice is None)
    return "\n".join(part.text for turn in spoken for part in turn.content if isinstance(part, Text))
