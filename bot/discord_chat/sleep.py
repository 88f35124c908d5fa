"""The sleep of the bot in the channels of a server (TASK-16): kept over restarts, ended by a mention."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from bot.discord_chat.sleep_rules import QuietHours, is_asleep, quiet_hours_of
from bot.scene_choices import channel_scope, server_scope
from bot.scene_zones import TIME_ZONE
from core.clock import Clock
from core.conversation.turns import UserTurn
from core.tools.context import ToolContext
from core.tools.policies import RepeatPolicy, ToolPolicy
from core.tools.tool import AnyTool, Tool
from recipes.run_scene import RunAdditions, RunScene
from sessions.bindings import ChannelBinding
from sessions.channel_settings import ChannelSettings, GuildScope

ASLEEP: Final = "asleep"
QUIET_HOURS: Final = "quiet_hours"
"""The keys among the settings of a channel and of a server."""

_HELD: Final = 4_096


class Sleep:
    """One for the process. Direct messages know no sleep: nobody else is there to be left in peace."""

    def __init__(self, settings: ChannelSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._woken: OrderedDict[int, datetime] = OrderedDict()

    async def holds(self, binding: ChannelBinding) -> bool:
        """Whether the bot sleeps there now."""
        server = server_scope(binding)
        if server is None:
            return False
        of_server, local = await self._settings.read(server), self._clock.now()
        quiet = quiet_hours_of(of_server.get(QUIET_HOURS, ""))
        if quiet is not None:
            local = local.astimezone(await asyncio.to_thread(ZoneInfo, of_server.get(TIME_ZONE, "UTC")))
        return is_asleep(
            sent_to_sleep=ASLEEP in await self._settings.read(channel_scope(binding)),
            quiet=quiet,
            woken_at=self._woken.get(binding.channel_id),
            local=local,
        )

    async def enter(self, binding: ChannelBinding) -> None:
        """Sleep there from now on."""
        self._woken.pop(binding.channel_id, None)
        await self._settings.change(channel_scope(binding), ASLEEP, self._clock.now().isoformat())

    async def wake(self, binding: ChannelBinding) -> None:
        """Somebody mentioned the bot there."""
        self._woken[binding.channel_id] = self._clock.now()
        self._woken.move_to_end(binding.channel_id)
        while len(self._woken) > _HELD:
            self._woken.popitem(last=False)
        if ASLEEP in await self._settings.read(channel_scope(binding)):
            await self._settings.change(channel_scope(binding), ASLEEP, None)

    async def quiet_hours(self, guild_id: int) -> QuietHours | None:
        """Those of a server."""
        chosen = await self._settings.read(GuildScope(guild_id=str(guild_id)))
        return quiet_hours_of(chosen.get(QUIET_HOURS, ""))

    async def choose_quiet_hours(self, guild_id: int, hours: QuietHours | None) -> None:
        """Let them hold in a server; None: there are none."""
        scope = GuildScope(guild_id=str(guild_id))
        await self._settings.change(scope, QUIET_HOURS, None if hours is None else str(hours))


class NoArguments(BaseModel):
    """Nothing to choose."""


class SleepRuns:
    """What sleep adds to a run: its one tool, in the channels of servers."""

    def __init__(self, sleep: Sleep) -> None:
        self._sleep = sleep

    async def additions(self, scene: RunScene, turns: Sequence[UserTurn]) -> RunAdditions:
        """The tool, where a person speaks."""
        place = scene.place
        if scene.speaker is None or place.guild_id is None or place.channel_id is None:
            return RunAdditions()
        binding = ChannelBinding(channel_id=int(place.channel_id), guild_id=int(place.guild_id))
        return RunAdditions(tools=(self._tool(binding),))

    def _tool(self, binding: ChannelBinding) -> AnyTool:
        async def enter(_arguments: NoArguments, _context: ToolContext) -> str:
            await self._sleep.enter(binding)
            return "After this reply you sleep here, until somebody mentions you."

        return Tool(
            name="enter_sleep",
            description=(
                "Go to sleep in this channel, when a person asks you to be quiet or to sleep: you answer "
                "nothing here until somebody mentions you."
            ),
            arguments=NoArguments,
            handler=enter,
            policy=ToolPolicy(repeat=RepeatPolicy.SAME_RESULT),
        )
