"""The fake's gateway against a real discord.py client: sessions, resuming, intents, misfortunes."""

import asyncio
import json
import signal
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import discord
import pytest

from tests.fake_discord import ChannelKind, FakeDiscord
from tests.fake_discord.probe import ProbeClient, connected, point_at
from tests.fake_discord.recorder import Direction, Exchange, Frame


async def ends_with(server: FakeDiscord, *, token: str | None = None) -> BaseException:
    """What a client that must not get in ends with."""
    connector = point_at(server)
    client = ProbeClient(intents=discord.Intents.all(), connector=connector)
    try:
        await client.start(token or server.token)
    except Exception as wrong:  # noqa: BLE001 - it is the result
        return wrong
    finally:
        await client.close()
        await connector.close()
    raise AssertionError("the client ended without an error")


@asynccontextmanager
async def raw_gateway(server: FakeDiscord) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A socket without a library, HELLO read."""
    trusted = ssl.create_default_context(cafile=server.ca_file)
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusted)) as session,
        session.ws_connect(f"{server.gateway_url}?v=10&encoding=json") as socket,
    ):
        assert (await socket.receive_json())["op"] == 10
        yield socket


async def identify(server: FakeDiscord, socket: aiohttp.ClientWebSocketResponse) -> tuple[str, int]:
    """Identifies; gives the session's id and the last sequence number once its guilds have come."""
    await socket.send_json(
        {"op": 2, "d": {"token": server.token, "intents": 513 | 1 << 15, "properties": {}}}
    )
    ready = await socket.receive_json()
    assert ready["t"] == "READY"
    guild = await socket.receive_json()
    assert guild["t"] == "GUILD_CREATE"
    return ready["d"]["session_id"], guild["s"]


async def test_a_client_logs_in_and_sees_its_guilds(discord_server: FakeDiscord) -> None:
    async with connected(discord_server) as client:
        assert client.user is not None
        assert client.user.id == discord_server.bot.id
        guild = client.get_guild(discord_server.guild.id)
        assert guild is not None
        assert [channel.name for channel in guild.text_channels] == ["general"]
        assert {member.name for member in guild.members} == {"owner", "ada", "grace", "Parley"}
        assert client.application is not None
        assert (await client.application_info()).owner.name == "owner"


async def test_a_sharded_client_logs_in_by_gateway_bot(discord_server: FakeDiscord) -> None:
    connector = point_at(discord_server)
    client = discord.AutoShardedClient(intents=discord.Intents.default(), connector=connector)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(client.start(discord_server.token))
        await discord_server.bot_connected()
        await discord_server.until(client.is_ready)
        assert discord_server.recorder.requests("GET", "/gateway/bot")
        await client.close()
    await connector.close()


@pytest.mark.parametrize("shard", [0, 1])
async def test_guilds_come_to_their_shard(discord_server: FakeDiscord, shard: int) -> None:
    owner = discord_server.guild.id >> 22
    async with connected(discord_server, shard_id=shard, shard_count=2) as client:
        assert bool(client.guilds) is (owner % 2 == shard)


async def test_a_bad_token_is_refused(discord_server: FakeDiscord) -> None:
    assert isinstance(await ends_with(discord_server, token="wrong"), discord.LoginFailure)
    async with raw_gateway(discord_server) as socket:
        await socket.send_json({"op": 2, "d": {"token": "wrong", "intents": 0, "properties": {}}})
        await socket.receive()
        assert socket.close_code == 4004


async def test_a_privileged_intent_that_is_off_in_the_portal_is_refused(discord_server: FakeDiscord) -> None:
    discord_server.world.application.message_content_intent = False
    assert isinstance(await ends_with(discord_server), discord.PrivilegedIntentsRequired)


async def test_events_without_their_intent_do_not_come(discord_server: FakeDiscord) -> None:
    intents = discord.Intents.all()
    intents.guild_reactions = False
    async with connected(discord_server, intents=intents) as client:
        message = discord_server.humans.say(discord_server.general, discord_server.ada, "look")
        discord_server.humans.react(message, discord_server.grace, "👍")
        discord_server.humans.edit(message, "look here")
        await discord_server.until(lambda: "message_edit" in client.events)
        assert "raw_reaction_add" not in client.events


async def test_content_is_empty_without_its_intent_but_for_what_is_meant_for_the_bot(
    discord_server: FakeDiscord,
) -> None:
    discord_server.world.application.message_content_intent = False
    intents = discord.Intents.default()
    async with connected(discord_server, intents=intents) as client:
        humans, ada = discord_server.humans, discord_server.ada
        humans.say(discord_server.general, ada, "among ourselves", attachments=[("a.txt", b"secret")])
        humans.mention_bot(discord_server.general, ada, "for you")
        humans.say(discord_server.world.dm(ada), ada, "privately")
        await discord_server.until(lambda: len(client.received) == 3)
        hidden, meant, private = client.received
        assert (hidden.content, hidden.attachments) == ("", [])
        assert meant.content.endswith("for you")
        assert private.content == "privately"
        channel = client.get_channel(discord_server.general.id)
        assert isinstance(channel, discord.TextChannel)
        assert (await channel.fetch_message(hidden.id)).content == ""


async def test_a_cut_connection_resumes_and_replays(discord_server: FakeDiscord) -> None:
    async with connected(discord_server) as client:
        gateway, humans = discord_server.gateway, discord_server.humans
        gateway.cut()
        await discord_server.until(lambda: not gateway.connected)
        humans.say(discord_server.general, discord_server.ada, "one")
        humans.say(discord_server.general, discord_server.ada, "two")
        await discord_server.until(lambda: len(client.received) == 2)
        assert [message.content for message in client.received] == ["one", "two"]
        await discord_server.until(lambda: "resumed" in client.events)
        assert (gateway.identifies, gateway.resumes) == (1, 1)
        assert client.events.count("ready") == 1


async def test_opcode_7_makes_the_client_resume(discord_server: FakeDiscord) -> None:
    async with connected(discord_server) as client:
        discord_server.gateway.ask_to_reconnect()
        await discord_server.until(lambda: "resumed" in client.events)
        discord_server.humans.say(discord_server.general, discord_server.ada, "still there?")
        await discord_server.until(lambda: client.received)
        assert discord_server.gateway.identifies == 1


async def test_an_invalid_session_makes_the_client_identify_without_replay(
    discord_server: FakeDiscord,
) -> None:
    async with connected(discord_server) as client:
        gateway = discord_server.gateway
        gateway.invalidate()
        await discord_server.until(lambda: gateway.identifies == 2 and client.events.count("ready") == 2)
        assert not client.received


async def test_a_resumable_invalid_session_resumes(discord_server: FakeDiscord) -> None:
    async with connected(discord_server) as client:
        discord_server.gateway.invalidate(resumable=True)
        await discord_server.until(lambda: "resumed" in client.events)
        assert discord_server.gateway.identifies == 1


async def test_a_forgotten_session_falls_back_to_identify(discord_server: FakeDiscord) -> None:
    async with connected(discord_server) as client:
        gateway = discord_server.gateway
        gateway.forget_sessions()
        gateway.close(4000)
        await discord_server.until(lambda: client.events.count("ready") == 2)
        assert (gateway.resumes, gateway.identifies) == (1, 2)


@pytest.mark.parametrize("code", [4004, 4013])
async def test_fatal_close_codes_end_the_client(discord_server: FakeDiscord, code: int) -> None:
    with pytest.raises(discord.ConnectionClosed) as raised:
        async with connected(discord_server) as client:
            discord_server.gateway.close(code)
            await discord_server.until(client.is_closed)
    assert raised.value.code == code


async def test_a_session_survives_the_clients_process(discord_server: FakeDiscord) -> None:
    """SCENE-7: a RESUME by another socket gets what was missed, a fresh IDENTIFY gets nothing of it."""
    async with raw_gateway(discord_server) as socket:
        session_id, sequence = await identify(discord_server, socket)
        discord_server.gateway.cut()  # as if the process had been killed
        await socket.receive()
    await discord_server.until(lambda: not discord_server.gateway.connected)
    discord_server.humans.say(discord_server.general, discord_server.ada, "missed")
    async with raw_gateway(discord_server) as socket:
        resume = {"token": discord_server.token, "session_id": session_id, "seq": sequence}
        await socket.send_json({"op": 6, "d": resume})
        missed, resumed = await socket.receive_json(), await socket.receive_json()
        assert (missed["t"], missed["d"]["content"]) == ("MESSAGE_CREATE", "missed")
        assert resumed["t"] == "RESUMED"
    async with raw_gateway(discord_server) as socket:
        await identify(discord_server, socket)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await socket.receive()


async def test_a_client_that_says_goodbye_ends_its_session(discord_server: FakeDiscord) -> None:
    async with raw_gateway(discord_server) as socket:
        session_id, _sequence = await identify(discord_server, socket)
        await socket.close(code=1000)
    await discord_server.until(lambda: session_id not in discord_server.gateway.sessions)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("no json", 4002),
        (json.dumps({"op": 99, "d": None}), 4003),
        (json.dumps({"op": 8, "d": {}}), 4003),
        (json.dumps({"op": 2, "d": {"token": "fake.discord.token", "intents": 1 << 40}}), 4013),
        (json.dumps({"op": 6, "d": {"token": "wrong", "session_id": "x", "seq": 1}}), 4004),
    ],
)
async def test_wrong_frames_get_discords_close_codes(
    discord_server: FakeDiscord, frame: str, code: int
) -> None:
    async with raw_gateway(discord_server) as socket:
        await socket.send_str(frame)
        await socket.receive()
        assert socket.close_code == code


async def test_heartbeats_are_answered_until_the_connection_plays_dead(discord_server: FakeDiscord) -> None:
    gateway, recorder = discord_server.gateway, discord_server.recorder
    gateway.heartbeat_interval_ms = 40
    async with connected(discord_server) as client:
        await recorder.frame(lambda frame: frame.op == 11, count=3)
        assert client.latency < 1
        gateway.acknowledges_heartbeats = False
        asked = len(recorder.events(op=1))
        await discord_server.until(lambda: len(recorder.events(op=1)) > asked)


async def test_members_are_chunked(discord_server: FakeDiscord) -> None:
    for number in range(1500):
        discord_server.world.add_member(
            discord_server.guild, discord_server.world.add_user(f"member{number}")
        )
    async with connected(discord_server) as client:
        guild = client.guilds[0]
        assert guild.member_count == len(guild.members) == 1504
        found = await guild.query_members("member149", limit=5)
        assert len(found) == 5
        assert await guild.query_members(user_ids=[discord_server.ada.id])


async def test_presence_and_voice_state_are_accepted(discord_server: FakeDiscord) -> None:
    server = discord_server
    voice = server.humans.create_channel(server.guild, "lounge", kind=ChannelKind.VOICE)
    async with connected(server) as client:
        await client.change_presence(activity=discord.Game("chess"))
        channel = client.get_channel(voice.id)
        assert isinstance(channel, discord.VoiceChannel)
        await channel.guild.change_voice_state(channel=channel, self_deaf=True)
        await server.until(lambda: "voice_state_update" in client.events)
        assert channel.members[0].id == server.bot.id
        await channel.guild.change_voice_state(channel=None)
        await server.until(lambda: not channel.members)


async def test_guilds_come_and_go(discord_server: FakeDiscord) -> None:
    server, humans = discord_server, discord_server.humans
    async with connected(server) as client:
        other = server.world.add_guild("Elsewhere", with_bot=False)
        humans.add_bot_to(other)
        await server.until(lambda: "guild_join" in client.events)
        humans.outage(server.guild)
        await server.until(lambda: "guild_unavailable" in client.events)
        humans.outage_over(server.guild)
        await server.until(lambda: client.events.count("guild_available") == 2)
        humans.remove_bot_from(other)
        await server.until(lambda: "guild_remove" in client.events)
        assert [guild.name for guild in client.guilds] == ["Garden"]


async def test_channels_and_members_change(discord_server: FakeDiscord) -> None:
    server, humans = discord_server, discord_server.humans
    async with connected(server) as client:
        made = humans.create_channel(server.guild, "plans")
        humans.change_channel(made, name="old-plans")
        await server.until(lambda: "guild_channel_update" in client.events)
        channel = client.get_channel(made.id)
        assert isinstance(channel, discord.TextChannel)
        assert channel.name == "old-plans"
        humans.delete_channel(made)
        await server.until(lambda: client.get_channel(made.id) is None)
        humans.change_member(server.guild, server.ada, nick="Countess")
        await server.until(lambda: "member_update" in client.events)
        ada = client.guilds[0].get_member(server.ada.id)
        assert ada is not None
        assert ada.display_name == "Countess"
        with pytest.raises(discord.NotFound):
            await channel.send("too late")


async def test_every_event_has_its_number_and_the_hook_sees_it_first(discord_server: FakeDiscord) -> None:
    seen: list[int] = []
    discord_server.recorder.on_event = lambda number, record: seen.append(number)
    async with connected(discord_server) as client:
        message = discord_server.humans.say(discord_server.general, discord_server.ada, "count me")
        await discord_server.until(lambda: client.received)
        await client.received[0].add_reaction("✅")
        assert message.reactions[0].name == "✅"
    assert seen == list(range(1, len(seen) + 1))
    directions = {frame.direction for frame in discord_server.recorder.frames}
    assert directions == {Direction.TO_BOT, Direction.FROM_BOT}


CLIENT = """
import asyncio, sys
import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
import aiohttp, ssl, yarl

async def main(api: str, gateway: str, ca_file: str, token: str) -> None:
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = api, yarl.URL(gateway)
    connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=ca_file))
    client = discord.Client(intents=discord.Intents.all(), connector=connector)

    @client.event
    async def on_message(message: discord.Message) -> None:
        if message.author != client.user:
            await message.channel.typing()
            await message.reply("here", nonce=str(message.id))

    await client.start(token)

asyncio.run(main(*sys.argv[1:]))
"""


async def killed_at(number: int) -> tuple[FakeDiscord, list[str]]:
    """Talks to a client in a process of its own, kills it at an event; gives what the fake saw until then."""
    seen: list[str] = []
    async with FakeDiscord.running(rate_limits=False) as server:
        arguments = (server.api_base_url, server.gateway_url, server.ca_file, server.token)
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-W", "ignore", "-c", CLIENT, *arguments, stderr=asyncio.subprocess.DEVNULL
        )

        def on_event(count: int, record: Exchange | Frame) -> None:
            if count <= number:
                seen.append(
                    record.route or "" if isinstance(record, Exchange) else f"{record.op} {record.event}"
                )
            if count == number:
                program.send_signal(signal.SIGKILL)

        server.recorder.on_event = on_event
        await server.bot_connected()
        server.humans.say(server.general, server.ada, "are you there?")
        assert await program.wait() == -signal.SIGKILL
        await server.until(lambda: not server.gateway.connected)
        return server, seen


@pytest.mark.parametrize(("number", "answers"), [(12, 0), (13, 1), (15, 1)])
async def test_a_process_is_killed_at_the_event_that_was_asked_for(number: int, answers: int) -> None:
    """SET-3: the same number is the same moment in every run; what was received is executed."""
    server, seen = await killed_at(number)
    _other, again = await killed_at(number)
    assert seen == again
    assert len(seen) == number
    await server.until(lambda: len(server.general.messages.by(server.bot)) == answers)
    assert len(server.gateway.sessions) == 1, "the session waits for a RESUME"
