"""Ears, manners and mouth: what a voice channel says becomes turns, and answers become speech.

The names here are all that others use of this package (VOX-30); the rest is its own. The adapters,
`voice.providers` and `voice.transport`, are wired by the composition root.

A name is loaded with its first use: a terminal needs none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from voice.audio.frames import (
        FULL_BAND_RATE_HZ as FULL_BAND_RATE_HZ,
    )
    from voice.audio.frames import (
        HEARD_RATE_HZ as HEARD_RATE_HZ,
    )
    from voice.audio.frames import (
        SENT_CHANNELS as SENT_CHANNELS,
    )
    from voice.audio.frames import (
        SENT_RATE_HZ as SENT_RATE_HZ,
    )
    from voice.audio.frames import (
        HeardEvent as HeardEvent,
    )
    from voice.audio.frames import (
        HeardFrame as HeardFrame,
    )
    from voice.audio.frames import (
        SpeakerLeft as SpeakerLeft,
    )
    from voice.audio.frames import (
        TransmissionStarted as TransmissionStarted,
    )
    from voice.audio.ogg_opus import (
        ogg_opus as ogg_opus,
    )
    from voice.audio.opus import (
        OpusMissing as OpusMissing,
    )
    from voice.audio.opus_file import (
        OpusFile as OpusFile,
    )
    from voice.audio.playback_queue import (
        Playback as Playback,
    )
    from voice.audio.sound_file import (
        NoSound as NoSound,
    )
    from voice.audio.sound_file import (
        sound_of as sound_of,
    )
    from voice.calls import (
        Call as Call,
    )
    from voice.calls import (
        CallEnded as CallEnded,
    )
    from voice.calls import (
        Calls as Calls,
    )
    from voice.calls import (
        CallStatistics as CallStatistics,
    )
    from voice.calls import (
        CannotJoin as CannotJoin,
    )
    from voice.calls import (
        EndReason as EndReason,
    )
    from voice.calls import (
        SpeakerStatistics as SpeakerStatistics,
    )
    from voice.controller import (
        Ears as Ears,
    )
    from voice.controller import (
        VoiceController as VoiceController,
    )
    from voice.input.judges import (
        TurnModel as TurnModel,
    )
    from voice.input.judges import (
        VoiceActivity as VoiceActivity,
    )
    from voice.input.judges import (
        WakeWord as WakeWord,
    )
    from voice.input.speech_to_text import (
        SpeechFailed as SpeechFailed,
    )
    from voice.input.speech_to_text import (
        SpeechToText as SpeechToText,
    )
    from voice.input.spoken_turns import (
        SpokenBurst as SpokenBurst,
    )
    from voice.input.spoken_turns import (
        SpokenTurn as SpokenTurn,
    )
    from voice.interruption import (
        TurnInterrupted as TurnInterrupted,
    )
    from voice.latency import (
        LatencyTraces as LatencyTraces,
    )
    from voice.latency import (
        Stretch as Stretch,
    )
    from voice.output.output_events import (
        Cause as Cause,
    )
    from voice.output.output_events import (
        OutputEvent as OutputEvent,
    )
    from voice.output.output_events import (
        Purpose as Purpose,
    )
    from voice.output.output_events import (
        SpeechGaveUp as SpeechGaveUp,
    )
    from voice.output.say_and_show_rules import (
        SayLimits as SayLimits,
    )
    from voice.output.text_to_speech import (
        SynthesisChunk as SynthesisChunk,
    )
    from voice.output.text_to_speech import (
        TextToSpeech as TextToSpeech,
    )
    from voice.output.text_to_speech import (
        UnknownVoice as UnknownVoice,
    )
    from voice.output.text_to_speech import (
        VoicedTextToSpeech as VoicedTextToSpeech,
    )
    from voice.output.text_to_speech import (
        Voices as Voices,
    )
    from voice.output.two_sinks import (
        Counts as Counts,
    )
    from voice.output.two_sinks import (
        ShownAndSpokenReplies as ShownAndSpokenReplies,
    )
    from voice.output.voice_output import (
        VoiceOutput as VoiceOutput,
    )
    from voice.output.voice_response import (
        VoiceResponse as VoiceResponse,
    )
    from voice.output.voice_sink import (
        SpokenReplies as SpokenReplies,
    )
    from voice.output.voice_sink import (
        SpokenReplySettings as SpokenReplySettings,
    )
    from voice.policy.events import (
        HearingFailed as HearingFailed,
    )
    from voice.policy.events import (
        InputBegan as InputBegan,
    )
    from voice.policy.events import (
        InputCancelled as InputCancelled,
    )
    from voice.policy.events import (
        InputDropped as InputDropped,
    )
    from voice.policy.events import (
        SpeculationEnd as SpeculationEnd,
    )
    from voice.policy.events import (
        SpeculationEnded as SpeculationEnded,
    )
    from voice.policy.events import (
        SpeculationStarted as SpeculationStarted,
    )
    from voice.policy.events import (
        TranscriptGrew as TranscriptGrew,
    )
    from voice.policy.events import (
        TurnsSubmitted as TurnsSubmitted,
    )
    from voice.policy.events import (
        VoiceEvent as VoiceEvent,
    )
    from voice.policy.room import (
        Room as Room,
    )
    from voice.policy.room import (
        VoiceMode as VoiceMode,
    )
    from voice.policy.settings import (
        TurnTakingSettings as TurnTakingSettings,
    )
    from voice.speech_text import (
        SpeechTextStream as SpeechTextStream,
    )
    from voice.speech_text import (
        Spoken as Spoken,
    )
    from voice.speech_text import (
        to_speech_text as to_speech_text,
    )
    from voice.turn import (
        TurnRef as TurnRef,
    )

_HOMES: Final = {
    "Call": "voice.calls",
    "CallEnded": "voice.calls",
    "CallStatistics": "voice.calls",
    "Calls": "voice.calls",
    "CannotJoin": "voice.calls",
    "Cause": "voice.output.output_events",
    "Counts": "voice.output.two_sinks",
    "Ears": "voice.controller",
    "EndReason": "voice.calls",
    "FULL_BAND_RATE_HZ": "voice.audio.frames",
    "HEARD_RATE_HZ": "voice.audio.frames",
    "HeardEvent": "voice.audio.frames",
    "HeardFrame": "voice.audio.frames",
    "HearingFailed": "voice.policy.events",
    "InputBegan": "voice.policy.events",
    "InputCancelled": "voice.policy.events",
    "InputDropped": "voice.policy.events",
    "LatencyTraces": "voice.latency",
    "NoSound": "voice.audio.sound_file",
    "OpusFile": "voice.audio.opus_file",
    "OpusMissing": "voice.audio.opus",
    "OutputEvent": "voice.output.output_events",
    "Playback": "voice.audio.playback_queue",
    "Purpose": "voice.output.output_events",
    "Room": "voice.policy.room",
    "SENT_CHANNELS": "voice.audio.frames",
    "SENT_RATE_HZ": "voice.audio.frames",
    "SayLimits": "voice.output.say_and_show_rules",
    "ShownAndSpokenReplies": "voice.output.two_sinks",
    "SpeakerLeft": "voice.audio.frames",
    "SpeakerStatistics": "voice.calls",
    "SpeculationEnd": "voice.policy.events",
    "SpeculationEnded": "voice.policy.events",
    "SpeculationStarted": "voice.policy.events",
    "SpeechFailed": "voice.input.speech_to_text",
    "SpeechGaveUp": "voice.output.output_events",
    "SpeechTextStream": "voice.speech_text",
    "SpeechToText": "voice.input.speech_to_text",
    "Spoken": "voice.speech_text",
    "SpokenBurst": "voice.input.spoken_turns",
    "SpokenReplies": "voice.output.voice_sink",
    "SpokenReplySettings": "voice.output.voice_sink",
    "SpokenTurn": "voice.input.spoken_turns",
    "Stretch": "voice.latency",
    "SynthesisChunk": "voice.output.text_to_speech",
    "TextToSpeech": "voice.output.text_to_speech",
    "TranscriptGrew": "voice.policy.events",
    "TransmissionStarted": "voice.audio.frames",
    "TurnInterrupted": "voice.interruption",
    "TurnModel": "voice.input.judges",
    "TurnRef": "voice.turn",
    "TurnTakingSettings": "voice.policy.settings",
    "TurnsSubmitted": "voice.policy.events",
    "UnknownVoice": "voice.output.text_to_speech",
    "VoiceActivity": "voice.input.judges",
    "VoiceController": "voice.controller",
    "VoiceEvent": "voice.policy.events",
    "VoiceMode": "voice.policy.room",
    "VoiceOutput": "voice.output.voice_output",
    "VoiceResponse": "voice.output.voice_response",
    "VoicedTextToSpeech": "voice.output.text_to_speech",
    "Voices": "voice.output.text_to_speech",
    "WakeWord": "voice.input.judges",
    "ogg_opus": "voice.audio.ogg_opus",
    "sound_of": "voice.audio.sound_file",
    "to_speech_text": "voice.speech_text",
}


def __getattr__(name: str) -> object:
    """The name, from where it lives."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
