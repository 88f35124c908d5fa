"""Joins, moves, kicks, lost sockets, changed servers: what ends the call and what the call survives."""

import asyncio
from dataclasses import replace

import pytest

from tests.fake_discord import ChannelKind, Permission
from tests.flows.voice_scene import (
    FAST,
    at_16_khz,
    ended,
    heard_again,
    similarity,
    speech,
    voice_scene,
)
from voice.calls import CannotJoin, EndReason
from voice.transport.link import DiscordCalls


async def test_join_and_leave() -> None:
    """VOX-7: one voice connection; after leaving nothing of it is left on either side."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        assert (call.guild_id, call.channel_id) == (scene.guild.id, scene.channel.id)
        assert scene.guild.voice_states[scene.discord.bot.id].self_deaf is False
        assert await scene.calls.join(scene.guild.id, scene.channel.id) is call
        await heard_again(scene, ada, 1)
        await call.leave()
        assert await ended(call) is EndReason.LEFT
        await scene.until(lambda: scene.calls.call_in(scene.guild.id) is None)
        await scene.until(lambda: scene.voice.wire(scene.channel).socket is None)
        assert scene.discord.bot.id not in scene.guild.voice_states
        again = await scene.join()
        assert again is not call
        await heard_again(scene, ada, 2)


@pytest.mark.parametrize("end", ["left", "kicked"])
async def test_who_is_called_while_a_call_ends_comes_with_another_one(end: str) -> None:
    """VOX-7: `/summon` right behind a leave or a kick does not get the call that is about to end."""
    async with voice_scene() as scene, asyncio.TaskGroup() as tasks:
        call = await scene.join()
        if end == "left":
            tasks.create_task(call.leave())
            await asyncio.sleep(0)
        else:
            scene.voice.kick_bot(scene.guild)
            while call.statistics().connected:
                await asyncio.sleep(0)
        again = await scene.join(scene.other)
        assert again is not call
        ada = scene.human(scene.discord.ada, scene.other)
        await heard_again(scene, ada, 1)


async def test_the_first_session_tells_discord_what_it_must() -> None:
    """VOX-1: version 8, all ids, the DAVE version; SPEAKING before any sound."""
    async with voice_scene() as scene:
        await scene.join()
        identify = scene.voice.identifies[0]
        assert identify["server_id"] == str(scene.guild.id)
        assert identify["user_id"] == str(scene.discord.bot.id)
        assert identify["max_dave_protocol_version"] == 1
        await scene.until(lambda: scene.voice.wire(scene.channel).speaking == [0])
        assert scene.voice.problems == []


async def test_heartbeats_acknowledge_what_was_read() -> None:
    """VOX-1: the number of the last message, text or binary, goes with each heartbeat."""
    async with voice_scene() as scene:
        scene.voice.heartbeat_interval_ms = 100
        ada = scene.human(scene.discord.ada)
        await scene.join()
        await heard_again(scene, ada, 1)
        wire = scene.voice.wire(scene.channel)
        await scene.until(lambda: wire.acknowledged == wire._sequence > 3)


@pytest.mark.parametrize("code", [4006, 4009])
@pytest.mark.parametrize("repeats", [True, False])
async def test_an_invalid_session_is_renewed(code: int, repeats: bool) -> None:
    """VOX-7: 4006 and 4009, whether or not a repeated join brings a new voice server."""
    async with voice_scene() as scene:
        scene.voice.repeats_server_update = repeats
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        scene.voice.close(scene.channel, code)
        await scene.until(lambda: call.statistics().sessions == 2)
        await heard_again(scene, ada, 2)
        assert call.statistics().resumes == 0


async def test_failures_to_identify_are_tried_again_with_backoff_and_then_given_up() -> None:
    """VOX-7: a server that always refuses ends the call with its reason, after bounded attempts."""
    async with voice_scene() as scene:
        scene.human(scene.discord.ada)
        call = await scene.join()
        scene.voice.refuses_with = [4006] * 50
        scene.voice.close(scene.channel, 4006)
        assert await ended(call, 10.0) is EndReason.UNREACHABLE
        assert 5 <= len(scene.voice.identifies) <= 15


@pytest.mark.parametrize("socket_first", [True, False])
async def test_kicked_ends_the_call(socket_first: bool) -> None:
    """VOX-7: 4014 and no channel, in either order: the call is over, cleanly."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        scene.voice.kick_bot(scene.guild, socket_first=socket_first)
        assert await ended(call) is EndReason.DISCONNECTED
        await scene.until(lambda: scene.calls.call_in(scene.guild.id) is None)
        assert call.statistics().sessions == 1
        await scene.join()
        await heard_again(scene, ada, 2)


@pytest.mark.parametrize("socket_first", [True, False])
async def test_moved_keeps_listening_there(socket_first: bool) -> None:
    """VOX-7: 4014 and another channel: the same call goes on in the new one."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        grace = scene.human(scene.discord.grace, scene.other)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        scene.voice.move_bot(scene.guild, scene.other, socket_first=socket_first)
        await scene.until(lambda: call.channel_id == scene.other.id)
        await heard_again(scene, grace, 2)
        assert scene.calls.call_in(scene.guild.id) is call


async def test_the_bot_moves_itself() -> None:
    async with voice_scene() as scene:
        grace = scene.human(scene.discord.grace, scene.other)
        call = await scene.join()
        assert await scene.calls.join(scene.guild.id, scene.other.id) is call
        await scene.until(lambda: call.channel_id == scene.other.id)
        await heard_again(scene, grace, 1)


@pytest.mark.parametrize("gone", ["channel", "channel, untold", "server"])
async def test_a_channel_that_is_gone_ends_the_call(gone: str) -> None:
    """VOX-7: Discord disconnects the bot as the channel goes, or just closes; or the bot was thrown out."""
    async with voice_scene() as scene:
        call = await scene.join()
        if gone == "channel":
            scene.voice.kick_bot(scene.guild)
        else:
            scene.voice.close(scene.channel, 4014)
        if gone == "server":
            scene.discord.humans.remove_bot_from(scene.guild)
        else:
            scene.discord.humans.delete_channel(scene.channel)
        assert await ended(call, 2.0) is EndReason.DISCONNECTED
        await scene.until(lambda: scene.calls.call_in(scene.guild.id) is None)


@pytest.mark.parametrize("gap", [True, False])
async def test_a_server_change_in_the_middle_of_talk(gap: bool) -> None:
    """VOX-7: another voice server, named at once or after a while without one."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.5))
        playback.finish()
        scene.voice.change_server(scene.guild, gap=gap)
        await scene.until(lambda: call.statistics().sessions == 2)
        await heard_again(scene, ada, 2)
        await playback.played()
        wire = scene.voice.wire(scene.channel)
        assert 1 in wire.speaking


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (4017, EndReason.ENCRYPTION_REQUIRED),
        (4022, EndReason.CALL_TERMINATED),
        (4021, EndReason.RATE_LIMITED),
        (4016, EndReason.NO_COMMON_ENCRYPTION),
    ],
)
async def test_final_codes_end_the_call_with_their_reason(code: int, reason: EndReason) -> None:
    """VOX-7: 4017, 4022 and others like them are not argued with; the bot leaves the channel."""
    async with voice_scene() as scene:
        call = await scene.join()
        scene.voice.close(scene.channel, code)
        assert await ended(call) is reason
        assert (await call.ended()).code == code
        await scene.until(lambda: scene.discord.bot.id not in scene.guild.voice_states)
        assert len(scene.voice.identifies) == 1


async def test_a_join_that_is_refused_says_why() -> None:
    async with voice_scene() as scene:
        scene.voice.refuses_with = [4017]
        with pytest.raises(CannotJoin) as refused:
            await scene.join()
        assert refused.value.ended is not None
        assert refused.value.ended.reason is EndReason.ENCRYPTION_REQUIRED
        assert scene.calls.call_in(scene.guild.id) is None
        scene.voice.modes = ["xsalsa20_poly1305"]
        with pytest.raises(CannotJoin) as refused:
            await scene.join()
        assert refused.value.ended is not None
        assert refused.value.ended.reason is EndReason.NO_COMMON_ENCRYPTION
        with pytest.raises(CannotJoin):
            await scene.calls.join(scene.guild.id, scene.discord.general.id)


async def test_a_join_that_nobody_answers_ends_in_time() -> None:
    settings = replace(FAST, connect_timeout_s=0.2)
    async with voice_scene(settings) as scene:
        scene.voice.tells_server = False
        with pytest.raises(CannotJoin):
            await scene.join()
        assert scene.calls.call_in(scene.guild.id) is None
        scene.voice.tells_server = True
        await scene.join()


async def test_a_lost_discovery_packet_is_sent_again() -> None:
    """VOX-7: UDP loses packets; one that asks for the own address is no exception."""
    async with voice_scene() as scene:
        scene.voice.answers_discovery = False
        joining = scene.tasks.create_task(scene.join())
        await scene.until(lambda: len(scene.voice.identifies) == 1)
        await asyncio.sleep(0.1)
        scene.voice.answers_discovery = True
        call = await joining
        assert call.statistics().sessions == 1


async def test_an_empty_channel_is_left_after_a_while() -> None:
    """VOX-7: alone for the set time, not before, and not while a human is there."""
    settings = replace(FAST, leave_when_alone_s=0.4)
    async with voice_scene(settings) as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await asyncio.sleep(0.6)
        assert call.statistics().connected
        scene.voice.leave(scene.channel, ada)
        assert await ended(call) is EndReason.ALONE
        await scene.until(lambda: scene.discord.bot.id not in scene.guild.voice_states)


async def test_a_call_that_stays_is_not_left_until_it_need_not_stay() -> None:
    """VOX-7: `/voice stay` holds the bot where nobody is."""
    settings = replace(FAST, leave_when_alone_s=0.1)
    async with voice_scene(settings) as scene:
        call = await scene.join()
        call.stay_when_alone(stays=True)
        await asyncio.sleep(0.4)
        assert call.statistics().connected
        call.stay_when_alone(stays=False)
        assert await ended(call) is EndReason.ALONE


async def test_a_call_that_stood_is_not_given_up_for_a_ready_without_a_mode() -> None:
    """VOX-5, VOX-7: no encryption in common is a reason to leave before a session stood, not within one."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        ready = {"ssrc": 1, "ip": "127.0.0.1", "port": scene.voice.udp_port, "modes": ["none of ours"]}
        scene.voice.wire(scene.channel).text(2, ready)
        await scene.until(lambda: call.statistics().sessions == 2)
        await heard_again(scene, ada, 2)


async def test_the_main_gateway_resumes_in_mid_call() -> None:
    """VOX-7: the main gateway's own reconnect does not touch the call."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        resumes = scene.discord.gateway.resumes
        scene.discord.gateway.cut()
        await heard_again(scene, ada, 2)
        await scene.until(lambda: scene.discord.gateway.resumes > resumes, 10.0)
        await heard_again(scene, ada, 3)
        assert call.statistics().sessions == 1


async def test_two_guilds_at_once() -> None:
    """VOX-7: one voice connection per guild, each with its own sound."""
    async with voice_scene() as scene:
        world = scene.discord.world
        second = world.add_guild("Field", members=(scene.discord.grace,))
        hall = world.add_channel(second, "hall", kind=ChannelKind.VOICE)
        scene.discord.humans.add_bot_to(second)
        ada = scene.human(scene.discord.ada)
        grace = scene.human(scene.discord.grace, hall)
        await scene.until(lambda: scene.calls._client.get_guild(second.id) is not None)
        first_call, second_call = await scene.join(), await scene.join(hall)
        assert first_call is not second_call
        await scene.until(lambda: first_call.statistics().dave_ready and second_call.statistics().dave_ready)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(ada.speak(speech(0.4, seed=1)))
            tasks.create_task(grace.speak(speech(0.4, seed=2)))
        await scene.until(lambda: len(scene.frames(ada)) == len(scene.frames(grace)) == 20)
        assert similarity(at_16_khz(speech(0.4, seed=1)), scene.pcm(ada)) > 0.95
        assert similarity(at_16_khz(speech(0.4, seed=2)), scene.pcm(grace)) > 0.95
        await first_call.leave()
        assert second_call.statistics().connected


async def test_the_end_of_the_program_leaves_the_channel() -> None:
    """VOX-7: closing the door ends every call, leaves no bot behind, and the next process joins anew."""
    async with voice_scene() as scene:
        async with DiscordCalls(scene.calls._client, settings=FAST, ssl=scene.voice.ssl) as calls:
            call = await calls.join(scene.guild.id, scene.channel.id)
        assert await ended(call) in (EndReason.LEFT, EndReason.SHUT_DOWN)
        await scene.until(lambda: scene.discord.bot.id not in scene.guild.voice_states)
        await scene.join()


@pytest.mark.parametrize("moderator", [True, False])
async def test_a_stage_is_asked_for_the_word_and_used_when_it_is_given(moderator: bool) -> None:
    """VOX-8: raises its hand, or steps up if it may; hears all along, speaks when it is invited."""
    async with voice_scene() as scene:
        humans, bot = scene.discord.humans, scene.discord.bot
        stage = humans.create_channel(scene.guild, "stage", kind=ChannelKind.STAGE)
        permission = Permission.MUTE_MEMBERS if moderator else Permission.CONNECT
        humans.set_overwrite(stage, bot, allow=permission)
        await scene.until(lambda: scene.calls._client.get_channel(stage.id) is not None)
        ada = scene.human(scene.discord.ada, stage)
        call = await scene.join(stage)
        asked = await scene.discord.recorder.request("PATCH", "/guilds/{guild_id}/voice-states/@me")
        form = asked.json
        assert form["suppress"] is False if moderator else form["request_to_speak_timestamp"]
        await heard_again(scene, ada, 1)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.2))
        playback.finish()
        await asyncio.sleep(0.1)
        assert scene.voice.wire(stage).sent == []
        scene.voice.suppress_bot(scene.guild, suppress=False)
        await playback.played()
        await scene.until(lambda: len(ada.heard[scene.voice.wire(stage).ssrc]) == 10 * 3_840)
