"""Model providers on loopback: the OpenAI protocols over real sockets, scripted and recorded.

    async with FakeModels.running() as models:
        models.script(Answer(text=("Hel", "lo")), Refusal(status=429, headers={"Retry-After": "2"}))
        ...
        assert models.requests[0].body["model"] == "any"

Without a script it echoes, so that a person can use it: `python -m tests.fake_models`.
"""

from tests.fake_models.scripts import Answer, Call, Ending, RawStream, Refusal, Script
from tests.fake_models.server import FakeModels, RecordedRequest

__all__ = ["Answer", "Call", "Ending", "FakeModels", "RawStream", "RecordedRequest", "Refusal", "Script"]
