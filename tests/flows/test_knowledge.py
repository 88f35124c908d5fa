"""Knowledge in real use: a manager gives a file, the bot cites it, there alone (MEM-8)."""

import json

from tests.fake_discord.entities import User
from tests.fake_models import Answer, Call
from tests.flows.recipe_room import all_text, commands_known, manager, run, told, tool_names
from tests.flows.text_room import TextRoom

GUIDE = "# Harbour\n\nAll about it.\n\n## Opening hours\n\nThe harbour opens at six.\n港は六時に開きます。\n"
PLACE = '[guide.md, "Harbour > Opening hours", line 5]'


async def add(room: TextRoom, name: str, content: bytes, **more: object) -> str:
    """What is said to who gives a file."""
    file = room.discord.humans.attach(room.general, name, content)
    return (await told(run(room, "knowledge add", file=file, **more))).content  # type: ignore[arg-type] - options


async def offered(room: TextRoom, user: User, channel: object = None) -> list[str]:
    """The tools of an answer."""
    before = len(room.models.requests)
    room.models.script(Answer(text=("Hello.",)))
    room.discord.humans.mention_bot(channel or room.general, user, "hello")  # type: ignore[arg-type] - a channel
    return tool_names((await room.models.wait_for_request(before + 1)).body)


async def test_a_file_is_given_asked_cited_and_taken_away(room: TextRoom) -> None:
    """MEM-8, MEM-2, TASK-33: by managers; no other server and no direct message is offered the tool."""
    world, boss = room.discord.world, manager(room)
    elsewhere = world.add_channel(
        world.add_guild("Elsewhere", members=[room.ada, room.discord.bot]), "general"
    )
    async with room.bot() as core:
        await commands_known(room)
        assert "knowledge" not in await offered(room, room.ada)
        await room.quiet(core)
        assert (await add(room, "guide.md", b"x", by=room.ada)).startswith("Only the bot's owner and members")
        assert (await add(room, "guide.pdf", b"%PDF-1.7", by=boss)).startswith("Only text and Markdown files")
        assert (await add(room, "long.txt", b"x" * 50_001, by=boss)).startswith("The file is too long")
        assert (await add(room, "blank.txt", b"  ", by=boss)) == "There are no words in that file."
        kept = await add(room, "guide.md", GUIDE.encode(), by=boss)
        assert kept == "Kept as `k1` **guide.md** (2 pieces); ask me about it here."
        assert "k1" in await add(room, "Guide.md", GUIDE.encode(), by=boss)
        assert "`k1` **guide.md**" in all_text(await told(run(room, "knowledge list", by=boss)))
        for by, found in ((boss, ["k1"]), (room.ada, [])):
            typing = room.discord.humans.autocomplete(
                room.general, by, "knowledge remove", focused="file", options={"file": "guide"}
            )
            assert [choice["value"] for choice in (await typing.responded()).choices] == found

        asked = Call(name="knowledge", arguments=json.dumps({"query": "港は何時に開きますか"}))
        room.models.script(Answer(calls=(asked,)), Answer(text=(f"At six {PLACE}.",)))
        before = len(room.models.requests)
        room.says("when does it open?")
        await room.answer(f"At six {PLACE}.")
        await room.quiet(core)
        first, second = (one.body for one in room.models.requests[before:])
        (tool,) = [one["function"] for one in first["tools"] if one["function"]["name"] == "knowledge"]
        assert '"guide.md"' in tool["description"]
        assert "knowledge" not in first["messages"][0]["content"]
        result = second["messages"][-1]["content"]
        assert f"{PLACE}\n## Opening hours\n\nThe harbour opens at six." in result
        assert "cite the source" in result

        for channel in (elsewhere, world.dm(room.ada)):
            assert "knowledge" not in await offered(room, room.ada, channel)
            await room.quiet(core)
        assert (
            "no file of that id"
            in (
                await told(run(room, "knowledge remove", by=room.ada, channel=world.dm(room.ada), file="k1"))
            ).content
        )
        data = await run(room, "privacy export-me", by=boss).shown(lambda message: bool(message.attachments))
        (given,) = json.loads(data.attachments[0].content)["knowledge"]
        assert "".join(piece["text"] for piece in given["pieces"]).endswith("港は六時に開きます。")
        gone = await told(run(room, "knowledge remove", by=boss, file="k1"))
        assert gone.content == "`k1` **guide.md** (2 pieces) is gone."
        assert "knowledge" not in await offered(room, room.ada)
        await room.quiet(core)
