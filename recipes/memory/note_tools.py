"""The tools of notes: add, show, remove, clear, drop (MEM-7)."""

from typing import Any, Final

from pydantic import BaseModel, Field

from core.tools.context import ToolContext
from core.tools.policies import ToolPolicy
from core.tools.tool import AnyTool, Tool, ToolFailed
from recipes.memory.note_rules import wants_destruction
from recipes.memory.notebook import Notebook, NotesRefused, ShownList
from recipes.run_scene import RunScene
from recipes.spaces import reach_of

ADD: Final = "notes_add"
SHOW: Final = "notes_show"
REMOVE: Final = "notes_remove"
CLEAR: Final = "notes_clear"
DROP: Final = "notes_drop"
_NOT_ASKED: Final = "Nobody asked for that in this turn. Ask first, in words that name the list."


class ListArguments(BaseModel):
    """Which list."""

    list: str = Field(description="The name of the list.")


class ShowArguments(BaseModel):
    """Which list, or all names."""

    list: str = Field(default="", description="The name of the list; empty for the names of all lists.")


class AddArguments(ListArguments):
    """What to add."""

    items: list[str] = Field(description="The items, each by itself.")


class RemoveArguments(ListArguments):
    """What to take out."""

    item: str = Field(description="The item, or a piece of it.")


def note_tools(notebook: Notebook, scene: RunScene, said: str) -> tuple[AnyTool, ...]:
    """The tools of one run; `said` are the people's own words of this turn."""
    space = reach_of(scene.place).own
    by = None if scene.speaker is None else scene.speaker.id

    async def add(arguments: AddArguments, _context: ToolContext) -> str:
        return _as_text(await notebook.add(space, arguments.list, arguments.items, by=by))

    async def show(arguments: ShowArguments, _context: ToolContext) -> str:
        if arguments.list.strip():
            return _as_text(await notebook.show(space, arguments.list))
        names = [f"- {one.name}" for one in await notebook.lists(space)]
        return "\n".join(names) if names else "There are no lists here yet."

    async def remove(arguments: RemoveArguments, _context: ToolContext) -> str:
        shown, gone = await notebook.remove(space, arguments.list, arguments.item)
        return f'Removed "{gone}".\n{_as_text(shown)}'

    async def clear(arguments: ListArguments, _context: ToolContext) -> str:
        kept, count = await notebook.clear(space, arguments.list)
        return f'Cleared "{kept.name}": {count} items are gone.'

    async def drop(arguments: ListArguments, _context: ToolContext) -> str:
        return f'Dropped the list "{(await notebook.drop(space, arguments.list)).name}".'

    async def permit(_context: ToolContext, _arguments: Any) -> str | None:
        return None if wants_destruction(said) else _NOT_ASKED

    destructive = ToolPolicy(permit=permit)
    return (
        _tool(ADD, "Add items to a list of notes; a new name makes a new list.", AddArguments, add),
        _tool(SHOW, "Show a list of notes, or the names of all lists.", ShowArguments, show),
        _tool(REMOVE, "Take one item out of a list of notes.", RemoveArguments, remove),
        _tool(CLEAR, "Take every item out of a list of notes.", ListArguments, clear, destructive),
        _tool(DROP, "Take a whole list of notes away.", ListArguments, drop, destructive),
    )


def _tool(
    name: str, description: str, arguments: type[BaseModel], work: Any, policy: ToolPolicy | None = None
) -> AnyTool:
    async def handler(given: Any, context: ToolContext) -> str:
        try:
            return await work(given, context)
        except NotesRefused as refused:
            raise ToolFailed(str(refused)) from refused

    return Tool(
        name=name,
        description=description,
        arguments=arguments,
        handler=handler,
        policy=policy or ToolPolicy(),
    )


def _as_text(shown: ShownList) -> str:
    lines = [f'"{shown.about.name}":', *(f"- {item.text}" for item in shown.items)]
    return "\n".join(lines) if shown.items else f'"{shown.about.name}" is empty.'
