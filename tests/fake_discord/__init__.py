"""A fake Discord: REST v10 and gateway v10 on loopback, for a real discord.py client or the whole bot.

Start it
--------
Fixture `discord_server` (a conftest imports it from `tests.fake_discord.fixtures` into its `__all__`), or::

    async with FakeDiscord.running(rate_limits=False) as discord:
        discord.environment  # DISCORD_TOKEN, DISCORD_API_BASE_URL, DISCORD_GATEWAY_URL, DISCORD_CA_FILE
        discord.api_base_url, discord.gateway_url, discord.ca_file, discord.token
        await discord.bot_connected()

`running(rate_limits=, validate=, record=, clock=, monotonic=, token=, bot_name=, port=)`; for benchmarks
all three switches off. `python -m tests.fake_discord` starts it for a person. `probe.connected(discord)` is
a small real discord.py client. After a test call `discord.assert_no_violations()` (the fixture does): every
request of the bot and every answer of the fake is checked against Discord's OpenAPI document, where that is
present.

The world
---------
`discord.guild` with `discord.general`, humans `discord.ada` and `discord.grace`, `discord.bot`,
`discord.world.owner` (owner of guild and application). `discord.world` builds silently, before the bot
connects: `add_user, add_guild, add_channel(guild, name, kind=ChannelKind.VOICE), add_thread, add_member,
add_role, dm(user)`; `channel.deny(discord.bot, Permission.SEND_MESSAGES)`, `channel.allow`, `user.dms_open
= False` (50007), `world.application.message_content_intent = False` (4014, and emptied content),
`channel.slow_mode_binds_bots`. `channel.messages` iterates in order: `[-1]`, `.get(id)`, `.by(user)`,
`len()`. A `Message` has `.content`, `.contents` (every text it has had), `.pinged` (ids who were notified),
`.attachments[i].content`, `.reactions`, `.referenced`, `.nonce`, `.deleted`. `channel.typing` lists who
asked to be shown typing, and when.

Humans act, the bot hears of it
-------------------------------
::

    question = discord.humans.mention_bot(discord.general, discord.ada, "how are you?")
    answer = await discord.humans.answer_in(discord.general, lambda message: "fine" in message.content)

`discord.humans`: `say(channel, author, text, reply_to=, ping=, attachments=[("a.txt", b"...")], forward=,
embeds=, stickers=, poll=, at=)`, `edit`, `delete`, `delete_many`, `react`, `unreact`, `pin`, `type`,
`vote`, `embed_links`; `create_channel`, `create_thread(parent, name, owner, on=message)`,
`create_post(forum, ...)`, `change_channel(channel, name=..., parent=..., archived=..., locked=...)`,
`archive`, `delete_channel`, `set_overwrite`; `add_bot_to`, `remove_bot_from`, `outage`, `outage_over`,
`join`, `leave`, `change_member`. Interactions: `run_command(channel, user, "session reset",
options={...})`, `run_context_menu(channel, user, name, target)`, `autocomplete`, `press(message, user,
custom_id)`, `button(message, label)`, `select`, `submit_modal`. They return the interaction: `await
it.responded()`, `await it.shown()` (its message once it is no longer "thinking"), `.callback`, `.original`,
`.followups`, `.choices`, `.response_time_s`; `message.ephemeral`.

What crossed the sockets
------------------------
`discord.recorder`: `requests(method, route, where)`, `await request("POST",
"/channels/{channel_id}/messages", where=, count=, answered=)`, `events("MESSAGE_CREATE")`, `await
frame(where)`, `await wait_for(where)`, `await discord.until(lambda: ...)` (looked at again after every
event), `tail()`. Routes are the templates of Discord's document. `recorder.on_event = hook(n, record)` is
called with the number of every event before it takes effect (requests received and answered, gateway
messages both ways; no heartbeats): kill the bot's process there.

Voice
-----
`tests/fake_discord/voice/`: voice gateway, UDP, DAVE with real MLS, humans who speak PCM and hear; hooked in
by `async with FakeVoice.running(discord) as voice`. See its `server.py`; `flows/voice_scene.py` uses it.

Failures
--------
`discord.failures`: `fail(method, route, status=500, code=, times=1, after_execution=False, where=)`,
`drop(method, route, after_execution=True)` (the message exists, the client sees a reset), `delay(...,
seconds)`, `hold(method, route)` until `.release()`. The rule that is returned lists its `.hits`.
`discord.gateway`: `ask_to_reconnect()` (op 7), `invalidate(resumable=)` (op 9), `close(code)`, `cut()` (TCP
reset), `forget_sessions()`, `acknowledges_heartbeats = False` (zombie), `refuses_connections`,
`heartbeat_interval_ms`, `identifies`, `resumes`, `sessions`, `connected`. Sessions outlive sockets and the
bot's process. `discord.rate_limits`: `overrides[method, route] = Limit(5, 5.0)`, `overall`,
`share_out(bucket, until=)`, `enabled`. Nonces: `discord.messages.nonce_window_s`, `.nonce_in_history`.
Uploads: `discord.state.max_upload_bytes`.
"""

from tests.fake_discord.entities import ChannelKind, MessageFlag, MessageKind
from tests.fake_discord.permissions import Permission
from tests.fake_discord.server import FakeDiscord

__all__ = ["ChannelKind", "FakeDiscord", "MessageFlag", "MessageKind", "Permission"]
