"""The talks of the process, one for each call: what the bot does in voice channels."""

import asyncio

from bot.voice_scenes.heard_line import HeardLine
from bot.voice_scenes.talk import Talk
from bot.voice_scenes.talk_parts import TalkParts
from bot.voice_scenes.talk_voice import Aside
from bot.voice_scenes.voice_modes import VoiceModes
from core.orchestration.hooks import Hooks, TalkEnded
from sessions.bindings import ChannelBinding
from voice import (
    Call,
    UnknownVoice,
    VoiceMode,
)


class VoiceTalks:
    """The `Attendant` of the voice rooms, and what commands change of talks."""

    def __init__(self, parts: TalkParts, modes: VoiceModes, hooks: Hooks) -> None:
        self._parts = parts
        self._modes = modes
        self._hooks = hooks
        self._talks: dict[int, Talk] = {}
        self._lines: dict[int, HeardLine] = {}

    def control_of(self, guild_id: int) -> Talk | None:
        """The talk that goes on in that server."""
        return self._talks.get(guild_id)

    def talk_of(self, session_id: str) -> Talk | None:
        """The talk in that scene that can tell something now."""
        return next(
            (talk for talk in self._talks.values() if talk.session_id == session_id and talk.can_tell), None
        )

    def asides(self, session_id: str) -> tuple[Aside, ...]:
        """What is said in that scene beside its replies."""
        return tuple(
            aside for talk in self._talks.values() if talk.session_id == session_id for aside in talk.asides
        )

    async def mode(self, guild_id: int, channel_id: int) -> VoiceMode:
        """When speech is answered in that channel."""
        return await self._modes.mode(guild_id, channel_id)

    async def choose_mode(self, guild_id: int, channel_id: int, mode: VoiceMode) -> None:
        """Answer so there from now on; a talk that goes on follows at once."""
        await self._modes.choose(guild_id, channel_id, mode)
        talk = self._talks.get(guild_id)
        if talk is not None:
            await talk.refresh()

    async def language(self, guild_id: int, channel_id: int) -> str | None:
        """Which language is pinned in that channel; None: it is recognised."""
        return await self._modes.language(guild_id, channel_id)

    async def choose_language(self, guild_id: int, channel_id: int, language: str | None) -> None:
        """Pin it there from the next utterance on; None: recognise it."""
        await self._modes.choose_language(guild_id, channel_id, language)
        talk = self._talks.get(guild_id)
        if talk is not None:
            await talk.refresh()

    async def voice(self, guild_id: int, channel_id: int) -> str | None:
        """In which voice the bot speaks in that channel; None: its usual one."""
        return await self._modes.voice(guild_id, channel_id)

    @property
    def voice_names(self) -> tuple[str, ...]:
        """Voices that may be chosen; a hosted service may have more. Looks at files."""
        voices = self._parts.services.voices
        return () if voices is None else voices.voice_names

    async def choose_voice(self, guild_id: int, channel_id: int, name: str | None) -> bool:
        """Speak so there from now on, None: as usual; False when there certainly is no such voice."""
        voices = self._parts.services.voices
        if name is not None:
            try:
                if voices is None:
                    return False
                await asyncio.to_thread(voices.voice_of, name)
            except UnknownVoice:
                return False
        await self._modes.choose_voice(guild_id, channel_id, name)
        talk = self._talks.get(guild_id)
        if talk is not None:
            await talk.refresh()
        return True

    async def attend(self, call: Call) -> None:
        """See `Attendant`. A call that is moved goes on with a talk of the other channel's scene."""
        line = HeardLine(call.heard())
        self._lines[call.guild_id] = line
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(line.fill(), name=f"heard in {call.guild_id}")
                while not line.is_over:
                    await self._talk(call, line)
        finally:
            if self._lines.get(call.guild_id) is line:
                del self._lines[call.guild_id]

    def moved(self, guild_id: int) -> None:
        """See `Attendant`."""
        line = self._lines.get(guild_id)
        if line is not None:
            line.stir()

    async def left(self, call: Call) -> None:
        """See `Attendant`."""
        await self._tell_end(ChannelBinding(channel_id=call.channel_id, guild_id=call.guild_id).session_id)

    async def _tell_end(self, session_id: str) -> None:
        await self._hooks.publish(TalkEnded(session_id=session_id))

    async def _talk(self, call: Call, line: HeardLine) -> None:
        talk = Talk(self._parts, call)
        self._talks[call.guild_id] = talk
        try:
            await talk.run(line)
        finally:
            if self._talks.get(call.guild_id) is talk:  # else the next call has begun meanwhile
                del self._talks[call.guild_id]
        if not line.is_over:  # it was moved, and talks on elsewhere
            await self._tell_end(talk.session_id)
