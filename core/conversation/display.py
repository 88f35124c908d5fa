"""A conversation as people and logs may see it: text only (CORE-26).

Images, recordings, files and tool results become labels. Paths, addresses, provider ids, native items,
reasoning, tool arguments and tool results have no way into it.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from core.conversation.content import Audio, File, Image, Text, UserContent
from core.conversation.turns import (
    AssistantTurn,
    Authority,
    Citation,
    Conversation,
    ReasoningSummary,
    Refusal,
    ReplyText,
    Round,
    SystemTurn,
    ToolReference,
    Turn,
    UserTurn,
)


class DisplayRole(StrEnum):
    """Whose words a displayed turn holds."""

    PERSON = "person"
    NOTICE = "notice"
    ASSISTANT = "assistant"
    INSTRUCTION = "instruction"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayTurn:
    """`author` is a person's name, a notice's source or a context's writer; empty where there is none."""

    turn_id: str
    role: DisplayRole
    author: str
    text: str
    interrupted: bool = False


def display(conversation: Conversation) -> tuple[DisplayTurn, ...]:
    """Every turn in order."""
    return tuple(display_turn(turn) for turn in conversation.turns)


def display_turn(turn: Turn) -> DisplayTurn:
    """One turn as text and labels."""
    match turn:
        case UserTurn():
            return _user(turn)
        case SystemTurn():
            role = DisplayRole.CONTEXT if turn.authority is Authority.CONTEXT else DisplayRole.INSTRUCTION
            return DisplayTurn(turn_id=turn.id, role=role, author=turn.writer or "", text=turn.text)
        case AssistantTurn():
            rounds = (_round(round_) for round_ in turn.rounds)
            return DisplayTurn(
                turn_id=turn.id,
                role=DisplayRole.ASSISTANT,
                author="",
                text="\n".join(text for text in rounds if text),
                interrupted=turn.interrupted,
            )
        case _:
            assert_never(turn)


def label(part: UserContent) -> str:
    """The text of a text part; for any other part a label in brackets, on one line."""
    match part:
        case Text():
            return part.text
        case Image():
            return _label("image", part.caption)
        case Audio():
            return _label("audio", part.transcript)
        case File():
            return _label("file", part.name)
        case _:
            assert_never(part)


def _user(turn: UserTurn) -> DisplayTurn:
    lines = [label(part) for part in turn.content]
    lines += [_label("skill", skill.name) for skill in turn.skills]
    if turn.notice is not None:
        role, author = DisplayRole.NOTICE, turn.notice.source
    else:
        role, author = DisplayRole.PERSON, turn.speaker.name if turn.speaker is not None else ""
    return DisplayTurn(
        turn_id=turn.id, role=role, author=author, text="\n".join(line for line in lines if line)
    )


def _round(round_: Round) -> str:
    """Pieces of text run on, as the model wrote them; a label has a line of its own."""
    invocations = {invocation.id: invocation for invocation in round_.invocations}
    lines: list[str] = []
    running = ""
    for part in round_.content:
        match part:
            case ReplyText() | Refusal():
                running += part.text
            case ToolReference():
                invocation = invocations[part.invocation_id]
                lines += [running, _label(f"tool {invocation.name}", invocation.status.value)]
                running = ""
            case ReasoningSummary() | Citation():
                pass
            case _:
                assert_never(part)
    return "\n".join(line for line in (*lines, running) if line)


def _label(kind: str, detail: str | None) -> str:
    described = " ".join((detail or "").replace("[", "(").replace("]", ")").split())
    return f"[{kind}: {described}]" if described else f"[{kind}]"
