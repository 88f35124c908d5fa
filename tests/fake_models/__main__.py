"""`python -m tests.fake_models [PORT]`: a provider to try the bot against, until Ctrl-C."""

import asyncio
import sys
from contextlib import suppress

from tests.fake_models import FakeModels


async def main() -> None:
    """Print what the bot needs in its environment, then serve."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    async with FakeModels.running(port=port) as models:
        print(f"OPENAI_API_BASE_URL={models.base_url}")
        print("OPENAI_API_KEY=any")
        print("OPENAI_MODEL=fake-model", flush=True)
        await asyncio.Event().wait()


with suppress(KeyboardInterrupt):
    asyncio.run(main())
