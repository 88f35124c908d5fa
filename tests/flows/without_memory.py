"""A program: one talk with a bot whose optional domains were taken out; prints what is left as JSON (MEM-9).

It is started in a copy of the project without `recipes/memory/`, `recipes/knowledge/` and their lines.
"""

import asyncio
import json
import sys
from pathlib import Path

from sqlalchemy import create_engine, inspect

from tests.fake_discord import FakeDiscord
from tests.fake_models import FakeModels
from tests.flows.recipe_room import BRIEF, commands_known, owner, put_recipe, run, told
from tests.flows.text_room import TextRoom


async def talk(folder: Path) -> dict[str, object]:
    async with FakeDiscord.running(rate_limits=False) as discord, FakeModels.running() as models:
        room = TextRoom(discord=discord, models=models, folder=folder)
        put_recipe(room, "brief.md", BRIEF)
        async with room.bot() as core:
            await commands_known(room)
            room.says("brief", by=owner(room))
            await room.answer("brief")
            await room.quiet(core)
            shown = await told(run(room, "privacy show"))
        body = models.requests[0].body
        put = discord.recorder.requests("PUT", "/applications/{application_id}/commands")[-1]
        return {
            "said": body["messages"][-1]["content"],
            "prompt": body["messages"][0]["content"],
            "tools": [tool["function"]["name"] for tool in body["tools"]],
            "commands": [command["name"] for command in put.json],
            "privacy": shown.content,
        }


def tables(folder: Path) -> list[str]:
    (file,) = folder.glob("*.db")
    return sorted(inspect(create_engine(f"sqlite:///{file}")).get_table_names())


def main() -> None:
    folder = Path(sys.argv[1])
    found = asyncio.run(talk(folder))
    print(json.dumps({**found, "tables": tables(folder)}))


if __name__ == "__main__":
    main()
