"""`/summon` and `/voice` with the whole bot: it comes, tells that it listens, hears, and goes."""

from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room


async def test_summoned_it_tells_that_it_listens_and_hears(room: TextRoom) -> None:
    """CMD-1, VOX-1, VOX-9, VOX-29: notice in the channel's chat, sound counted, `/voice doctor` shows it."""
    async with voice_room(room) as place, room.bot():
        assert "Go into a voice channel first" in await told_alone(run(room, "summon"))
        ada = place.enter(room.ada)
        assert await told_alone(run(room, "summon")) == f"I am in <#{place.lounge.id}>."
        assert place.bot_is_in(place.lounge)
        (notice,) = place.said_in(place.lounge)
        assert all(words in notice for words in ("listening", "not kept", "/voice optout"))
        await place.speaks(ada)
        report = await place.reports(f"<@{ada.user_id}>: 25 packets, 0.4 s decoded")
        assert "aead_aes256_gcm_rtpsize" in report
        assert "DAVE: version 1, ready, epoch 1, privacy code" in report
        assert await told_alone(run(room, "voice leave")) == "I left. `/summon` brings me back."
        assert room.discord.bot.id not in place.guild.voice_states
        assert len(place.said_in(place.lounge)) == 1
        assert "I am in no voice channel here" in await place.report()
