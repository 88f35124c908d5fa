"""The tools of memory: read, write, forget, and search where not everything is listed (MEM-1, MEM-4).

They are made for one run, whose scene they close over.
"""

from typing import Literal

from pydantic import BaseModel, Field

from core.tools.context import ToolContext
from core.tools.tool import AnyTool, Tool, ToolFailed
from recipes.memory.entries import MOST_SUMMARY, MOST_TITLE
from recipes.memory.memory import Memory, Telling
from recipes.memory.memory_rules import MemoryRefused
from recipes.memory.prompts import entry_text, found_entries
from recipes.memory.tool_names import FORGET, READ, SEARCH, WRITE
from recipes.run_scene import RunScene


class ReadArguments(BaseModel):
    """Which entry."""

    entry: str = Field(description="The id of the entry, such as m12.")


class WriteArguments(BaseModel):
    """A new entry, or a change of one."""

    mode: Literal["append", "replace"] = Field(
        default="append",
        description="append: a new entry, or one more line of one; replace: a fragment of one.",
    )
    entry: str = Field(default="", description="The id of the entry to change; empty for a new one.")
    text: str = Field(description="What to remember, one fact, understandable by itself.")
    fragment: str = Field(
        default="", description="replace: the piece of the entry's text that text replaces."
    )
    title: str = Field(default="", description=f"A new entry's title, at most {MOST_TITLE} characters.")
    summary: str = Field(default="", description=f"Its line in the index, at most {MOST_SUMMARY} characters.")
    kind: Literal["fact", "preference"] = Field(
        default="fact", description="preference: how the person who speaks wants to be addressed or answered."
    )


class SearchArguments(BaseModel):
    """What is looked for."""

    query: str = Field(description="A few words, in the language in which it was told.")


def memory_tools(
    memory: Memory, scene: RunScene, *, searchable: bool, turn_id: str | None
) -> tuple[AnyTool, ...]:
    """The tools of one run; `turn_id` is what new entries come from."""
    tools = [_read(memory, scene), _write(memory, scene, turn_id), _forget(memory, scene)]
    return (*tools, _search(memory, scene)) if searchable else tuple(tools)


def _read(memory: Memory, scene: RunScene) -> AnyTool:
    async def read(arguments: ReadArguments, _context: ToolContext) -> str:
        try:
            return entry_text(await memory.read(scene, arguments.entry))
        except MemoryRefused as refused:
            raise ToolFailed(str(refused)) from refused

    description = "Read one entry of what you remember, whole."
    return Tool(name=READ, description=description, arguments=ReadArguments, handler=read)


def _write(memory: Memory, scene: RunScene, turn_id: str | None) -> AnyTool:
    async def write(arguments: WriteArguments, _context: ToolContext) -> str:
        try:
            return await _written(memory, scene, arguments, turn_id)
        except MemoryRefused as refused:
            raise ToolFailed(f"Nothing was changed. {refused}") from refused

    description = (
        "Remember something: a new entry with title, summary and text; or, with the id of an entry, one more "
        "line of it or a fragment of it replaced."
    )
    return Tool(name=WRITE, description=description, arguments=WriteArguments, handler=write)


async def _written(memory: Memory, scene: RunScene, arguments: WriteArguments, turn_id: str | None) -> str:
    if arguments.mode == "replace":
        entry = await memory.replace(
            scene, arguments.entry, arguments.fragment, arguments.text, summary=arguments.summary
        )
        return f"Changed {entry.id}."
    if arguments.entry.strip():
        entry = await memory.append(scene, arguments.entry, arguments.text, summary=arguments.summary)
        return f"Appended to {entry.id}."
    telling = Telling(
        title=arguments.title,
        summary=arguments.summary,
        text=arguments.text,
        preference=arguments.kind == "preference",
        turn_id=turn_id,
    )
    entry = await memory.remember(scene, telling)
    return f"Remembered as {entry.id}."


def _forget(memory: Memory, scene: RunScene) -> AnyTool:
    async def forget(arguments: ReadArguments, _context: ToolContext) -> str:
        try:
            entry = await memory.forget(scene, arguments.entry)
        except MemoryRefused as refused:
            raise ToolFailed(f"Nothing was forgotten. {refused}") from refused
        return f"Forgot {entry.id}."

    description = "Forget one entry: it is wrong, or somebody asked for it."
    return Tool(name=FORGET, description=description, arguments=ReadArguments, handler=forget)


def _search(memory: Memory, scene: RunScene) -> AnyTool:
    async def search(arguments: SearchArguments, _context: ToolContext) -> str:
        return found_entries(await memory.search(scene, arguments.query))

    description = "Search what you remember here beyond the index; gives index lines."
    return Tool(name=SEARCH, description=description, arguments=SearchArguments, handler=search)
