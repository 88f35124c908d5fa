"""The fake checks both sides against Discord's published API document."""

import copy
import ssl
from typing import Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fake_discord import FakeDiscord, message_payloads
from tests.fake_discord.messages import Draft
from tests.fake_discord.openapi_check import OpenApiCheck, checker
from tests.fake_discord.state import make_state

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


def a_message() -> dict[str, Any]:
    state = make_state()
    world = state.world
    guild = world.add_guild("Garden", members=[ada := world.add_user("ada")])
    channel = world.add_channel(guild, "general")
    button = {"type": 1, "components": [{"type": 2, "style": 1, "custom_id": "a", "label": "A"}]}
    question = state.humans.say(channel, ada, "?", attachments=[("a.txt", b"x")], embeds=[{"title": "t"}])
    draft = Draft(content="!", reply_to=question, components=[button])
    return message_payloads.message(state.messages.create(channel, world.bot, draft), viewer=world.bot)


SEEDS = (
    a_message(),
    {"content": "x", "nonce": 1, "embeds": [{"title": "t", "fields": [{"name": "n", "value": "v"}]}]},
)
STRANGE = (
    None,
    True,
    False,
    0,
    1,
    1.0,
    1.5,
    -1,
    2**60,
    "",
    "0",
    "01",
    "x" * 5000,
    [],
    [1, 1],
    {},
    {"type": 2},
)


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A sound value with a few places replaced, removed or added."""
    value = copy.deepcopy(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 3))):
        place: Any = value
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and place[key] and draw(st.booleans()):
                place = place[key]
                continue
            if draw(st.booleans()):
                place[key] = copy.deepcopy(draw(st.sampled_from(STRANGE)))
            elif isinstance(place, dict):
                del place[key]
                place[draw(st.sampled_from(["unknown", "type", "id"]))] = draw(st.sampled_from(STRANGE[:12]))
            break
    return value


@settings(max_examples=150, deadline=None)
@given(value=damaged() | st.sampled_from(STRANGE))
def test_the_quick_check_and_jsonschema_agree(value: Any) -> None:
    found = checker()
    assert found is not None
    for judge in (
        found.judge_of_request("POST", CREATE),
        found.judge_of_request("PUT", "/applications/{application_id}/commands"),
        found.judge_of_answer("POST", CREATE, "200"),
        found.judge_of_answer("GET", "/channels/{channel_id}", "200"),
    ):
        assert judge is not None
        assert judge.quick(value) is judge.thorough.is_valid(value)


def test_every_schema_of_the_document_is_understood(check: OpenApiCheck) -> None:
    for schemas in check.quick_schemas():
        schemas.compile_all()
