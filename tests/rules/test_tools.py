"""Tools as values, and the registry that holds them."""

import pytest

from core.tools.context import ToolContext
from core.tools.policies import ToolPolicy
from core.tools.registry import ToolRegistry
from core.tools.tool import Tool
from tests.generation_setup import NoArguments, counting_tool

CONTEXT = ToolContext(conversation_id="c", run_id="r")


def test_tools_come_in_the_order_of_registration_and_go_with_their_writer() -> None:
    """CORE-17, CORE-40: nothing of a module that left is offered."""
    registry = ToolRegistry()
    tools = [counting_tool(name)[0] for name in ("c", "a", "b")]
    for tool, writer in zip(tools, ("core", "search", "core"), strict=True):
        registry.register(tool, writer=writer)
    assert registry.available(CONTEXT) == tuple(tools)
    registry.remove_writer("search")
    assert registry.available(CONTEXT) == (tools[0], tools[2])
    registry.register(tools[1], writer="search")
    assert registry.available(CONTEXT) == (tools[0], tools[2], tools[1])


def test_a_name_is_taken_once() -> None:
    """CORE-17."""
    registry = ToolRegistry()
    registry.register(counting_tool("dice")[0], writer="core")
    with pytest.raises(ValueError, match="already a tool 'dice', of 'core'"):
        registry.register(counting_tool("dice")[0], writer="search")


def test_an_unavailable_tool_is_left_out() -> None:
    """CORE-41: decided for each conversation at the moment of asking."""
    registry = ToolRegistry()

    async def handler(_arguments: NoArguments, _context: ToolContext) -> str:
        return ""

    def only_in_c(context: ToolContext) -> bool:
        return context.conversation_id == "c"

    tool = Tool(
        name="here",
        description="",
        arguments=NoArguments,
        handler=handler,
        policy=ToolPolicy(available=only_in_c),
    )
    registry.register(tool, writer="core")
    assert registry.available(CONTEXT) == (tool,)
    assert registry.available(ToolContext(conversation_id="d", run_id="r")) == ()


@pytest.mark.parametrize("name", ["", "two words", "x" * 65, "würfel", "a.b"])
def test_a_name_that_a_provider_would_refuse_is_refused_here(name: str) -> None:
    """CORE-17."""
    with pytest.raises(ValueError, match="a tool's name"):
        counting_tool(name)
