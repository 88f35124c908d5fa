"""The talks of the process, one for each call: what the bot does in voice channels."""

from bot.voice_scenes.talk import Talk
from bot.voice_scenes.talk_parts import TalkParts
from voice.audio.frames import HeardEvent
from voice.calls import Call


class VoiceTalks:
    """The `Attendant` of the voice rooms."""

    def __init__(self, parts: TalkParts) -> None:
        self._parts = parts
        self._talks: dict[int, Talk] = {}

    def talk_in(self, guild_id: int) -> Talk | None:
        """The talk that goes on in that server."""
        return self._talks.get(guild_id)

    async def attend(self, call: Call) -> None:
        """See `Attendant`. A call that is moved goes on with a talk of the other channel's scene."""
        heard = call.heard()
        first: HeardEvent | None = None
        try:
            while True:
                talk = Talk(self._parts, call)
                self._talks[call.guild_id] = talk
                first = await talk.run(heard, first)
                if first is None:
                    return
        finally:
            self._talks.pop(call.guild_id, None)
