"""What people say, as it grows, in the chat of a talk: one message for each utterance, edited (VOX-26).

The first words post it, later ones edit it at a pace that Discord takes, the settled text is its last edit.
An utterance that comes to nothing takes its message along. Nothing of whom a list leaves out is shown.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from bot.beside import Beside
from bot.voice_scenes.admissions import Admissions, Admitted
from bot.voice_scenes.ports import VoiceNotices
from core.clock import Clock
from core.conversation.turns import Speaker
from sessions.bindings import ChannelBinding
from voice import (
    InputCancelled,
    InputDropped,
    TranscriptGrew,
    VoiceEvent,
)

_EDIT_EVERY_S: Final = 1.5
_SHOWN_WITHIN_S: Final = 0.5
"""A chat that is slow keeps back no reply."""


class Transcripts:
    """Those of one talk."""

    def __init__(
        self,
        *,
        binding: ChannelBinding,
        notices: VoiceNotices,
        admissions: Admissions,
        speaker: Callable[[int], Speaker],
        beside: Beside,
        clock: Clock,
    ) -> None:
        self._binding = binding
        self._notices = notices
        self._admissions = admissions
        self._speaker = speaker
        self._beside = beside
        self._clock = clock
        self._growing: dict[str, _Line] = {}

    def told(self, event: VoiceEvent) -> None:
        """What the listening side tells."""
        match event:
            case TranscriptGrew(text=text) if text:
                self._line(event.input_id, event.user_id).says(text)
            case InputCancelled(input_id=input_id) | InputDropped(input_id=input_id):
                self.forget(input_id)
            case _:
                pass

    async def settle(self, input_id: str, user_id: int, text: str) -> None:
        """Its last text; returns when it stands there, or soon."""
        line = self._line(input_id, user_id)
        del self._growing[input_id]
        line.says(text, last=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(_SHOWN_WITHIN_S):
                await line.over.wait()

    def forget(self, input_id: str) -> None:
        """It came to nothing."""
        line = self._growing.pop(input_id, None)
        if line is not None:
            line.says("", last=True)

    def _line(self, input_id: str, user_id: int) -> "_Line":
        line = self._growing.get(input_id)
        if line is None:
            line = self._growing[input_id] = _Line()
            self._beside.run(self._show(input_id, line, self._speaker(user_id)), "transcript")
        return line

    async def _show(self, input_id: str, line: "_Line", speaker: Speaker) -> None:
        try:
            if await self._admissions.foresee(self._binding, speaker, self._clock.now()) is Admitted.IGNORED:
                return
            message_id: int | None = None
            while True:
                text, is_last = await line.news()
                if text or message_id is not None:
                    message_id = await self._notices.show_said(
                        self._binding.channel_id,
                        speaker.name,
                        text,
                        key=input_id,
                        message_id=message_id,
                        is_last=is_last,
                    )
                if is_last:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(_EDIT_EVERY_S):
                        await line.last.wait()
        finally:
            line.over.set()


class _Line:
    """The newest text of one utterance, between who hears it and who shows it."""

    def __init__(self) -> None:
        self.last = asyncio.Event()
        self.over = asyncio.Event()
        self._text = ""
        self._shown: str | None = None
        self._changed = asyncio.Event()

    def says(self, text: str, *, last: bool = False) -> None:
        self._text = text
        if last:
            self.last.set()
        self._changed.set()

    async def news(self) -> tuple[str, bool]:
        """Waits for another text than the one of before, or for the last one."""
        while self._text == self._shown and not self.last.is_set():
            self._changed.clear()
            await self._changed.wait()
        self._shown = self._text
        return self._text, self.last.is_set()
