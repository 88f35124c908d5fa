"""`/voice mode|talk|say|stats`: how the bot talks in its voice channel (CMD-1, VOX-18, VOX-27)."""

from collections.abc import Mapping
from typing import Final, Protocol

from discord import app_commands

from bot.discord_chat.commands.answering import Interaction, Refused, is_manager, require_manager
from bot.discord_chat.commands.voice import NOWHERE, asking_of, refused_in_words
from bot.discord_chat.languages import told
from bot.discord_chat.voice_access_rules import Present, require_may_dismiss
from bot.discord_chat.voice_stats import voice_stats
from core.sentences import sentence
from voice import (
    LatencyTraces,
    SpeculationEnd,
    VoiceMode,
)

_MOST_SAID: Final = 600
_DEAF: Final = sentence("I cannot understand speech here; `python -m bot doctor` says why.")
_MODES: Final[Mapping[VoiceMode, str]] = {
    VoiceMode.AUTOMATIC: sentence(
        "I answer everything with one person here, and with more whoever calls me by name."
    ),
    VoiceMode.ALWAYS: sentence("I answer whatever is said here."),
    VoiceMode.ADDRESSED: sentence("I answer whoever calls me by name, and what follows soon after."),
    VoiceMode.PUSH: sentence("I listen after `/voice talk`, to one utterance of who asked."),
    VoiceMode.LISTEN: sentence("I listen, and do not answer."),
}
_CHOICES: Final = [
    app_commands.Choice(name="automatic", value=VoiceMode.AUTOMATIC.value),
    app_commands.Choice(name="always", value=VoiceMode.ALWAYS.value),
    app_commands.Choice(name="when called by name", value=VoiceMode.ADDRESSED.value),
    app_commands.Choice(name="after /voice talk", value=VoiceMode.PUSH.value),
    app_commands.Choice(name="only listen", value=VoiceMode.LISTEN.value),
]


class Rooms(Protocol):
    """Where the bot is."""

    def present(self, guild_id: int) -> Present | None: ...


class TalkControl(Protocol):
    """A talk that goes on, as commands see it."""

    @property
    def latency(self) -> LatencyTraces | None:
        """None while nothing can be heard."""
        ...

    @property
    def speculation_ends(self) -> Mapping[SpeculationEnd, int]: ...

    def request_talk(self, user_id: int) -> bool:
        """The person's next utterance is for the bot; False when nothing can be heard."""
        ...

    async def say(self, text: str, *, asked_by: int) -> bool:
        """Speak behind what is being said; False when nothing can be spoken."""
        ...


class TalkControls(Protocol):
    """All talks, and the modes of channels."""

    def control_of(self, guild_id: int) -> TalkControl | None: ...
    async def mode(self, guild_id: int, channel_id: int) -> VoiceMode: ...
    async def choose_mode(self, guild_id: int, channel_id: int, mode: VoiceMode) -> None: ...


def add_talk_commands(group: app_commands.Group, rooms: Rooms, talks: TalkControls) -> None:
    """Add the commands to `/voice`."""
    commands = _TalkCommands(rooms, talks)

    @group.command(description="Show or choose when the bot answers what is said (managers choose).")
    @app_commands.describe(answers="When it answers; without it the present choice is shown.")
    @app_commands.choices(answers=_CHOICES)
    async def mode(interaction: Interaction, answers: app_commands.Choice[str] | None = None) -> None:
        await commands.mode(interaction, None if answers is None else VoiceMode(answers.value))

    @group.command(description="Have your next words taken for the bot, without calling its name.")
    async def talk(interaction: Interaction) -> None:
        await commands.talk(interaction)

    @group.command(description="Have the bot say a text aloud.")
    @app_commands.describe(text="What it says.")
    async def say(interaction: Interaction, text: app_commands.Range[str, 1, _MOST_SAID]) -> None:
        await commands.say(interaction, text)

    @group.command(description="Show how quickly the bot answers what is said.")
    async def stats(interaction: Interaction) -> None:
        await commands.stats(interaction)


class _TalkCommands:
    """What the commands do."""

    def __init__(self, rooms: Rooms, talks: TalkControls) -> None:
        self._rooms = rooms
        self._talks = talks

    async def mode(self, interaction: Interaction, wanted: VoiceMode | None) -> None:
        guild_id, where = self._present(interaction)
        if wanted is not None:
            require_manager(interaction)
        await interaction.response.defer(ephemeral=True)
        if wanted is not None:
            await self._talks.choose_mode(guild_id, where.channel_id, wanted)
        said = told(_MODES[await self._talks.mode(guild_id, where.channel_id)])
        if wanted is None and is_manager(interaction):
            said += told("\n-# `/voice mode answers:` changes it.")
        await interaction.followup.send(said, ephemeral=True)

    async def talk(self, interaction: Interaction) -> None:
        if not self._talk_of(interaction).request_talk(interaction.user.id):
            raise Refused(_DEAF)
        await interaction.response.send_message(told("I am listening to you."), ephemeral=True)

    async def say(self, interaction: Interaction, text: str) -> None:
        if not await self._talk_of(interaction).say(text, asked_by=interaction.user.id):
            raise Refused(told("I have no voice here; `python -m bot doctor` says why."))
        await interaction.response.send_message(told("I say it."), ephemeral=True)

    async def stats(self, interaction: Interaction) -> None:
        guild_id, _ = self._present(interaction)
        talk = self._talks.control_of(guild_id)
        latency = None if talk is None else talk.latency
        if talk is None or latency is None:
            raise Refused(_DEAF)
        await interaction.response.send_message(voice_stats(latency, talk.speculation_ends), ephemeral=True)

    def _present(self, interaction: Interaction) -> tuple[int, Present]:
        guild_id, _ = asking_of(interaction)
        where = self._rooms.present(guild_id)
        if where is None:
            raise Refused(NOWHERE)
        return guild_id, where

    def _talk_of(self, interaction: Interaction) -> TalkControl:
        """The talk of the server; whoever is not in its channel, and no manager, is refused."""
        guild_id, asking = asking_of(interaction)
        with refused_in_words():
            require_may_dismiss(asking, self._rooms.present(guild_id))
        talk = self._talks.control_of(guild_id)
        if talk is None:
            raise Refused(NOWHERE)
        return talk
