"""Carries out what rules command (VOX-13), and tells what came of it."""

from collections.abc import Callable
from typing import assert_never

from voice.input.inputs import Inputs
from voice.input.spoken_turns import SpokenBurst
from voice.interruption import Interruption, InterruptionCause
from voice.policy import commands
from voice.policy.commands import Command
from voice.policy.events import (
    InputCancelled,
    InputDropped,
    PlaybackDucked,
    PlaybackResumed,
    PlaybackStopped,
    SpeculationEnd,
    TurnsSubmitted,
    VoiceEvent,
)
from voice.speaking import Speaking
from voice.submission import Speculations, SubmissionLine
from voice.turn import TurnRef


class Performer:
    """`interrupt` silences a reply because a user took the word, and records it."""

    def __init__(
        self,
        *,
        inputs: Inputs,
        speculations: Speculations,
        line: SubmissionLine,
        speaking: Speaking,
        interrupt: Callable[[TurnRef, InterruptionCause, int], Interruption],
        feed: Callable[[VoiceEvent], None],
    ) -> None:
        self._inputs = inputs
        self._speculations = speculations
        self._line = line
        self._speaking = speaking
        self._interrupt = interrupt
        self._feed = feed

    def perform(self, command: Command, at: float) -> None:
        """One command, at the time of the event behind it."""
        match command:
            case commands.BeginInput():
                over_question = self._speaking.asks
                self._inputs.begin(command.user_id, command.speech_began_at, at, over_question=over_question)
            case commands.SealInput():
                self._inputs.seal(command.input_id, command.cause, at)
            case commands.CancelInput():
                self._inputs.cancel(command.input_id, command.reason, at)
            case commands.DropInput():
                self._inputs.drop(command.input_id, command.reason, at)
            case commands.JudgePause():
                self._inputs.judge(command.input_id, command.read_at)
            case commands.SubmitTurns():
                self._submit(command, at)
            case commands.StartSpeculation() | commands.DropSpeculation():
                self._speculate(command, at)
            case commands.DuckPlayback() | commands.ResumePlayback() | commands.StopPlayback():
                self._speak(command, at)
            case _:
                assert_never(command)

    def follow(self, event: VoiceEvent) -> None:
        """What ended in another way takes its speculation along."""
        if isinstance(event, InputDropped | InputCancelled):
            self._speculations.end(event.input_id, SpeculationEnd.INPUT_ENDED, event.at)

    def _submit(self, command: commands.SubmitTurns, at: float) -> None:
        turns = self._inputs.take(command.input_ids, command.addressed)
        if not turns:
            return
        answer = any(turn.addressed for turn in turns)
        speculation_id = self._speculations.adopted(turns, answer=answer, at=at)
        self._feed(
            TurnsSubmitted(
                input_ids=tuple(turn.input_id for turn in turns),
                user_ids=tuple(turn.user_id for turn in turns if turn.addressed or not answer),
                answer=answer,
                at=at,
            )
        )
        self._line.put(
            SpokenBurst(turns=turns, answer=answer, goes_on=command.goes_on, speculation_id=speculation_id)
        )

    def _speculate(self, command: commands.StartSpeculation | commands.DropSpeculation, at: float) -> None:
        one = self._inputs.by_id(command.input_id)
        if isinstance(command, commands.DropSpeculation):
            self._speculations.end(command.input_id, SpeculationEnd.SPEECH_WENT_ON, at)
        elif one is not None:
            self._speculations.start(
                input_id=command.input_id,
                user_id=one.speaker.user_id,
                text=command.text.strip(),
                language=command.language,
                at=at,
            )

    def _speak(
        self, command: commands.DuckPlayback | commands.ResumePlayback | commands.StopPlayback, at: float
    ) -> None:
        mouth, audible = self._speaking.mouth, self._speaking.audible
        match command:
            case commands.DuckPlayback():
                if mouth is not None and mouth.duck():
                    self._feed(PlaybackDucked(user_id=command.user_id, at=at))
            case commands.ResumePlayback():
                if mouth is not None:
                    mouth.resume()
                    self._feed(PlaybackResumed(at=at))
            case commands.StopPlayback():
                if audible is not None:
                    self._interrupt(audible, InterruptionCause.BARGE_IN, command.user_id)
                    self._feed(PlaybackStopped(user_id=command.user_id, at=at))
