"""`/summon` and `/voice` with the whole bot: it comes, tells that it listens, hears, and goes."""

import asyncio
import json
from functools import partial
from io import BytesIO

import av
import numpy as np
import pytest
from structlog.testing import capture_logs

from bot.discord_chat import voice_returns
from bot.discord_chat.voice_choices import VoiceChoices
from tests.fake_discord import ChannelKind, Permission
from tests.flows.scripted_services import Talking
from tests.flows.slash_commands import run, shown, told_alone
from tests.flows.test_voice_talk import until
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room
from tests.flows.voice_scene import mono_48_khz, similarity, speech
from voice.audio.opus import OpusMissing
from voice.transport.settings import TransportSettings


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


@pytest.mark.parametrize("moved", [False, True])
async def test_what_was_said_before_the_notice_stands_is_nobodys(room: TextRoom, moved: bool) -> None:
    """VOX-9: Discord takes its time with the notice; the bot hears already, and hands nothing of it on."""
    talking = Talking()
    async with voice_room(room) as place, room.bot(speech=talking.services), asyncio.TaskGroup() as tasks:
        ada = place.enter(room.ada, place.attic if moved else place.lounge)
        if moved:
            place.enter(room.discord.grace)
            await place.summoned(by=room.discord.grace)
        notice = room.discord.failures.hold("POST", "/channels/{channel_id}/messages")
        if moved:
            place.voice.move_bot(place.guild, place.attic)
        else:
            tasks.create_task(place.summoned())
        await place.until(lambda: notice.hits)
        await place.speaks(ada, 0.8)
        await place.reports("45 packets")
        notice.release()
        await place.until(lambda: place.said_in(place.attic if moved else place.lounge))
        await asyncio.sleep(0.3)
        assert talking.hearing.begun == []
        await place.speaks(ada, 0.8)
        await place.reports("90 packets")
        await until(lambda: talking.hearing.begun)


async def test_who_opts_out_is_dropped_unheard_until_they_opt_in_again(room: TextRoom) -> None:
    """VOX-9, MEM-6: at once, over leaving and a restart; in the export, and gone with the person."""
    async with voice_room(room) as place:
        async with room.bot():
            ada = place.enter(room.ada)
            await place.summoned()
            assert "drop your sound unheard" in await told_alone(run(room, "voice optout"))
            grace = place.enter(room.discord.grace)
            await place.speaks(ada)
            await place.speaks(grace)
            report = await place.reports(f"<@{grace.user_id}>: 25 packets, 0.4 s decoded")
            assert f"<@{ada.user_id}>" not in report
            exported = await shown(run(room, "privacy export-me"))
            assert json.loads(exported.attachments[0].content)["voice"] == {"opted_out": True}
        async with room.bot():
            await place.summoned(by=room.discord.grace)
            await place.speaks(ada)
            await place.speaks(grace)
            assert f"<@{ada.user_id}>" not in await place.reports(f"<@{grace.user_id}>: 25 packets")
            assert await told_alone(run(room, "voice optout", on=False)) == "I hear you again."
            await place.speaks(ada)
            await place.reports(f"<@{ada.user_id}>: 25 packets, 0.4 s decoded")
            await told_alone(run(room, "voice optout"))
            card = await shown(run(room, "privacy forget-me"))
            humans = room.discord.humans
            await humans.press(card, room.ada, humans.button(card, "Remove everything")).responded()
            await room.discord.until(lambda: "voice choices: 1" in card.content)


async def test_who_opts_out_while_the_bot_comes_is_not_heard(room: TextRoom) -> None:
    """VOX-9: the choice is made after the bot was called and before it is there."""
    async with voice_room(room) as place, room.bot():
        ada, grace = place.enter(room.ada), place.enter(room.discord.grace)
        place.voice.answers_discovery = False
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(place.summoned())
            await place.until(lambda: place.voice.identifies)
            assert "drop your sound unheard" in await told_alone(run(room, "voice optout"))
            place.voice.answers_discovery = True
        await place.speaks(ada)
        await place.speaks(grace)
        assert f"<@{ada.user_id}>" not in await place.reports(f"<@{grace.user_id}>: 25 packets")


async def test_where_it_cannot_read_who_opted_out_it_does_not_stay(
    room: TextRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VOX-9: a storage that fails as the bot comes leaves no bot behind that nobody was told of."""
    opted_out = VoiceChoices.opted_out
    answers = iter((True, False))

    async def fails(choices: VoiceChoices) -> frozenset[int]:
        if not next(answers, True):
            raise OSError("the disk is away")
        return await opted_out(choices)

    monkeypatch.setattr(VoiceChoices, "opted_out", fails)
    async with voice_room(room) as place, room.bot():
        place.enter(room.ada)
        assert "did not work" in await told_alone(run(room, "summon"))
        await place.until(lambda: not place.bot_is_in(place.lounge))
        assert "I am in no voice channel here" in await place.report()
        assert place.said_in(place.lounge) == []
        await place.summoned()


async def test_who_is_forgotten_stays_unheard_until_the_call_ends(room: TextRoom) -> None:
    """MEM-6, VOX-9: whatever others choose meanwhile, and wherever the call goes."""
    owner = room.discord.world.owner
    async with voice_room(room) as place, room.bot():
        await told_alone(run(room, "voice optout"))
        place.enter(owner)
        await place.summoned(by=owner)
        card = await shown(run(room, "privacy forget-me"))
        humans = room.discord.humans
        await humans.press(card, room.ada, humans.button(card, "Remove everything")).responded()
        await room.discord.until(lambda: "voice choices: 1" in card.content)
        await told_alone(run(room, "voice optout", by=room.discord.grace))
        place.voice.move_bot(place.guild, place.attic)
        await place.until(lambda: place.said_in(place.attic))
        ada, other = place.enter(room.ada, place.attic), place.enter(owner, place.attic)
        await place.summoned()
        await place.speaks(ada)
        await place.speaks(other)
        assert f"<@{ada.user_id}>" not in await place.reports(f"<@{other.user_id}>: 25 packets")
        await told_alone(run(room, "voice leave"))
        await place.summoned()
        await place.speaks(ada)
        await place.reports(f"<@{ada.user_id}>: 25 packets, 0.4 s decoded")


async def test_who_called_it_first_has_it_and_may_send_it_back(room: TextRoom) -> None:
    """VOX-7, VOX-29: on its way it is as good as there: not called away, seen by the doctor, sent away."""
    async with voice_room(room) as place, room.bot():
        place.enter(room.ada)
        place.enter(room.discord.grace, place.attic)
        place.voice.answers_discovery = False
        async with asyncio.TaskGroup() as tasks:
            first = tasks.create_task(told_alone(run(room, "summon")))
            await place.until(lambda: place.voice.identifies)
            second = await told_alone(run(room, "summon", by=room.discord.grace))
            assert second.startswith(f"I am with people in <#{place.lounge.id}>")
            assert "**Connecting**" in await place.report()
            assert "Only who is in" in await told_alone(run(room, "voice leave", by=room.discord.grace))
            assert await told_alone(run(room, "voice leave")) == "I left. `/summon` brings me back."
        assert first.result() == "I was sent away as I came in."
        await place.until(lambda: room.discord.bot.id not in place.guild.voice_states)
        place.voice.answers_discovery = True
        await place.summoned(by=room.discord.grace)


async def test_it_stays_over_a_restart_until_it_is_kicked(room: TextRoom) -> None:
    """VOX-7: `/voice stay` is for managers, follows a move, keeps the bot alone, and ends with a kick."""
    owner = room.discord.world.owner
    async with voice_room(room) as place:
        async with room.bot(VOICE_LEAVE_WHEN_ALONE_S="0.2"):
            ada = place.enter(room.ada)
            await place.summoned()
            assert "Manage Server" in await told_alone(run(room, "voice stay"))
            assert f"I stay in <#{place.lounge.id}>" in await told_alone(run(room, "voice stay", by=owner))
            place.voice.move_bot(place.guild, place.attic)
            await place.until(lambda: any("listening" in said for said in place.said_in(place.attic)))
            place.voice.leave(place.lounge, ada)
            await place.reports("Connected")
        assert room.discord.bot.id not in place.guild.voice_states
        async with room.bot(VOICE_LEAVE_WHEN_ALONE_S="0.2"):
            await place.until(lambda: place.bot_is_in(place.attic), within_s=10)
            await place.until(lambda: len(place.said_in(place.attic)) == 2)
            place.voice.kick_bot(place.guild)
            await place.until(lambda: "I was disconnected" in place.said_in(place.attic)[-1])
        async with room.bot(VOICE_LEAVE_WHEN_ALONE_S="0.2"):
            grace = place.enter(room.discord.grace)
            await place.summoned(by=room.discord.grace)
            assert place.bot_is_in(place.lounge)  # and nowhere before
            place.voice.leave(place.lounge, grace)
            await place.until(lambda: "Nobody was here any more" in place.said_in(place.lounge)[-1])
            await place.until(lambda: room.discord.bot.id not in place.guild.voice_states)


async def test_staying_it_comes_back_when_the_voice_server_does(
    room: TextRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VOX-7: lost in the middle of a call, or away at a start: told once, tried until the bot is back."""
    monkeypatch.setattr(voice_returns, "AGAIN_AFTER_S", 0.05)
    hasty = partial(TransportSettings, backoff_factor=0.0, server_update_wait_s=0.05)
    monkeypatch.setattr("bot.wiring.voice.TransportSettings", hasty)
    async with voice_room(room) as place:

        def told(words: str) -> int:
            return sum(words in said for said in place.said_in(place.lounge))

        async with room.bot():
            ada = place.enter(room.ada)
            await place.summoned()
            await told_alone(run(room, "voice stay", by=room.discord.world.owner))
            place.voice.refuses_with = [4006] * 10_000
            place.voice.close(place.lounge, 4006)
            await place.until(lambda: told("I lost the voice server"))
            assert told("come back by myself")
            tries = len(place.voice.identifies)
            await place.until(lambda: len(place.voice.identifies) > tries + 15)  # two attempts more
            place.voice.refuses_with.clear()
            await place.until(lambda: told("I am listening") == 2)
            await place.speaks(ada)
            await place.reports(f"<@{ada.user_id}>: 25 packets, 0.4 s decoded")
            place.voice.refuses_with = [4006] * 10_000
        async with room.bot():
            await place.until(lambda: told("I could not reach the voice server. I try again by myself."))
            place.voice.refuses_with.clear()
            await place.until(lambda: told("I am listening") == 3)
        assert (told("I lost"), told("I could not reach")) == (1, 1)


async def test_two_servers_a_deleted_channel_and_a_call_that_discord_ends(room: TextRoom) -> None:
    """VOX-7: one call per server, each with its own end; a channel that is gone stands in nobody's way."""
    world, humans = room.discord.world, room.discord.humans
    async with voice_room(room) as place:
        second = world.add_guild("Field", members=(room.discord.grace,))
        hall = world.add_channel(second, "hall", kind=ChannelKind.VOICE)
        humans.add_bot_to(second)
        async with room.bot():
            place.enter(room.ada)
            grace = place.enter(room.discord.grace, hall)
            await place.summoned()
            told = await told_alone(run(room, "summon", by=room.discord.grace, channel=hall))
            assert told == f"I am in <#{hall.id}>."
            assert place.bot_is_in(place.lounge)
            assert place.bot_is_in(hall)
            place.voice.kick_bot(place.guild)
            humans.delete_channel(place.lounge)
            await place.until(lambda: room.discord.bot.id not in place.guild.voice_states)
            place.enter(room.ada, place.attic)
            await place.summoned()
            assert place.bot_is_in(place.attic)
            await grace.speak(bytes(3_840))
            place.voice.close(hall, 4022)
            await place.until(lambda: "Discord ended this call" in place.said_in(hall)[-1])


@pytest.mark.parametrize(
    ("denied", "told"),
    [
        (Permission.VIEW_CHANNEL, "View Channel"),
        (Permission.CONNECT, "Connect"),
        (Permission.SPEAK, "Speak"),
        (Permission.SEND_MESSAGES, "Send Messages"),
    ],
)
async def test_a_permission_that_is_missing_is_told_before_it_is_needed(
    room: TextRoom, denied: Permission, told: str
) -> None:
    """TEXT-7, VOX-9: one sentence; Discord is not asked, and where the notice cannot stand nobody listens."""
    async with voice_room(room) as place:
        place.lounge.deny(room.discord.bot, denied)
        async with room.bot():
            place.enter(room.ada)
            said = await told_alone(run(room, "summon"))
            assert said.startswith(f"I lack the permission {told} in <#{place.lounge.id}>.")
    assert place.voice.identifies == []
    assert room.discord.bot.id not in place.guild.voice_states


async def test_a_stage_is_joined_without_the_right_to_speak(room: TextRoom) -> None:
    """VOX-8, VOX-9: it asks for the word; moved to where it cannot tell people, it leaves."""
    async with voice_room(room) as place:
        stage = place.add_channel("stage", ChannelKind.STAGE)
        stage.deny(room.discord.bot, Permission.SPEAK)
        place.attic.user_limit = 1
        cellar = place.add_channel("cellar")
        cellar.deny(room.discord.bot, Permission.SEND_MESSAGES)
        async with room.bot():
            grace = place.enter(room.discord.grace, place.attic)
            full = await told_alone(run(room, "summon", by=room.discord.grace))
            assert full == f"<#{place.attic.id}> is full."
            room.discord.humans.set_overwrite(place.attic, room.discord.bot, allow=Permission.MOVE_MEMBERS)
            await place.summoned(by=room.discord.grace)
            place.voice.leave(place.attic, grace)
            place.enter(room.ada, stage)
            assert await told_alone(run(room, "voice join", channel=stage)) == f"I am in <#{stage.id}>."
            await room.discord.recorder.request("PATCH", "/guilds/{guild_id}/voice-states/@me")
            place.voice.move_bot(place.guild, cellar)
            await place.until(lambda: room.discord.bot.id not in place.guild.voice_states)


async def test_the_doctor_tells_what_moderators_did(room: TextRoom) -> None:
    """VOX-29, VOX-8: muted, deafened or in the audience, nothing is wrong with the connection."""
    async with voice_room(room) as place, room.bot():
        place.enter(room.ada)
        await place.summoned()
        assert "moderator" not in await place.report()
        state = place.guild.voice_states[room.discord.bot.id]
        state.mute = state.deaf = state.suppress = True
        place.voice._dispatch_state(place.guild, state)
        report = await place.reports("A moderator deafened me")
        assert "A moderator muted me" in report
        assert "in the audience" in report


async def test_without_libopus_the_bot_starts_without_voice_and_says_so(
    room: TextRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SET-2, VOX-1: one line; the other commands are there."""

    def missing() -> None:
        raise OpusMissing("no such library")

    monkeypatch.setattr("voice.transport.link.libopus", missing)
    with capture_logs() as logs:
        async with room.bot():
            await told_alone(run(room, "ping"))
            assert {"summon", "voice"}.isdisjoint(one.name for one in room.discord.commands.listed())
    (told,) = (log["event"] for log in logs if "libopus" in log["event"])
    assert "python -m bot doctor" in told


async def test_a_recording_is_announced_made_per_speaker_and_posted(room: TextRoom) -> None:
    """VOX-9, VOX-4: begun by a manager alone, stopped by anyone there, without who opted out; at 48 kHz."""
    owner, grace = room.discord.world.owner, room.discord.grace
    async with voice_room(room) as place, room.bot():
        ada, other = place.enter(room.ada), place.enter(grace)
        await place.summoned()
        await told_alone(run(room, "voice optout", by=grace))
        assert "Manage Server" in await told_alone(run(room, "voice record start"))
        assert "Nothing is recorded" in await told_alone(run(room, "voice record stop"))
        await place.speaks(ada)
        await place.reports("25 packets")
        assert "I record" in await told_alone(run(room, "voice record start", by=owner))
        assert "already" in await told_alone(run(room, "voice record start", by=owner))
        assert f"because <@{owner.id}> asked for it" in place.said_in(place.lounge)[-1]
        late = room.discord.world.add_user("late")
        room.discord.world.add_member(place.guild, late)
        place.enter(late)
        await place.until(lambda: f"<@{late.id}>, this call is recorded." in place.said_in(place.lounge)[-1])
        said = whistling(speech(0.6, seed=9))
        await other.speak(speech(0.4, seed=3))
        await ada.speak(said)
        await place.reports("60 packets, 1.0 s decoded")
        assert "I stop recording" in await told_alone(run(room, "voice record stop", by=room.ada))
        await place.until(lambda: place.lounge.messages[-1].attachments)
        (file,) = place.lounge.messages[-1].attachments
        assert file.filename == f"{ada.user_id}.ogg"
        sound = recorded(file.content)
        assert similarity(mono_48_khz(said), sound, most_lag=4_800) > 0.9
        assert np.abs(np.fft.rfft(sound, norm="forward"))[len(sound) // 6 :].max() > 400  # above 8 kHz
        await place.until(lambda: not list((room.folder / "recordings").iterdir()))
        assert "I stopped recording." in place.said_in(place.lounge)


async def test_a_recording_ends_where_the_bot_is_moved_on(room: TextRoom) -> None:
    """VOX-9: in the other channel nobody was told of it."""
    async with voice_room(room) as place, room.bot():
        ada, grace = place.enter(room.ada), place.enter(room.discord.grace, place.attic)
        await place.summoned()
        await told_alone(run(room, "voice record start", by=room.discord.world.owner))
        await place.speaks(ada)
        await place.reports("25 packets")
        place.voice.move_bot(place.guild, place.attic)
        await place.until(lambda: place.said_in(place.attic))
        await place.speaks(grace)
        await place.until(lambda: any(message.attachments for message in place.lounge.messages))
        (posted,) = (message for message in place.lounge.messages if message.attachments)
        assert [file.filename for file in posted.attachments] == [f"{ada.user_id}.ogg"]
        assert not any(message.attachments for message in place.attic.messages)


async def test_a_recording_that_is_not_posted_is_kept_and_gone_with_the_person(room: TextRoom) -> None:
    """VOX-9, MEM-6: the end of the call ends it; a file that cannot be posted is private, and forgotten."""
    owner = room.discord.world.owner
    async with voice_room(room) as place, room.bot(VOICE_RECORDING_MAX_MINUTES="5"):
        place.lounge.deny(room.discord.bot, Permission.ATTACH_FILES)
        ada = place.enter(room.ada)
        await place.summoned()
        await told_alone(run(room, "voice record start", by=owner))
        await place.speaks(ada)
        await place.reports("25 packets")
        await told_alone(run(room, "voice leave"))
        await place.until(lambda: "One file is too large" in place.said_in(place.lounge)[-1])
        (kept,) = (room.folder / "recordings").glob("*/*")
        assert kept.name == f"{ada.user_id}.ogg"
        assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        card = await shown(run(room, "privacy forget-me"))
        humans = room.discord.humans
        await humans.press(card, room.ada, humans.button(card, "Remove everything")).responded()
        await room.discord.until(lambda: "recordings: 1" in card.content)
        assert not kept.exists()


def whistling(pcm: bytes) -> bytes:
    """The same with a tone of 10 kHz, which no sound of 16 kHz carries."""
    tone = 3_000 * np.sin(np.arange(len(pcm) // 4) * 2 * np.pi * 10_000 / 48_000)
    return (np.frombuffer(pcm, "<i2") + np.repeat(tone, 2)).clip(-32_000, 32_000).astype("<i2").tobytes()


def recorded(content: bytes) -> np.ndarray:
    """48 kHz mono of a recording, from just before its first sound."""
    with av.open(BytesIO(content), "r") as file:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=48_000)
        frames = [one for frame in file.decode(audio=0) for one in resampler.resample(frame)]
    sound = np.concatenate([frame.to_ndarray()[0] for frame in frames]).astype(float)
    return sound[max(0, np.flatnonzero(np.abs(sound) > 30)[0] - 960) :]
