from core.conversation.continuation import ProtocolName
from tests.fake_models import Answer, FakeModels
from tests.generation_setup import asked, collected, generator, said, text_of, turn_of


async def test_a_chat_stream_arrives_as_events() -> None:
    """CORE-13: a closed union of events, the turn last."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(Answer(text=("Hel", "lo")))
        events = await collected(generation, asked(models, said("Hi")))
        assert text_of(events) == "Hello"
        assert turn_of(events).text == "Hello"
        assert models.requests[0].body["messages"] == [
            {"role": "user", "content": "[2026-11-30 18:47] Bob (42): Hi"}
        ]
        print(events)
        print(await collected(generation, asked(models, said("Hi"))))


async def test_a_responses_stream_arrives_as_events() -> None:
    """CORE-6, CORE-13."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(Answer(text=("Hel", "lo")))
        events = await collected(generation, asked(models, said("Hi"), protocol=ProtocolName.RESPONSES))
        assert text_of(events) == "Hello"
