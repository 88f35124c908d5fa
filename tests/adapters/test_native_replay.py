"""What a provider gave goes back to it in the next turn, over the wire and over a restart."""

import json
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import pytest

from core.conversation.content import Audio, File, MediaSource
from core.conversation.continuation import ProtocolName
from core.conversation.turns import Conversation, ReplyText, Round, Turn, UserTurn
from core.failures import RequestRefused
from core.generation.capabilities import Capabilities
from core.generation.requests import Step, one_endpoint
from sessions.turn_decoding import decode_turn
from sessions.turn_encoding import encode_turn
from tests.fake_models import Answer, Call, FakeModels, RawStream
from tests.generation_setup import (
    MOMENT,
    DictMedia,
    asked,
    collected,
    counting_tool,
    endpoint,
    generator,
    said,
    turn_of,
)

SEARCH: dict[str, Any] = {"type": "web_search_call", "id": "ws", "status": "completed", "new": [1.0, "é"]}


def restarted(turn: Turn) -> Turn:
    return decode_turn(encode_turn(turn))


async def test_items_of_responses_survive_a_restart() -> None:
    """CORE-7, CORE-10, CORE-38: encrypted reasoning, search records and unknown fields, string by string."""
    tool, _ = counting_tool()
    async with FakeModels.running() as models, generator() as generation:
        request = asked(models, tools=(tool,), protocol=ProtocolName.RESPONSES)
        models.script(
            Answer(native_items=(SEARCH,), reasoning=("Hm.",), calls=(Call(name="count", id="c"),)),
            Answer(text=("Found.",), citations=(("https://example.org", "A", 0, 5),)),
        )
        turn = turn_of(await collected(generation, request))
        turns = (said("Hi"), restarted(turn), said("And?"))
        later = replace(request, conversation=Conversation(id="discord:channel:1", turns=turns))
        models.script(Answer(text=("No more.",)))
        next_turn = turn_of(await collected(generation, later))
        sent = models.requests[-1].body["input"]
    assert [item["type"] for item in sent] == [
        "message",
        "web_search_call",
        "reasoning",
        "function_call",
        "function_call_output",
        "message",
        "message",
    ]
    assert json.dumps(sent[1]) == json.dumps(SEARCH)
    assert sent[2]["encrypted_content"] == "c2VjcmV0"
    assert sent[5]["content"][0]["annotations"][0]["url"] == "https://example.org"
    assert next_turn.issues == ()


async def test_another_protocol_reads_what_is_portable_and_the_turn_tells_the_rest() -> None:
    """CORE-8, CORE-34: the issue stands on the new turn, the payload stays where it is."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(Answer(native_items=(SEARCH,), text=("Found.",)))
        turn = turn_of(await collected(generation, asked(models, protocol=ProtocolName.RESPONSES)))
        models.script(Answer(text=("ok",)))
        next_turn = turn_of(await collected(generation, asked(models, said("Hi"), turn, said("And?"))))
        assert models.requests[-1].body["messages"][1] == {"role": "assistant", "content": "Found."}
    assert [issue.item_type for issue in next_turn.issues] == ["web_search_call"]
    assert turn.rounds[0].continuation is not None
    assert json.loads(turn.rounds[0].continuation.items_json)[0] == SEARCH


async def test_imported_history_is_read_as_it_is() -> None:
    """CORE-4: no run, no call, no usage; nothing is invented for it."""
    async with FakeModels.running() as models, generator() as generation:
        models.script(Answer(text=("ok",)))
        first = turn_of(await collected(generation, asked(models)))
        imported = replace(first, run_id=None, rounds=(Round(content=(ReplyText(text="Imported."),)),))
        stored = restarted(imported)
        assert stored == imported
        await collected(generation, asked(models, said("Hi"), stored, said("And?")))
        assert models.requests[-1].body["messages"][1] == {"role": "assistant", "content": "Imported."}


@pytest.mark.parametrize(
    "part",
    [
        Audio(source=MediaSource(path=PurePath("a.wav")), media_type="audio/wav"),
        File(source=MediaSource(provider_file_id="file-1"), media_type="text/plain", name="a"),
    ],
)
async def test_what_responses_cannot_carry_is_refused_before_any_request(part: Audio | File) -> None:
    """CORE-10, CORE-30."""
    media = DictMedia({PurePath("a.wav"): b"wav"})
    async with FakeModels.running() as models, generator(media=media) as generation:
        hearing = replace(
            endpoint(models, ProtocolName.RESPONSES), capabilities=Capabilities(audio=True, files=True)
        )
        turn = UserTurn(id="u", at=MOMENT, content=(part,))
        request = replace(asked(models, turn), resolve_step=one_endpoint(Step(endpoint=hearing)))
        with pytest.raises(RequestRefused) as caught:
            await collected(generation, request)
        assert models.requests == []
    assert caught.value.advice.endswith(".")


async def test_audio_of_a_conversation_becomes_its_transcript_for_a_model_that_reads() -> None:
    """CORE-16: over the wire, while the stored turn keeps the recording."""
    audio = Audio(
        source=MediaSource(path=PurePath("a.wav")), media_type="audio/wav", transcript="Good evening."
    )
    turn = UserTurn(id="u", at=MOMENT, content=(audio,))
    async with FakeModels.running() as models, generator(media=DictMedia()) as generation:
        await collected(generation, asked(models, turn))
        sent = models.requests[0].body["messages"][0]
    assert sent == {"role": "user", "content": "[2026-11-30 18:47] [audio, transcribed: Good evening.]"}
    assert turn.content == (audio,)


@pytest.mark.parametrize("protocol", list(ProtocolName))
async def test_half_characters_of_a_provider_do_not_break_the_next_request(protocol: ProtocolName) -> None:
    """CORE-7: a lone surrogate that came as an escape can be stored and sent again."""
    half = r'"\ud83c"'
    delta = f'{{"reasoning": {half}, "content": {half}}}'
    chat = f'data: {{"choices": [{{"index": 0, "delta": {delta}, "finish_reason": "stop"}}]}}\n\n'
    content = f'[{{"type": "output_text", "text": {half}}}]'
    item = f'{{"type": "message", "id": "m", "role": "assistant", "content": {content}}}'
    response = f'{{"status": "completed", "output": [{item}]}}'
    responses = f'data: {{"type": "response.completed", "response": {response}}}\n\n'
    stream = {ProtocolName.CHAT: chat, ProtocolName.RESPONSES: responses}[protocol]
    async with FakeModels.running() as models, generator() as generation:
        models.script(RawStream(chunks=(stream.encode(),)), Answer(text=("ok",)))
        turn = restarted(turn_of(await collected(generation, asked(models, protocol=protocol))))
        request = asked(models, said("Hi"), turn, said("And?"), protocol=protocol)
        assert turn_of(await collected(generation, request)).text == "ok"
