"""Which tools there are: registered by a writer, gone with it (CORE-17, CORE-40, CORE-41)."""

from core.tools.context import ToolContext
from core.tools.tool import AnyTool


class ToolRegistry:
    """Tools by name, in the order in which they came."""

    def __init__(self) -> None:
        self._tools: dict[str, tuple[str, AnyTool]] = {}

    def register(self, tool: AnyTool, *, writer: str) -> None:
        """Add `tool` for `writer`, the module that it leaves with.

        Raises:
            ValueError: the name is taken.
        """
        if tool.name in self._tools:
            raise ValueError(f"there is already a tool {tool.name!r}, of {self._tools[tool.name][0]!r}")
        self._tools[tool.name] = (writer, tool)

    def remove_writer(self, writer: str) -> None:
        """Take out every tool of a module that leaves."""
        self._tools = {name: entry for name, entry in self._tools.items() if entry[0] != writer}

    def available(self, context: ToolContext) -> tuple[AnyTool, ...]:
        """The tools that may be offered now. What is left out here is refused at call time as well."""
        return tuple(tool for _, tool in self._tools.values() if tool.is_available(context))
