"""Who is not to be heard, as it is chosen while it is asked for."""

import asyncio

from bot.discord_chat.voice_choices import VoiceChoices
from sessions.channel_settings import SettingScope
from sessions.in_memory.counts import SettingsInMemory
from sessions.in_memory.records import Records


class SlowSettings(SettingsInMemory):
    """What was read is some way away."""

    async def scopes_with(self, key: str) -> tuple[SettingScope, ...]:
        found = await super().scopes_with(key)
        await asyncio.sleep(0)
        return found


async def test_a_choice_is_not_lost_to_whoever_was_asking_as_it_was_made() -> None:
    """VOX-9: what was read before it is no answer after it."""
    choices = VoiceChoices(SlowSettings(Records()))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(choices.opted_out())
        tasks.create_task(choices.opt_out(1, wanted=True))
    assert await choices.opted_out() == {1}
