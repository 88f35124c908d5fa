"""The portable content of a round in a form that every server can read again."""

import re

from core.conversation.turns import Authority, Refusal, ReplyText, Round, SystemTurn, ToolInvocation
from core.generation.protocols.json_access import is_object_text

_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64


def portable_text(round_: Round) -> str:
    """What the model said, a refusal included; reasoning stays with who reasoned."""
    return "".join(part.text for part in round_.content if isinstance(part, ReplyText | Refusal))


def callable_name(name: str) -> str:
    """`name` as both protocols take one; a model may invent one that they refuse."""
    return _NOT_IN_A_NAME.sub("_", name)[:_LONGEST_NAME] or "unknown"


def object_text(arguments: str) -> str:
    """`arguments` when they are a JSON object, else an empty one: some servers parse them again."""
    return arguments if is_object_text(arguments) else "{}"


def result_as_context(invocation: ToolInvocation) -> SystemTurn:
    """A result for a model that knows no tools."""
    return SystemTurn(
        id=invocation.id,
        authority=Authority.CONTEXT,
        text=invocation.result,
        writer=f"tool {callable_name(invocation.name)}",
    )
