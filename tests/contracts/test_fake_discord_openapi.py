"""The fake checks both sides against Discord's published API document."""

import ssl
from typing import Any

import aiohttp
import pytest

from tests.fake_discord import FakeDiscord
from tests.fake_discord.openapi_check import OpenApiCheck, checker

pytestmark = pytest.mark.skipif(checker() is None, reason="Discord's API document is not beside the checkout")
CREATE = "/channels/{channel_id}/messages"


@pytest.fixture
def check() -> OpenApiCheck:
    found = checker()
    assert found is not None
    return found


@pytest.mark.parametrize(
    "body",
    [
        {"content": "hi"},
        {
            "content": "hi",
            "message_reference": {"message_id": 1, "channel_id": 2},
            "nonce": "5",
            "enforce_nonce": True,
        },
        {"embeds": [{"title": "t", "flags": 0}], "components": []},
        {"attachments": [{"id": 0, "filename": "a.txt"}]},
    ],
)
def test_good_requests_pass(check: OpenApiCheck, body: dict[str, Any]) -> None:
    assert check.request("POST", CREATE, body) == []


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"contents": "hi"}, "contents"),
        ({"content": 5}, "content"),
        ({"content": "x" * 2001}, "2001"),
        ({"content": "hi", "allowed_mentions": {"parse": ["all"]}}, "allowed_mentions"),
        ({"embeds": [{"titel": "t"}]}, "titel"),
        ({"message_reference": {"message_id": "abc"}}, "message_reference"),
        (None, "body"),
    ],
)
def test_bad_requests_are_named(check: OpenApiCheck, body: Any, named: str) -> None:
    found = check.request("POST", CREATE, body)
    assert found
    assert named in found[0]


def test_bad_answers_are_named(check: OpenApiCheck) -> None:
    assert check.answer("GET", "/gateway", 200, {"url": "wss://x"}) == []
    assert "url" in check.answer("GET", "/gateway", 200, {})[0]
    assert check.answer("POST", CREATE, 200, {"id": "1"})
    assert check.answer("POST", CREATE, 404, {"message": "Unknown Channel", "code": 10003}) == []
    assert check.answer("POST", CREATE, 302, {})
    assert check.request("GET", "/no/such/path", None)


async def test_a_bad_request_over_the_socket_fails_the_test_that_made_it() -> None:
    async with FakeDiscord.running() as server:
        trusted = ssl.create_default_context(cafile=server.ca_file)
        headers = {"Authorization": f"Bot {server.token}"}
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=trusted), headers=headers
        ) as session:
            url = f"{server.api_base_url}/channels/{server.general.id}"
            async with session.post(f"{url}/messages", json={"content": "hi", "mentions": "all"}) as response:
                assert response.status == 200, "Discord ignores what it does not know"
            async with session.post(f"{url}/no-such-thing") as response:
                assert response.status == 404
            async with session.post(f"{url}/messages", data=b"{broken") as response:
                assert (await response.json())["code"] == 50109
        assert len(server.violations) == 2
        with pytest.raises(AssertionError, match="mentions"):
            server.assert_no_violations()
