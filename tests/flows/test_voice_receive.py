"""WAV or PCM in at humans, PCM out at the bot, over real sockets and real MLS, compared in time."""

import asyncio
import wave
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fake_discord.voice import Human
from tests.fake_discord.voice.human import read_wav
from tests.fake_discord.voice.media import MediaPacket
from tests.flows.voice_scene import VoiceScene, at_16_khz, similarity, speech, voice_scene
from voice.audio.frames import OPUS_SILENCE, Origin, SpeakerLeft, TransmissionEnded, TransmissionStarted
from voice.calls import Call, SpeakerStatistics
from voice.transport.transport_crypto import AES256_GCM, XCHACHA20_POLY1305


def heard_of(call: Call, human: Human) -> SpeakerStatistics:
    return next(one for one in call.statistics().speakers if one.user_id == human.user_id)


async def all_ready(scene: VoiceScene, *humans: Human) -> None:
    """Everybody is in one group of one epoch, the bot too."""
    call = scene.calls.call_in(scene.guild.id)
    assert call is not None

    def same() -> bool:
        epochs = {human.epoch for human in humans} | {call.statistics().dave_epoch}
        return all(human.ready for human in humans) and len(epochs) == 1

    await scene.until(same)


@pytest.mark.parametrize("mode", [AES256_GCM, XCHACHA20_POLY1305])
async def test_a_wav_file_is_heard_under_dave(mode: str, tmp_path: Path) -> None:
    """VOX-1: both transport ciphers, DAVE, Opus; the sound is the one that was said."""
    said = speech(2)
    path = tmp_path / "said.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(48_000)
        file.writeframes(said)
    async with voice_scene() as scene:
        scene.voice.modes = ["xsalsa20_poly1305", mode]
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        await ada.speak(read_wav(path))
        await scene.until(lambda: scene.events and isinstance(scene.events[-1], TransmissionEnded))
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95
        statistics = call.statistics()
        assert (statistics.encryption_mode, statistics.dave_version, statistics.dave_ready) == (mode, 1, True)
        assert statistics.refused == {}
        speaker = heard_of(call, ada)
        assert (speaker.packets, speaker.lost, speaker.undecryptable) == (105, 0, 0)
        assert speaker.decoded_s == pytest.approx(2.0)
        assert isinstance(scene.events[0], TransmissionStarted)
        positions = [frame.position for frame in scene.frames(ada)]
        assert positions == list(range(positions[0], positions[0] + 960 * 100, 960))


async def test_the_bot_may_be_there_first() -> None:
    """VOX-1: alone in the channel it founds no group; with the first human it does, and hears."""
    said = speech(0.5)
    async with voice_scene() as scene:
        call = await scene.join()
        assert not call.statistics().dave_ready
        ada = scene.human(scene.discord.ada)
        await all_ready(scene, ada)
        await ada.speak(said)
        await scene.until(lambda: len(scene.frames(ada)) == 25)
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95


async def test_four_at_once_are_told_apart() -> None:
    """VOX-3: four voices at the same time, each one under its own user."""
    async with voice_scene() as scene:
        users = [scene.discord.ada, scene.discord.grace]
        users += [scene.discord.world.add_user(f"friend{number}") for number in range(2)]
        for friend in users[2:]:
            scene.discord.humans.join(scene.guild, friend)
        humans = [scene.human(user) for user in users]
        await scene.join()
        await all_ready(scene, *humans)
        said = [speech(1.0, seed=number) for number in range(4)]
        async with asyncio.TaskGroup() as tasks:
            for human, pcm in zip(humans, said, strict=True):
                tasks.create_task(human.speak(pcm))
        await scene.until(lambda: all(len(scene.frames(human)) == 50 for human in humans))
        for number, human in enumerate(humans):
            for other, pcm in enumerate(said):
                alike = similarity(at_16_khz(pcm), scene.pcm(human))
                assert alike > 0.95 if number == other else alike < 0.7


async def test_who_joins_and_leaves_costs_nobody_a_frame() -> None:
    """VOX-2: epochs change in the middle of talk, some clients being slow; nothing is lost."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        said = speech(3)
        visitor: list[Human] = []

        async def company(number: int) -> None:
            if number == 40:
                visitor.append(scene.human(scene.discord.grace))
                await all_ready(scene, ada, *visitor)
                await visitor[0].speak(speech(0.5, seed=9))
            elif number == 80:  # 0.3 s later for people, at once here: her last word may still be on its way
                await scene.until(lambda: len(scene.frames(scene.discord.grace)) == 25)
                scene.voice.leave(scene.channel, visitor[0])
                await scene.until(lambda: call.statistics().dave_epoch == 3)

        await ada.speak(said, before=lambda number: company(number) if number in (40, 80) else None)
        await scene.until(lambda: len(scene.frames(ada)) == 150)
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95
        assert similarity(at_16_khz(speech(0.5, seed=9)), scene.pcm(scene.discord.grace)) > 0.95
        assert heard_of(call, ada).undecryptable == call.statistics().dave_recoveries == 0
        assert any(
            isinstance(one, SpeakerLeft) and one.user_id == scene.discord.grace.id for one in scene.events
        )


async def test_frames_that_come_before_their_key_wait_for_it() -> None:
    """VOX-2: the sender switches keys at its commit; the bot's own commit comes later, all is heard."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        wire = scene.voice.wire(scene.channel)
        kept: list[tuple[int, bytes]] = []
        say = wire.binary
        wire.binary = lambda op, payload: kept.append((op, payload)) if op == 29 else say(op, payload)
        grace = scene.human(scene.discord.grace)
        await scene.until(lambda: grace.epoch == 2 and ada.epoch == 2)
        said = speech(0.3)
        await ada.speak(said, silence=0)
        await asyncio.sleep(0.05)
        assert len(scene.frames(ada)) == 0
        for op, payload in kept:
            say(op, payload)
        await scene.until(lambda: len(scene.frames(ada)) == 15)
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95
        assert heard_of(call, ada).undecryptable == 0


async def test_frames_under_the_former_epoch_are_heard_after_the_commit() -> None:
    """VOX-2: a slow sender still uses the old key when the bot has the new one."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        ada.processes_commits = False
        scene.human(scene.discord.grace)
        await scene.until(lambda: call.statistics().dave_epoch == 2)
        assert ada.epoch == 1
        said = speech(0.4)
        await ada.speak(said, before=lambda number: ada.catch_up() if number == 10 else None)
        await scene.until(lambda: len(scene.frames(ada)) == 20)
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95


async def test_a_downgrade_to_version_0_and_back() -> None:
    """VOX-1, VOX-2: without DAVE and with it again, in one call; plaintext only while it is allowed."""
    said = [speech(0.4, seed=number) for number in range(3)]
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        group = scene.voice.room(scene.channel).group
        await ada.speak(said[0])
        group.downgrade()
        await scene.until(lambda: call.statistics().dave_version == 0 and ada.version == 0)
        await ada.speak(said[1])
        await scene.until(lambda: len(scene.frames(ada)) == 40)
        group.upgrade()
        await all_ready(scene, ada)
        await scene.until(lambda: call.statistics().dave_version == 1)
        await ada.speak(said[2])
        await scene.until(lambda: len(scene.frames(ada)) == 60)
        assert call.statistics().dave_recoveries == 0
        pcm = scene.pcm(ada)
        for number in range(3):
            part = pcm[number * 20 * 640 : (number + 1) * 20 * 640]
            assert similarity(at_16_khz(said[number]), part) > 0.95


async def test_a_call_that_began_without_dave_can_be_upgraded() -> None:
    """VOX-1: opcode 24 makes a session where there was none."""
    async with voice_scene() as scene:
        scene.voice.dave = False
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        assert call.statistics().dave_version == 0
        await ada.speak(speech(0.2))
        await scene.until(lambda: len(scene.frames(ada)) == 10)
        scene.voice.room(scene.channel).group.upgrade()
        await all_ready(scene, ada)
        assert call.statistics().dave_version == 1
        await ada.speak(speech(0.2, seed=2))
        await scene.until(lambda: len(scene.frames(ada)) == 20)


async def test_a_bad_network_costs_only_what_it_lost() -> None:
    """VOX-4: 5 % loss, reordering and duplicates: the rest in order, losses counted and concealed."""
    said = speech(6)
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        network = scene.voice.room(scene.channel).network(ada.user_id, scene.discord.bot.id)
        network.reordering, network.duplication = 0.1, 0.1
        await ada.speak(said[: 10 * 3_840], silence=0)
        network.loss = 0.05
        await ada.speak(said[10 * 3_840 :], silence=0, announced=False)
        network.loss = 0.0
        await ada.speak(b"", announced=False)
        await scene.until(lambda: scene.events and isinstance(scene.events[-1], TransmissionEnded))
        frames = scene.frames(ada)
        positions = [frame.position for frame in frames]
        assert positions == sorted(set(positions))
        lost = {frame.position for frame in frames if frame.origin is not Origin.DECODED}
        assert network.lost > 3
        assert heard_of(call, ada).lost == network.lost
        assert heard_of(call, ada).duplicates > 5
        assert heard_of(call, ada).concealed_frames == len(lost) > 0
        first = positions[0]
        signal = at_16_khz(said)
        kept_said, kept_heard = [], b""
        for frame in frames:
            if frame.origin is Origin.DECODED and frame.position - 960 not in lost:
                at = (frame.position - first) // 3
                kept_said.extend(signal[at : at + 320])
                kept_heard += frame.pcm
        assert len(kept_heard) > 640 * 250
        assert similarity(np_array(kept_said), kept_heard) > 0.95


def np_array(values: list[float]):  # noqa: ANN201 - numpy's generic type says nothing here
    import numpy as np  # noqa: PLC0415 - only here

    return np.array(values)


async def test_jitter_of_a_real_network_in_real_time() -> None:
    """VOX-4: up to 40 ms of jitter, so packets overtake each other; every one is heard, in order."""
    said = speech(0.8)
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        network = scene.voice.room(scene.channel).network(ada.user_id, scene.discord.bot.id)
        await ada.speak(said[: 5 * 3_840], silence=0, pace_s=0.02)
        network.delay_s, network.jitter_s, network.duplication = 0.02, 0.04, 0.1
        await ada.speak(said[5 * 3_840 :], pace_s=0.02, announced=False)
        await scene.until(lambda: scene.events and isinstance(scene.events[-1], TransmissionEnded))
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95
        assert heard_of(call, ada).undecryptable == 0
        assert heard_of(call, ada).concealed_frames <= 2


async def test_a_voice_is_known_by_its_key_before_speaking_is_told() -> None:
    """VOX-3: no opcode 5 at all: the trial against the group's keys finds the speaker at once."""
    async with voice_scene() as scene:
        scene.voice.room(scene.channel).tells_ssrcs = False
        ada, grace = scene.human(scene.discord.ada), scene.human(scene.discord.grace)
        await scene.join()
        await all_ready(scene, ada, grace)
        await ada.speak(speech(0.4))
        await grace.speak(speech(0.4, seed=2))
        await scene.until(lambda: len(scene.frames(ada)) == len(scene.frames(grace)) == 20)
        assert isinstance(scene.events[0], TransmissionStarted)
        assert similarity(at_16_khz(speech(0.4)), scene.pcm(ada)) > 0.95
        assert similarity(at_16_khz(speech(0.4, seed=2)), scene.pcm(grace)) > 0.95


async def test_without_dave_frames_wait_for_speaking() -> None:
    """VOX-3: packets before opcode 5 are kept a bounded time and never guessed to be somebody's."""
    async with voice_scene() as scene:
        scene.voice.dave = False
        ada = scene.human(scene.discord.ada)
        await scene.join()
        await ada.speak(speech(0.2), announced=False, silence=0)
        await asyncio.sleep(0.1)
        assert scene.events == []
        ada.announce()
        await scene.until(lambda: len(scene.frames(ada)) == 10)


async def test_a_new_device_is_the_same_speaker() -> None:
    """VOX-3: another SSRC with other counters, told or found by trial."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        await ada.speak(speech(0.2))
        ada.reconnect()
        await ada.speak(speech(0.2), announced=False)
        await scene.until(lambda: len(scene.frames(ada)) == 20)
        assert heard_of(call, ada).ssrc == ada.ssrc


async def test_bots_and_who_opted_out_are_not_heard() -> None:
    """VOX-3, VOX-9: their packets are dropped before they are decrypted."""
    async with voice_scene() as scene:
        robot = scene.discord.world.add_user("robot", bot=True)
        scene.discord.humans.join(scene.guild, robot)
        ada, grace = scene.human(scene.discord.ada), scene.human(scene.discord.grace)
        call = await scene.join()
        other = scene.human(robot)
        await all_ready(scene, ada, other, grace)
        call.ignore([ada.user_id])
        await asyncio.sleep(0.02)
        for human in (ada, other, grace):
            await human.speak(speech(0.2))
        await scene.until(lambda: len(scene.frames(grace)) == 10)
        assert scene.frames(ada) == scene.frames(other) == []
        assert {one.user_id for one in call.statistics().speakers if one.decoded_s} == {grace.user_id}
        assert await scene.calls.join(scene.guild.id, scene.channel.id) is call
        call.listen_to(robot.id, wanted=True)
        call.listen_to(ada.user_id, wanted=False)
        await asyncio.sleep(0.02)
        for human in (ada, other, grace):
            await human.speak(speech(0.2))
        await scene.until(lambda: len(scene.frames(grace)) == 20)
        assert scene.frames(ada) == scene.frames(other) == []
        call.listen_to(ada.user_id, wanted=True)
        await asyncio.sleep(0.02)
        await ada.speak(speech(0.2))
        await scene.until(lambda: len(scene.frames(ada)) == 10)


async def test_a_camera_is_not_taken_for_a_voice() -> None:
    """VOX-5: video packets and their SSRC change nothing."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        video = {"ssrc": ada.ssrc + 50_000, "payload_type": 101}
        await ada.speak(
            speech(0.4), before=lambda number: ada.send(bytes([number]) * 900, **video, sequence=number)
        )
        await scene.until(lambda: len(scene.frames(ada)) == 20)
        await scene.until(lambda: scene.events and isinstance(scene.events[-1], TransmissionEnded))
        assert call.statistics().refused == {"not audio": 20}
        assert heard_of(call, ada).packets == 25


async def test_silence_ends_a_transmission_and_is_no_sound() -> None:
    """VOX-4: silence frames come in the clear inside DAVE; a pause is a jump in position, no loss."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        await ada.speak(speech(0.2))
        await scene.until(lambda: scene.events and isinstance(scene.events[-1], TransmissionEnded))
        ada.pause(3)
        await ada.speak(speech(0.2))
        await scene.until(lambda: len(scene.frames(ada)) == 20)
        frames = scene.frames(ada)
        assert frames[10].skipped == 5 * 960 + 3 * 48_000
        assert heard_of(call, ada).lost == heard_of(call, ada).undecryptable == 0
        assert [type(one).__name__ for one in scene.events if not hasattr(one, "pcm")][:3] == [
            "TransmissionStarted",
            "TransmissionEnded",
            "TransmissionStarted",
        ]


async def test_plaintext_inside_a_dave_call_is_not_heard() -> None:
    """VOX-2: no passthrough outside its window, however the packet came in."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        encoder = ada._encoder
        for start in range(0, 20 * 3_840, 3_840):
            ada.frame(encoder.encode(speech(0.4)[start : start + 3_840]), encrypted=False)
            await asyncio.sleep(0)
        ada.announce()
        await ada.speak(speech(0.2))
        await scene.until(lambda: len(scene.frames(ada)) == 10)
        assert sum(one.undecryptable for one in call.statistics().speakers) == 20
        assert heard_of(call, ada).undecryptable_reason == "in the clear"


async def test_headers_with_everything_in_them() -> None:
    """VOX-1: CSRCs, a long extension, padding, on the wire."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        await scene.join()
        await all_ready(scene, ada)

        def decorate(packet: MediaPacket) -> MediaPacket:
            odd = packet.sequence % 3
            return replace(
                packet,
                contributors=(1, 2, 3)[:odd],
                extension=None if odd == 0 else bytes(4 * odd),
                padding=(0, 4, 255)[odd],
            )

        scene.voice.room(scene.channel).network(ada.user_id, scene.discord.bot.id).decorate = decorate
        await ada.speak(speech(0.4))
        await scene.until(lambda: len(scene.frames(ada)) == 20)
        assert similarity(at_16_khz(speech(0.4)), scene.pcm(ada)) > 0.95


@pytest.mark.parametrize(
    ("op", "payload"),
    [(29, b"\0\7" + bytes(40)), (30, b"\0\7xx"), (25, None), (25, b""), (27, b"\0junk"), (27, b"\1\xff")],
)
async def test_a_broken_group_is_left_and_joined_anew(op: int, payload: bytes | None) -> None:
    """VOX-2: MLS that makes no sense: opcode 31, a fresh key package, and sound again; the call goes on."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await all_ready(scene, ada)
        wire, group = scene.voice.wire(scene.channel), scene.voice.room(scene.channel).group
        wire.binary(op, group.sender.package if payload is None else payload)
        await scene.until(lambda: call.statistics().dave_recoveries == len(group.invalid_commits) == 1)
        await all_ready(scene, ada)
        await ada.speak(speech(0.2))
        await scene.until(lambda: len(scene.frames(ada)) == 10)
        assert call.statistics().connected
        assert call.statistics().sessions == 1


async def test_silence_alone_is_nobody() -> None:
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        for _ in range(5):
            ada.frame(OPUS_SILENCE)
        await asyncio.sleep(0.05)
        assert scene.events == []
        assert call.statistics().speakers == ()
