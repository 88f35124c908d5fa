"""The fake's rate limits and ordered failures against a real discord.py client and plain HTTP."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import discord
import pytest

from tests.fake_discord import FakeDiscord
from tests.fake_discord.probe import ProbeClient, connected
from tests.fake_discord.rate_limits import Limit

CREATE = ("POST", "/channels/{channel_id}/messages")
EDIT = ("PATCH", "/channels/{channel_id}/messages/{message_id}")


@asynccontextmanager
async def limited() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord.running(rate_limits=True) as server:
        yield server
    server.assert_no_violations()


@asynccontextmanager
async def http(server: FakeDiscord) -> AsyncIterator[aiohttp.ClientSession]:
    trusted = ssl.create_default_context(cafile=server.ca_file)
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=trusted), headers={"Authorization": f"Bot {server.token}"}
    ) as session:
        yield session


def general_of(server: FakeDiscord, client: ProbeClient) -> discord.TextChannel:
    channel = client.get_channel(server.general.id)
    assert isinstance(channel, discord.TextChannel)
    return channel


async def test_the_sixth_message_in_five_seconds_gets_429_with_real_headers() -> None:
    """TEXT-8: limits, remaining, reset, bucket and scope are told as Discord tells them."""
    async with limited() as server, http(server) as session:
        url = f"{server.api_base_url}/channels/{server.general.id}/messages"
        for left in (4, 3, 2, 1, 0):
            async with session.post(url, json={"content": "x"}) as response:
                assert response.status == 200
                assert response.headers["Content-Type"] == "application/json"
                assert response.headers["X-RateLimit-Limit"] == "5"
                assert response.headers["X-RateLimit-Remaining"] == str(left)
                assert 0 < float(response.headers["X-RateLimit-Reset-After"]) <= 5
                bucket = response.headers["X-RateLimit-Bucket"]
        async with session.post(url, json={"content": "x"}) as response:
            body = await response.json()
            assert response.status == 429
            assert response.headers["X-RateLimit-Scope"] == "user"
            assert response.headers["X-RateLimit-Bucket"] == bucket
            assert "Via" in response.headers
            assert 4 < body["retry_after"] <= 5
            assert body["global"] is False
        other = server.world.add_channel(server.guild, "other")
        async with session.post(
            f"{server.api_base_url}/channels/{other.id}/messages", json={"content": "x"}
        ) as free:
            assert free.status == 200, "each channel has its own window"


async def test_fifty_requests_a_second_are_the_global_limit() -> None:
    async with limited() as server, http(server) as session:
        server.rate_limits.overall = Limit(3, 60.0)
        for _ in range(3):
            assert (await session.get(f"{server.api_base_url}/users/@me")).status == 200
        async with session.get(f"{server.api_base_url}/gateway/bot") as response:
            assert response.status == 429
            assert response.headers["X-RateLimit-Scope"] == "global"
            assert (await response.json())["global"] is True


async def test_the_client_waits_a_429_out() -> None:
    """TEXT-8: the message comes in the end, once."""
    async with limited() as server, connected(server) as client:
        server.rate_limits.overrides[CREATE] = Limit(2, 0.1)
        channel = general_of(server, client)
        await asyncio.gather(*(channel.send(str(number)) for number in range(5)))
        assert sorted(message.content for message in server.general.messages) == list("01234")


async def test_the_shared_scope_is_told_apart() -> None:
    async with limited() as server, http(server) as session:
        server.rate_limits.share_out("GET /users/@me", until=server.state.monotonic() + 60)
        async with session.get(f"{server.api_base_url}/users/@me") as response:
            assert (response.status, response.headers["X-RateLimit-Scope"]) == (429, "shared")


async def test_a_failure_before_execution_leaves_nothing(discord_server: FakeDiscord) -> None:
    ordered = discord_server.failures.fail(*CREATE, status=503, times=1)
    async with connected(discord_server) as client:
        channel = general_of(discord_server, client)
        with pytest.raises(discord.DiscordServerError):
            await channel.send("lost")
        assert len(discord_server.general.messages) == 0
        await channel.send("kept")
        assert len(ordered.hits) == 1


async def test_a_failure_after_execution_and_a_retry_with_nonce_post_once(
    discord_server: FakeDiscord,
) -> None:
    """TEXT-11: discord.py repeats after a 500; the nonce keeps the message single."""
    discord_server.failures.fail(*CREATE, status=500, after_execution=True)
    async with connected(discord_server) as client:
        channel = general_of(discord_server, client)
        sent = await channel.send("once", nonce="1")
        assert [message.id for message in discord_server.general.messages] == [sent.id]
        assert len(discord_server.recorder.requests(*CREATE)) == 2


async def test_a_dropped_answer_leaves_the_message_and_resets_the_client(discord_server: FakeDiscord) -> None:
    discord_server.failures.drop(*CREATE, after_execution=True)
    async with connected(discord_server) as client:
        channel = general_of(discord_server, client)
        with pytest.raises(aiohttp.ClientError):
            await channel.send("there", nonce="1")
        assert [message.content for message in discord_server.general.messages] == ["there"]
        assert discord_server.recorder.requests(*CREATE)[0].status == 0
        again = await channel.send("there", nonce="1")
        assert again.id == discord_server.general.messages[-1].id
        assert len(discord_server.general.messages) == 1


async def test_a_connection_dropped_before_execution_leaves_nothing(discord_server: FakeDiscord) -> None:
    discord_server.failures.drop(*CREATE)
    async with connected(discord_server) as client:
        with pytest.raises((OSError, aiohttp.ClientError)):
            await general_of(discord_server, client).send("gone")
        assert len(discord_server.general.messages) == 0


async def test_requests_can_be_held_and_delayed(discord_server: FakeDiscord) -> None:
    held = discord_server.failures.hold(*CREATE)
    discord_server.failures.delay(*EDIT, seconds=0.05)
    async with connected(discord_server) as client, asyncio.TaskGroup() as tasks:
        sending = tasks.create_task(general_of(discord_server, client).send("wait"))
        await discord_server.recorder.request(*CREATE, answered=False)
        assert len(discord_server.general.messages) == 0
        held.release()
        await (await sending).edit(content="waited")
        edit = discord_server.recorder.requests(*EDIT)[0]
        assert edit.answered_at is not None
        assert edit.answered_at - edit.received_at >= 0.05


async def test_failures_match_by_what_is_asked(discord_server: FakeDiscord) -> None:
    discord_server.failures.fail(
        *CREATE,
        status=403,
        code=50013,
        message="Missing Permissions",
        where=lambda one: one.json["content"] == "no",
    )
    async with connected(discord_server) as client:
        channel = general_of(discord_server, client)
        await channel.send("yes")
        with pytest.raises(discord.Forbidden) as raised:
            await channel.send("no")
        assert raised.value.code == 50013
