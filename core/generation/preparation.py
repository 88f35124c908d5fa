"""Media that a model cannot take become words, in a copy of the conversation (CORE-16)."""

from dataclasses import replace
from typing import assert_never

from core.conversation.content import Audio, File, Image, Text, UserContent
from core.conversation.turns import Conversation, Turn, UserTurn
from core.generation.capabilities import Capabilities


def prepare_for_model(conversation: Conversation, able_to: Capabilities) -> Conversation:
    """A copy that holds only what the model takes; the same object when nothing has to change."""
    turns = tuple(_prepared(turn, able_to) for turn in conversation.turns)
    if all(new is old for new, old in zip(turns, conversation.turns, strict=True)):
        return conversation
    return replace(conversation, turns=turns)


def _prepared(turn: Turn, able_to: Capabilities) -> Turn:
    if not isinstance(turn, UserTurn) or all(isinstance(part, Text) for part in turn.content):
        return turn
    return replace(turn, content=tuple(_adapted(part, able_to) for part in turn.content))


def _adapted(part: UserContent, able_to: Capabilities) -> UserContent:
    match part:
        case Text():
            return part
        case Image():
            return part if able_to.images else Text(text=image_label(part))
        case Audio():
            return part if able_to.audio else Text(text=audio_label(part))
        case File():
            return part if able_to.files else Text(text=file_label(part))
        case _:
            assert_never(part)


def image_label(image: Image) -> str:
    """Words in place of a picture."""
    return f"[image: {image.caption}]" if image.caption else "[image]"


def audio_label(audio: Audio) -> str:
    """Words in place of a recording: what was said in it, when that is known."""
    return f"[audio, transcribed: {audio.transcript}]" if audio.transcript else "[audio without a transcript]"


def file_label(file: File) -> str:
    """Words in place of an attachment."""
    return f"[file: {file.name}]"
