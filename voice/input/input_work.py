"""The slow part of each input: transcribing, judging pauses, and what follows its end (VOX-12, VOX-25).

Every task belongs to the group that it is given. A service that fails, hangs or talks nonsense costs its
input at most the rest of its text: the input still ends, with an event that says so.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

import structlog

from core.sentences import sentence
from voice.input.judges import TurnModel, WakeWord
from voice.input.speech_input import BROKEN_ADVICE, InputPhase, SpeechInput
from voice.input.speech_to_text import SpeechFailed
from voice.policy import language_rules
from voice.policy.events import (
    HearingFailed,
    InputDropped,
    InputSettled,
    ReadAt,
    TranscriptGrew,
    TurnJudged,
    VoiceEvent,
)
from voice.policy.language_rules import LanguageBelief
from voice.policy.phantom_rules import phantom_reason
from voice.policy.settings import TurnTakingSettings

_log = structlog.stdlib.get_logger(__name__)
_MODEL_SILENCE_MS = 200
"""How much of the pause the turn model is shown; packets stop before that."""
_MODEL_WITHIN_S = 2.0
_CLOSES_WITHIN_S = 1.0
_ADVICE_EVERY_S = 30.0
SLOW_ADVICE = sentence("I could not make out what you said in time. Please say it again.")


class Stages(Protocol):
    """What plugins do between the final transcript and the submission."""

    async def finalize(self, speech_input: SpeechInput) -> None:
        """Runs every stage in order; never raises."""
        ...


class InputWork:
    """`language` is the channel's pinned one at the time, or None."""

    def __init__(
        self,
        *,
        tasks: asyncio.TaskGroup,
        turn_model: TurnModel | None,
        wake_word: WakeWord | None,
        settings: TurnTakingSettings,
        stages: Stages,
        language: Callable[[], str | None],
        feed: Callable[[VoiceEvent], None],
        now: Callable[[], float],
    ) -> None:
        self._tasks = tasks
        self._turn_model = turn_model
        self._wake_word = wake_word
        self._settings = settings
        self._stages = stages
        self._language = language
        self._feed = feed
        self._now = now
        self._judging: dict[str, asyncio.Task[None]] = {}
        self._transcribing: dict[str, asyncio.Task[None]] = {}
        self._unclosed: dict[str, SpeechInput] = {}
        self._settling: set[asyncio.Task[None]] = set()
        self._beliefs: dict[int, LanguageBelief] = {}
        self._advised_at: float | None = None

    def begun(self, speech_input: SpeechInput) -> None:
        """Follows its transcription until it is over."""
        self._unclosed[speech_input.input_id] = speech_input
        self._transcribing[speech_input.input_id] = self._run(
            lambda: self._transcribe(speech_input), "transcribe", speech_input
        )

    def paused(self, speech_input: SpeechInput, read_at: ReadAt) -> None:
        """Has the tail transcribed and the turn model asked, in place of an earlier question."""
        speech_input.tail()
        turn_model = self._turn_model
        if turn_model is None:
            return
        self._stop_judging(speech_input.input_id)
        pcm = speech_input.recent_pcm(silence_ms=_MODEL_SILENCE_MS)
        judging = self._run(
            lambda: self._judge(turn_model, speech_input, pcm, read_at), "judge", speech_input
        )
        self._judging[speech_input.input_id] = judging

    def cancelled(self, speech_input: SpeechInput) -> None:
        """Frees what worked for it."""
        self._stop_judging(speech_input.input_id)
        self._stop_transcribing(speech_input)
        self._run(lambda: self._close(speech_input), "close", speech_input)

    def sealed(self, speech_input: SpeechInput) -> None:
        """Waits for the final transcript, runs the stages, and tells that it is settled or dropped."""
        self._stop_judging(speech_input.input_id)
        wake_word, edges = self._wake_word, speech_input.taken_edges()
        if wake_word is not None:
            self._judging[speech_input.input_id] = self._run(
                lambda: self._listen_for(wake_word, speech_input, edges), "wake word", speech_input
            )
        settling = self._run(lambda: self._settle(speech_input), "finalize", speech_input)
        self._settling.add(settling)
        settling.add_done_callback(self._settling.discard)

    async def settled(self) -> None:
        """Waits until every sealed input is settled or dropped."""
        while self._settling:
            await asyncio.wait(tuple(self._settling))

    async def aclose(self) -> None:
        """Ends all work and frees every transcription; nothing is settled any more."""
        for task in (*self._settling, *self._judging.values(), *self._transcribing.values()):
            task.cancel()
        for speech_input in tuple(self._unclosed.values()):
            with suppress(Exception):
                async with asyncio.timeout(_CLOSES_WITHIN_S):
                    await self._close(speech_input)

    def forget(self, user_id: int) -> None:
        """The speaker left."""
        self._beliefs.pop(user_id, None)

    def failed(self, stage: str, failure: Exception, input_id: str | None = None) -> None:
        """Tells of a failure; the room is advised now and then, not for each of a row."""
        now = self._now()
        reason = failure.reason if isinstance(failure, SpeechFailed) else type(failure).__name__
        advice = failure.advice if isinstance(failure, SpeechFailed) else None
        if not advice or (self._advised_at is not None and now - self._advised_at < _ADVICE_EVERY_S):
            advice = None
        else:
            self._advised_at = now
        _log.warning("hearing failed", stage=stage, reason=reason, input=input_id)
        self._feed(HearingFailed(input_id=input_id, stage=stage, advice=advice, reason=reason, at=now))

    def _run(
        self, work: Callable[[], Awaitable[None]], stage: str, speech_input: SpeechInput
    ) -> asyncio.Task[None]:
        return self._tasks.create_task(self._guarded(work, stage, speech_input), name=f"{stage} input")

    async def _guarded(
        self, work: Callable[[], Awaitable[None]], stage: str, speech_input: SpeechInput
    ) -> None:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - one input's failure must not end the call
            self.failed(stage, error, speech_input.input_id)

    def _transcription_failed(self, speech_input: SpeechInput, failure: SpeechFailed) -> None:
        speech_input.fail(failure)
        if not speech_input.failure_is_told:
            speech_input.failure_is_told = True
            self.failed("transcribe", failure, speech_input.input_id)

    async def _close(self, speech_input: SpeechInput) -> None:
        self._unclosed.pop(speech_input.input_id, None)
        await speech_input.aclose()

    def _stop_judging(self, input_id: str) -> None:
        judging = self._judging.pop(input_id, None)
        if judging is not None:
            judging.cancel()

    def _stop_transcribing(self, speech_input: SpeechInput) -> None:
        transcribing = self._transcribing.pop(speech_input.input_id, None)
        if transcribing is not None:
            transcribing.cancel()

    async def _transcribe(self, speech_input: SpeechInput) -> None:
        try:
            async for transcript in speech_input.transcription.transcripts():
                before = speech_input.late_transcripts
                speech_input.hear(transcript)
                if speech_input.late_transcripts > before:
                    continue
                document = speech_input.document
                self._feed(
                    TranscriptGrew(
                        input_id=speech_input.input_id,
                        user_id=speech_input.speaker.user_id,
                        at=self._now(),
                        text=document.corrected if self._doubt(speech_input) is None else "",
                        revision=document.revision,
                        language=self._language() or document.language,
                    )
                )
        except SpeechFailed as failure:
            self._transcription_failed(speech_input, failure)
        except Exception as error:  # noqa: BLE001 - whatever a service raises costs its input alone
            failure = SpeechFailed(BROKEN_ADVICE, reason=type(error).__name__)
            self._transcription_failed(speech_input, failure)
        finally:
            speech_input.transcribed.set()

    async def _judge(
        self, turn_model: TurnModel, speech_input: SpeechInput, pcm: bytes, read_at: ReadAt
    ) -> None:
        async with asyncio.timeout(_MODEL_WITHIN_S):
            completeness = await turn_model.completeness(pcm)
        self._judging.pop(speech_input.input_id, None)
        self._feed(
            TurnJudged(
                input_id=speech_input.input_id,
                user_id=speech_input.speaker.user_id,
                at=self._now(),
                completeness=completeness,
                read_at=read_at,
            )
        )

    async def _listen_for(
        self, wake_word: WakeWord, speech_input: SpeechInput, edges: tuple[bytes, ...]
    ) -> None:
        async with asyncio.timeout(_MODEL_WITHIN_S):
            for pcm in edges:
                if await wake_word.called(pcm) >= self._settings.wake_word_from:
                    speech_input.called = True
                    return

    async def _settle(self, speech_input: SpeechInput) -> None:
        try:
            reason = await self._finalized(speech_input)
        except Exception:
            self._drop(speech_input, "failed")
            raise
        finally:
            self._stop_judging(speech_input.input_id)
            self._stop_transcribing(speech_input)
            with suppress(Exception):
                await self._close(speech_input)
        if reason is not None:
            self._drop(speech_input, reason)
        elif speech_input.finalize():
            self._tell_settled(speech_input)

    async def _finalized(self, speech_input: SpeechInput) -> str | None:
        """Why it is not worth submitting; None when it is."""
        try:
            async with asyncio.timeout(self._settings.transcript_wait_ms / 1000):
                await speech_input.transcribed.wait()
        except TimeoutError:
            slow = SpeechFailed(SLOW_ADVICE, reason="no final transcript in time")
            self._transcription_failed(speech_input, slow)
        if speech_input.failure is not None:
            self._transcription_failed(speech_input, speech_input.failure)
        if speech_input.phase is not InputPhase.SEALED:
            return "ended"
        doubt = self._doubt(speech_input)
        if doubt is not None:
            return "transcription failed" if speech_input.failure and doubt == "no words" else doubt
        listening = self._judging.get(speech_input.input_id)
        if listening is not None:
            await asyncio.wait((listening,))
        await self._stages.finalize(speech_input)
        return None if speech_input.document.corrected.strip() else "no words"

    def _doubt(self, speech_input: SpeechInput) -> str | None:
        document = speech_input.document
        if document.by_person is not None:
            return None
        if speech_input.suspect is not None and not document.raw:
            return f"phantom: {speech_input.suspect}"
        return phantom_reason(document.raw, speech_ms=speech_input.speech_ms)

    def _drop(self, speech_input: SpeechInput, reason: str) -> None:
        if speech_input.drop():
            user_id = speech_input.speaker.user_id
            self._feed(
                InputDropped(input_id=speech_input.input_id, user_id=user_id, at=self._now(), reason=reason)
            )

    def _tell_settled(self, speech_input: SpeechInput) -> None:
        user_id = speech_input.speaker.user_id
        belief = language_rules.after_utterance(
            self._beliefs.get(user_id, LanguageBelief()),
            speech_input.document.language,
            speech_ms=speech_input.speech_ms,
        )
        self._beliefs[user_id] = belief
        speech_input.language = self._language() or belief.language
        self._feed(
            InputSettled(
                input_id=speech_input.input_id,
                user_id=user_id,
                at=self._now(),
                text=speech_input.document.corrected,
                language=speech_input.language,
                failed=speech_input.failure is not None,
                called=speech_input.called,
            )
        )
