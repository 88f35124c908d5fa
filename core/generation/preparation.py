"""What a model cannot take becomes words or is left out, in a copy of the conversation (CORE-16, CORE-46)."""

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


def prepare_for_small_model(conversation: Conversation, able_to: Capabilities) -> Conversation:
    """The same without the name of a person who is alone in it: such a model copies it, and little else."""
    prepared = prepare_for_model(conversation, able_to)
    speakers = {turn.speaker.id for turn in prepared.turns if isinstance(turn, UserTurn) and turn.speaker}
    if len(speakers) > 1:
        return prepared
    return replace(prepared, turns=tuple(map(_unnamed, prepared.turns)))


def _unnamed(turn: Turn) -> Turn:
    """A skill that was not the owner's keeps its turn's name, which says whose it was."""
    if not isinstance(turn, UserTurn) or not all(skill.by_owner for skill in turn.skills):
        return turn
    return replace(turn, speaker=None)


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
