"""Turn taking as files: who speaks when, and what is to be decided (`tests/data/voice_scenarios`).

    about = "..."                  what it shows
    mode = "auto"                  of the channel; `people` are present from the start
    people = ["Ann", "Ben"]
    reply_after_ms = 400           the bot answers by itself, `reply_ms` long; left out: it is silent
    [[speech]]                     who, at (s) and `says` (words; "<400>" is a pause in ms, `word_ms` each,
                                   `keeps_sending_ms` of noise behind), or `sound_ms` of noise, of which
                                   `voiced_ms` fool voice activity; or `plays`, real sound for a real
                                   judge of voices: names and arguments of `vowel_sounds` one after another
                                   ("vowels aei", "laughter 1.5", "pause 0.4"), `over` another one, of
                                   which the words `understood` are recognised
    [[bot]]                        at (s), ms, answering: a reply that was asked for before, of which the
                                   last `asks_ms` are a question
    [[event]]                      at (s), and `leaves`, `joins`, `talks` (a person) or `mode`
    [ears]                         lag_ms, partial_every_ms, turn_model (a number for each answer)
    [settings]                     of turn taking, where they are not the defaults
    [expect]
    bursts                         what is handed over: turns ("Ann: Hello."), at (s), answer, goes_on
    decisions                      every other one: ducked, resumed, stopped, cancelled, dropped; at (s)

`within` (s) is 0.03 unless told. What is not expected must not happen.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from tests.voice_talk import Talk
from tests.vowel_sounds import mixed, played
from voice.controller import VoiceController
from voice.policy.events import (
    InputCancelled,
    InputDropped,
    PlaybackDucked,
    PlaybackResumed,
    PlaybackStopped,
    VoiceEvent,
)
from voice.policy.room import VoiceMode
from voice.policy.settings import TurnTakingSettings

FOLDER = Path(__file__).parent / "data" / "voice_scenarios"
_WITHIN_S = 0.03
_UNLESS_TOLD = {"answer": True, "goes_on": False}


class Decision(TypedDict, total=False):
    """What was or is to be decided; the keys of the file."""

    kind: str
    at: float
    within: float
    turns: list[str]
    answer: bool
    goes_on: bool
    why: str


@dataclass(frozen=True)
class Scenario:
    """One file."""

    name: str
    content: dict[str, Any]

    def talk(self) -> Talk:
        """The conversation, ready to run."""
        content = self.content
        names: list[str] = content.get("people", ["Ann"])
        everybody = [*names, *(one["joins"] for one in content.get("event", ()) if "joins" in one)]
        ids = {name: number for number, name in enumerate(dict.fromkeys(everybody), 1)}
        after_ms = content.get("reply_after_ms")
        talk = Talk(
            people={ids[name]: name for name in names},
            mode=VoiceMode(content.get("mode", "auto")),
            bot_names=tuple(content.get("bot_names", ["Parley"])),
            replies_after_s=None if after_ms is None else after_ms / 1000,
            reply_s=content.get("reply_ms", 2_000) / 1000,
            settings=TurnTakingSettings(**content.get("settings", {})),
        )
        ears = content.get("ears", {})
        talk.stt.lag_s = ears.get("lag_ms", 100) / 1000
        talk.stt.partial_every_s = ears.get("partial_every_ms", 400) / 1000
        talk.stt.language = ears.get("language", "en")
        talk.turn_model.always = ears.get("turn_model", 1.0 if self.is_real else None)
        for speech in content.get("speech", ()):
            who, at = ids[speech["who"]], float(speech["at"])
            if "plays" in speech:
                voice = played(speech["plays"])
                whole = mixed(voice, played(speech.get("over", [])))
                talk.timeline.plays(who, at, whole, speech.get("understood", ""), len(voice))
            elif "sound_ms" in speech:
                talk.timeline.sounds(who, at, speech["sound_ms"], voiced_ms=speech.get("voiced_ms", 0))
            else:
                talk.timeline.says(
                    who,
                    at,
                    speech["says"],
                    word_ms=speech.get("word_ms", 240),
                    keeps_sending_ms=speech.get("keeps_sending_ms", 0),
                )
        for bot in content.get("bot", ()):
            answering = (ids[name] for name in bot["answering"])
            talk.bot_speaks(bot["at"], bot["ms"] / 1000, *answering, asks_s=bot.get("asks_ms", 0) / 1000)
        present = dict(talk.people)
        for event in sorted(content.get("event", ()), key=lambda one: one["at"]):
            self._add(talk, event, ids, present)
        return talk

    @property
    def is_real(self) -> bool:
        """Whether its sound is real, and wants a model that judges it."""
        return any("plays" in speech for speech in self.content.get("speech", ()))

    @staticmethod
    def _add(talk: Talk, event: dict[str, Any], ids: dict[str, int], present: dict[int, str]) -> None:
        at = float(event["at"])
        if "talks" in event:
            talk.at(at, lambda voice: voice.request_talk(ids[event["talks"]]))
            return
        mode = VoiceMode(event["mode"]) if "mode" in event else None
        if "leaves" in event:
            present.pop(ids[event["leaves"]])
            talk.timeline.leaves(ids[event["leaves"]], at)
        if "joins" in event:
            present[ids[event["joins"]]] = event["joins"]
        room = talk.room(dict(present), mode)

        def change(voice: VoiceController) -> None:
            voice.set_room(room)

        talk.at(at, change)


def scenarios() -> list[Scenario]:
    """All files, by name."""
    return [
        Scenario(file.stem, tomllib.loads(file.read_text("utf-8"))) for file in sorted(FOLDER.glob("*.toml"))
    ]


def decisions_of(talk: Talk) -> list[Decision]:
    """What was decided, in order of time."""
    found: list[Decision] = []
    for event in talk.events:
        kind = _kind_of(event)
        if kind is not None:
            found.append({"kind": kind, "at": event.at})
            if isinstance(event, InputCancelled | InputDropped):
                found[-1]["why"] = event.reason
    return found


def bursts_of(talk: Talk) -> list[Decision]:
    """What was handed over, in order."""
    return [
        {
            "turns": [f"{talk.names[turn.user_id]}: {turn.text}" for turn in burst.turns],
            "at": at,
            "answer": burst.answer,
            "goes_on": burst.goes_on,
        }
        for at, burst in talk.bursts
    ]


def differences(expected: list[Decision], found: list[Decision]) -> list[str]:
    """In words; empty when all is as expected."""
    told = [f"expected {one}, found nothing" for one in expected[len(found) :]]
    told += [f"did not expect {one}" for one in found[len(expected) :]]
    for wanted, got in zip(expected, found, strict=False):
        for key, told_as in got.items():
            default = _UNLESS_TOLD.get(key, told_as)
            if key != "at" and wanted.get(key, default) != told_as:
                told.append(f"{key}: expected {wanted.get(key, default)!r} in {got}")
        within = wanted.get("within", _WITHIN_S)
        if "at" in wanted and abs(wanted["at"] - got.get("at", 0.0)) > within:
            told.append(f"expected at {wanted['at']} +- {within}, found {got}")
    return told


def _kind_of(event: VoiceEvent) -> str | None:
    match event:
        case PlaybackDucked():
            return "ducked"
        case PlaybackResumed():
            return "resumed"
        case PlaybackStopped():
            return "stopped"
        case InputCancelled():
            return "cancelled"
        case InputDropped():
            return "dropped"
        case _:
            return None
