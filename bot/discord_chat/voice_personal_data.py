"""What voice holds of a person: that they are not to be heard, and recordings not posted (MEM-6)."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from bot.discord_chat.voice_choices import VoiceChoices


class VoicePersonalData:
    """The `PersonalData` of voice; its table is another's. `recordings`: the folder of the recorder."""

    def __init__(self, choices: VoiceChoices, *, recordings: Path) -> None:
        self._choices = choices
        self._recordings = recordings

    @property
    def tables(self) -> frozenset[str]:
        """See `PersonalData`."""
        return frozenset()

    async def export(self, user_id: str) -> Mapping[str, object]:
        """See `PersonalData`. Of recordings their number: they were announced, and go within days.

        What is not kept is not named.
        """
        opted_out = int(user_id) in await self._choices.opted_out()
        kept = await asyncio.to_thread(self._kept, user_id)
        told = {"opted_out": opted_out, "recordings": len(kept)}
        return {"voice": {what: value for what, value in told.items() if value}}

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """See `PersonalData`. Calls that go on leave the person unheard until they are over."""
        opted_out = int(user_id) in await self._choices.opted_out()
        if opted_out:
            await self._choices.opt_out(int(user_id), wanted=False)
        kept = await asyncio.to_thread(self._kept, user_id)
        for path in kept:
            await asyncio.to_thread(path.unlink, missing_ok=True)
        return {"voice_choices": int(opted_out), "recordings": len(kept)}

    def _kept(self, user_id: str) -> list[Path]:
        return list(self._recordings.glob(f"*/{user_id}.ogg"))
