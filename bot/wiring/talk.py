"""core -> talks in voice channels: speech services, calls, and the scenes that they are joined to."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.discord_chat.commands.reading_aloud import add_reading_menu
from bot.discord_chat.languages import said_in
from bot.discord_chat.spoken_decisions import SpokenDecisions
from bot.discord_chat.voice_people import DiscordVoiceNotices, DiscordVoicePeople
from bot.speech_services import SpeechServices
from bot.voice_scenes.reading import Reader
from bot.voice_scenes.talk_parts import ChatOfTalk, TalkParts, TalkSettings
from bot.voice_scenes.voice_modes import VoiceModes
from bot.voice_scenes.voice_talks import VoiceTalks
from bot.wiring.core import Core, Running
from bot.wiring.discord_parts import DiscordParts
from bot.wiring.speech import speech_services
from bot.wiring.voice import running_voice
from voice import (
    Counts,
    SayLimits,
    SpokenReplySettings,
    TurnTakingSettings,
    VoiceMode,
)


@asynccontextmanager
async def running_talks(
    shared: DiscordParts, running: Running, *, services: SpeechServices | None = None
) -> AsyncGenerator[VoiceTalks | None]:
    """The bot in voice channels, None where it joins none.

    Files are heard, and voice messages spoken, as it does. `services` stand in for those of the settings.
    """
    core, channels, decides = shared.core, shared.channels, shared.decides
    if not core.settings.voice_rooms.enabled:
        yield None
        return
    async with AsyncExitStack() as stack:
        if services is None:
            services = await stack.enter_async_context(speech_services(core.settings))
        shared.spoken.hear_by(services.speech_to_text, language=services.language)
        manners = _manners(core)
        parts = TalkParts(
            services=services,
            orchestrator=running.orchestrator,
            speculation=running.speculation,
            sessions=core.stores.sessions,
            admissions=SpokenDecisions(decides.messages, decides.limits, decides.sleep),
            skills=shared.extras,
            overhearing=shared.ambient,
            people=DiscordVoicePeople(shared.client),
            manners=manners,
            notices=DiscordVoiceNotices(channels),
            said_in=said_in,
            chat=shared.place,
            settings=_settings(core),
            clock=core.clock,
            new_id=core.new_id,
        )
        talks = VoiceTalks(parts, manners, running.hooks)
        rooms = await stack.enter_async_context(
            running_voice(core, shared.client, channels, shared.voice_choices, talks)
        )
        if services.text_to_speech is not None:
            reader = Reader(voice=services.text_to_speech, language=services.language)
            shared.voice_messages.speak_by(reader)
            add_reading_menu(shared.client.tree, reader, talks, rooms)
        yield talks


def _manners(core: Core) -> VoiceModes:
    talk = core.settings.talk
    words = (word.strip() for word in (talk.wake_words or "").split(","))
    return VoiceModes(
        core.stores.settings,
        personas=core.scene_personas(),
        wake_words=tuple(word for word in words if word),
        default=VoiceMode(talk.mode),
        language=core.settings.speech.language,
    )


def _settings(core: Core) -> TalkSettings:
    talk, speech = core.settings.talk, core.settings.speech
    after_s = talk.acknowledge_after_ms / 1000 or None
    return TalkSettings(
        chat=ChatOfTalk(talk.chat),
        language=speech.language,
        speculates=talk.speculates,
        counts=Counts(talk.interrupted_counts),
        turn_taking=TurnTakingSettings(
            agree_ms=talk.agree_ms,
            open_ms=talk.open_ms,
            barge_in_ms=talk.barge_in_ms,
            follow_up_ms=talk.follow_up_ms,
        ),
        spoken=SpokenReplySettings(
            say_limits=SayLimits(most_said=talk.most_said) if talk.most_said else None,
            acknowledge_after_s=after_s,
        ),
    )
