"""What an event does that is still being handled when its connection is gone."""

import pytest
from discord.http import Route
from structlog.testing import capture_logs

from bot.discord_chat.addresses import DiscordAddresses
from bot.discord_chat.client import ParleyClient

NOWHERE = "http://127.0.0.1:1"


@pytest.mark.parametrize("closed", [True, False])
async def test_what_fails_for_want_of_a_connection_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, *, closed: bool
) -> None:
    """TEXT-7: why the connection ended is told elsewhere, in one line; without that end it is a defect."""
    monkeypatch.setattr(Route, "BASE", NOWHERE)
    async with ParleyClient(DiscordAddresses(api_base_url=NOWHERE)) as client:
        if closed:
            await client.close()
        with capture_logs() as logs:
            await client.on_error("on_connect")
    (line,) = logs
    assert line["discord_event"] == "on_connect"
    assert line["log_level"] == ("info" if closed else "error")
    assert bool(line.get("exc_info")) is not closed
