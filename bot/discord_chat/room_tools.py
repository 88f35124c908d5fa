"""What a reply may do in its room beside words: react, ask by poll, hand out a file, speak (TEXT-5).

The tools are made for one run and reach the channel of that run alone. A post has a nonce of its own, so that
a call which is repeated after a crash posts nothing twice (TEXT-11).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Annotated, Final

from pydantic import BaseModel, Field

from bot.discord_chat.channels import Channels, NewPoll, Post
from bot.discord_chat.delivery_errors import DeliveryError
from bot.discord_chat.incoming_message import message_id_of
from bot.discord_chat.voice_messages import VoiceMessages
from core.conversation.turns import UserTurn
from core.tools.context import ToolContext
from core.tools.policies import RepeatPolicy, ToolPolicy
from core.tools.tool import AnyTool, Tool, ToolFailed, TurnOver
from recipes.run_scene import RunAdditions, RunScene
from sessions.outbox_rules import nonce_for
from voice import (
    SpeechFailed,
)

REACT: Final = "discord_react"
POLL: Final = "discord_poll"
FILE: Final = "discord_file"
VOICE: Final = "discord_voice"
_FIRST_NUMBER: Final = 60
"""Numbers of posts from here on belong to tools: a reply has at most 50 messages."""
_MOST_POSTS: Final = 5
_ONCE: Final = ToolPolicy(repeat=RepeatPolicy.REFUSE)

PollAnswer = Annotated[str, Field(min_length=1, max_length=55)]


class ReactArguments(BaseModel):
    """Which sign, and whether it is the whole answer."""

    emoji: str = Field(min_length=1, max_length=16, description="One standard emoji, such as 👍.")
    instead_of_words: bool = Field(
        default=False, description="The sign is the whole answer: nothing is written."
    )


class PollArguments(BaseModel):
    """A poll as Discord shows it."""

    question: str = Field(min_length=1, max_length=300)
    answers: list[PollAnswer] = Field(min_length=2, max_length=10)
    hours: int = Field(default=24, ge=1, le=768, description="How long it is open.")
    several: bool = Field(default=False, description="Whether a person may choose several answers.")


class FileArguments(BaseModel):
    """A text file."""

    name: str = Field(
        min_length=1, max_length=80, description="With its ending, such as plan.md or data.csv."
    )
    content: str = Field(min_length=1, max_length=200_000)


class VoiceArguments(BaseModel):
    """What is said."""

    text: str = Field(min_length=1, max_length=2_000, description="What is said, as Markdown.")
    instead_of_words: bool = Field(
        default=False, description="The voice message is the whole answer: nothing is written."
    )


class RoomTools:
    """The `RunDomain` of Discord itself; speech is offered where there is a voice."""

    def __init__(self, channels: Channels, voice: VoiceMessages) -> None:
        self._channels = channels
        self._voice = voice

    async def additions(self, scene: RunScene, turns: Sequence[UserTurn]) -> RunAdditions:
        """The tools, where a message of the channel is answered."""
        asked = [number for turn in turns if (number := message_id_of(turn.id)) is not None]
        if scene.place.channel_id is None or not asked:
            return RunAdditions()
        room = _Room(
            channels=self._channels,
            voice=self._voice,
            channel_id=int(scene.place.channel_id),
            question_id=asked[-1],
        )
        return RunAdditions(tools=(*room.tools(), *room.spoken_tools()))


@dataclass(slots=True, kw_only=True)
class _Room:
    """The channel of one run."""

    channels: Channels
    voice: VoiceMessages
    channel_id: int
    question_id: int
    posts: list[None] = field(default_factory=list[None])

    def tools(self) -> tuple[AnyTool, ...]:
        return (
            Tool(
                name=REACT,
                description="React to the message that you answer, as a quick sign that needs no words.",
                arguments=ReactArguments,
                handler=self._react,
                policy=_ONCE,
            ),
            Tool(
                name=POLL,
                description="Post a poll in this channel, when people ask for one.",
                arguments=PollArguments,
                handler=self._poll,
                policy=_ONCE,
            ),
            Tool(
                name=FILE,
                description="Post a text file in this channel, when people want something as a file.",
                arguments=FileArguments,
                handler=self._file,
                policy=_ONCE,
            ),
        )

    def spoken_tools(self) -> tuple[AnyTool, ...]:
        if not self.voice.can_speak:
            return ()
        return (
            Tool(
                name=VOICE,
                description="Post a voice message in this channel, when people ask for something as speech.",
                arguments=VoiceArguments,
                handler=self._say,
                policy=_ONCE,
            ),
        )

    async def _react(self, arguments: ReactArguments, _context: ToolContext) -> str:
        try:
            await self.channels.react(self.channel_id, self.question_id, arguments.emoji.strip())
        except DeliveryError as error:
            raise ToolFailed("Discord did not take the reaction.") from error
        if arguments.instead_of_words:
            raise TurnOver("Reacted.")
        return "Reacted."

    async def _poll(self, arguments: PollArguments, _context: ToolContext) -> str:
        poll = NewPoll(
            question=arguments.question,
            answers=tuple(arguments.answers),
            hours=arguments.hours,
            several=arguments.several,
        )
        try:
            await self.channels.post_poll(self.channel_id, poll, nonce=self._nonce())
        except DeliveryError as error:
            raise ToolFailed("Discord did not take the poll; Send Polls may be missing.") from error
        return "The poll is posted."

    async def _file(self, arguments: FileArguments, _context: ToolContext) -> str:
        post = Post(text="", nonce=self._nonce(), ping_replied_user=False)
        name = PurePath(arguments.name.replace("\\", "/")).name or "file.txt"
        try:
            await self.channels.post_file(
                self.channel_id, post, name=name, content=arguments.content.encode(errors="replace")
            )
        except DeliveryError as error:
            raise ToolFailed("Discord did not take the file; Attach Files may be missing.") from error
        return f"{name} is posted."

    async def _say(self, arguments: VoiceArguments, _context: ToolContext) -> str:
        nonce = self._nonce()
        try:
            message = await self.voice.of(arguments.text)
            if message is None:
                raise ToolFailed("Nothing of this has a sound.")
            await self.channels.post_voice(self.channel_id, message, nonce=nonce)
        except SpeechFailed as failed:
            raise ToolFailed(failed.advice) from failed
        except DeliveryError as error:
            raise ToolFailed("Discord did not take it; Send Voice Messages may be missing.") from error
        if arguments.instead_of_words:
            raise TurnOver("The voice message is posted.")
        return "The voice message is posted."

    def _nonce(self) -> str:
        if len(self.posts) >= _MOST_POSTS:
            raise ToolFailed("Enough was posted for one answer.")
        self.posts.append(None)
        return nonce_for(str(self.question_id), _FIRST_NUMBER + len(self.posts))
