"""Every input of a call: who has one, where frames go, how each one ends exactly once.

Carries out what rules command and tells what came of it; what needs time is `InputWork`'s.
"""

from collections.abc import Callable, Collection

from voice.audio.frames import HeardFrame
from voice.input.captured_sound import SpeakerSound
from voice.input.input_work import InputWork
from voice.input.speech_input import AttemptPhase, SpeechInput, SpeechInputAttempt
from voice.input.speech_to_text import SpeechToText
from voice.input.spoken_turns import SpokenTurn
from voice.input.transcript_document import SpeakerEvidence
from voice.policy.events import (
    BotFellSilent,
    EndCause,
    InputBegan,
    InputCancelled,
    InputDropped,
    InputSealed,
    ReadAt,
    SpeechActivity,
    TranscriptCorrected,
    VoiceEvent,
)
from voice.policy.settings import TurnTakingSettings


class Inputs:
    """`began` is told of each new input before any event of it; ids are `call_id` and a number."""

    def __init__(
        self,
        *,
        call_id: str,
        session_id: str,
        speech_to_text: SpeechToText,
        settings: TurnTakingSettings,
        work: InputWork,
        language: Callable[[], str | None],
        began: Callable[[SpeechInput], None],
        feed: Callable[[VoiceEvent], None],
        now: Callable[[], float],
    ) -> None:
        self._call_id = call_id
        self._session_id = session_id
        self._speech_to_text = speech_to_text
        self._settings = settings
        self._work = work
        self._language = language
        self._began = began
        self._feed = feed
        self._now = now
        self._sounds: dict[int, SpeakerSound] = {}
        self._inputs: dict[str, SpeechInput] = {}
        self._attempts: dict[int, SpeechInputAttempt] = {}
        self._count = 0
        self._open_count = 0

    # sound

    @property
    def open(self) -> tuple[SpeechInput, ...]:
        """The inputs that capture."""
        return tuple(one for one in self._inputs.values() if one.is_open)

    @property
    def open_count(self) -> int:
        """How many inputs capture."""
        return self._open_count

    def of(self, user_id: int) -> SpeechInput | None:
        """The person's input that captures."""
        sound = self._sounds.get(user_id)
        return None if sound is None else sound.input

    def by_id(self, input_id: str) -> SpeechInput | None:
        """An input that has not been submitted, dropped or cancelled."""
        return self._inputs.get(input_id)

    def deliver(self, frame: HeardFrame) -> None:
        """A frame goes to its speaker's input, or into the memory before the next."""
        sound = self._sound(frame.user_id)
        sound.deliver(frame)
        attempt = self._attempts.get(frame.user_id)
        if attempt is not None and attempt.phase is AttemptPhase.WAITING and sound.input is None:
            begun = self._begin(frame.user_id, attempt.session_id, frame.at, frame.at, by_hand=True)
            if begun is not None:
                del self._attempts[frame.user_id]
                attempt.admit(begun)

    def scored(self, activity: SpeechActivity) -> None:
        """Counts the speech of an open input."""
        captures = self.of(activity.user_id)
        if captures is not None and (activity.score or 0.0) >= self._settings.keep_score:
            captures.speech_ms += activity.duration_ms
            captures.voiced_at = activity.at

    def restarted(self, user_id: int) -> None:
        """The person's client sends anew."""
        if self.of(user_id) is None:
            self._sound(user_id).restarted()

    def left(self, user_id: int) -> None:
        """The person is gone; their open input has been ended by a rule."""
        attempt = self._attempts.pop(user_id, None)
        if attempt is not None:
            attempt.cancel("speaker left")
        self._sounds.pop(user_id, None)
        self._work.forget(user_id)

    # by hand

    def attempt(self, user_id: int, session_id: str | None, *, fading: bool) -> SpeechInputAttempt:
        """An attempt takes the place of an earlier one of the same person."""
        earlier = self._attempts.pop(user_id, None)
        if earlier is not None:
            earlier.cancel("begun anew")
        attempt = SpeechInputAttempt(
            user_id=user_id, session_id=session_id or self._session_id, fading=fading, at=self._now()
        )
        self._attempts[user_id] = attempt
        return attempt

    def cancel_all(self, reason: str) -> None:
        """Every attempt and every input that captures ends without trace."""
        for attempt in self._attempts.values():
            attempt.cancel(reason)
        self._attempts.clear()
        for one in self.open:
            self.cancel(one.input_id, reason, self._now())
        for sound in self._sounds.values():
            sound.restarted()

    def drop_all(self, reason: str) -> None:
        """The end: whatever was sealed and not submitted is dropped."""
        for one in tuple(self._inputs.values()):
            self.drop(one.input_id, reason, self._now())

    # commands

    def begin(self, user_id: int, speech_began_at: float, at: float, *, over_question: bool) -> None:
        """Admits the person's sound, from the pre-roll on."""
        if self.of(user_id) is None:
            self._begin(
                user_id, self._session_id, speech_began_at, at, by_hand=False, over_question=over_question
            )

    def seal(self, input_id: str, cause: EndCause, at: float) -> None:
        """The first end wins."""
        one = self._inputs.get(input_id)
        if one is not None and one.seal(at):
            self._open_count -= 1
            self._feed(InputSealed(input_id=input_id, user_id=one.speaker.user_id, at=at, cause=cause))
            self._work.sealed(one)

    def cancel(self, input_id: str, reason: str, at: float) -> None:
        """The first end wins."""
        one = self._inputs.get(input_id)
        if one is not None and one.give_up():
            self._open_count -= 1
            del self._inputs[input_id]
            self._feed(InputCancelled(input_id=input_id, user_id=one.speaker.user_id, at=at, reason=reason))
            self._work.cancelled(one)

    def drop(self, input_id: str, reason: str, at: float) -> None:
        """A settled input is not submitted."""
        one = self._inputs.get(input_id)
        if one is not None and one.drop():
            self._feed(InputDropped(input_id=input_id, user_id=one.speaker.user_id, at=at, reason=reason))

    def judge(self, input_id: str, read_at: ReadAt) -> None:
        """A pause began."""
        one = self._inputs.get(input_id)
        if one is not None and one.is_open:
            self._work.paused(one, read_at)

    def take(self, input_ids: Collection[str], addressed: Collection[str]) -> tuple[SpokenTurn, ...]:
        """The finalized inputs as turns; each is given out once."""
        turns: list[SpokenTurn] = []
        for input_id in input_ids:
            one = self._inputs.pop(input_id, None)
            if one is not None and one.submit():
                turns.append(self._turn(one, addressed=input_id in addressed))
        return tuple(turns)

    def told(self, event: VoiceEvent) -> None:
        """What was dropped is forgotten, whoever dropped it; attempts wait for the bot's silence."""
        match event:
            case InputDropped():
                self._inputs.pop(event.input_id, None)
            case BotFellSilent():
                for attempt in self._attempts.values():
                    attempt.faded()
            case _:
                pass

    def _sound(self, user_id: int) -> SpeakerSound:
        sound = self._sounds.get(user_id)
        if sound is None:
            sound = self._sounds[user_id] = SpeakerSound(preroll_ms=self._settings.preroll_ms)
        return sound

    def _begin(
        self,
        user_id: int,
        session_id: str,
        speech_began_at: float,
        at: float,
        *,
        by_hand: bool,
        over_question: bool = False,
    ) -> SpeechInput | None:
        self._count += 1
        began = InputBegan(
            input_id=f"{self._call_id}-{self._count}",
            user_id=user_id,
            at=at,
            speech_began_at=speech_began_at,
            by_hand=by_hand,
            over_question=over_question,
        )
        try:
            transcription = self._speech_to_text.begin(language=self._language())
        except Exception as error:  # noqa: BLE001 - whatever a service raises costs one input alone
            self._feed(began)
            reason = "transcription failed"
            self._feed(InputCancelled(input_id=began.input_id, user_id=user_id, at=at, reason=reason))
            self._work.failed("transcribe", error, began.input_id)
            return None
        sound = self._sound(user_id)
        begun = SpeechInput(
            input_id=began.input_id,
            session_id=session_id,
            speaker=SpeakerEvidence(user_id=user_id, ssrc=sound.ssrc),
            began_at=speech_began_at,
            transcription=transcription,
            ask_end=lambda one: self.seal(one.input_id, EndCause.ASKED, self._now()),
            ask_cancel=lambda one, reason: self.cancel(one.input_id, reason, self._now()),
            corrected=self._corrected,
        )
        begun.speech_ms = 0 if by_hand else self._settings.begin_ms
        self._inputs[begun.input_id] = begun
        self._open_count += 1
        sound.begin(begun)
        self._began(begun)
        self._work.begun(begun)
        self._feed(began)
        return begun

    def _corrected(self, one: SpeechInput) -> None:
        self._feed(
            TranscriptCorrected(
                input_id=one.input_id,
                user_id=one.speaker.user_id,
                at=self._now(),
                text=one.document.corrected,
                revision=one.document.revision,
            )
        )

    def _turn(self, one: SpeechInput, *, addressed: bool) -> SpokenTurn:
        return SpokenTurn(
            input_id=one.input_id,
            session_id=one.session_id,
            user_id=one.speaker.user_id,
            text=one.document.corrected.strip(),
            language=one.language,
            document=one.document,
            speech_began_at=one.began_at,
            speech_ended_at=one.voiced_at,
            sealed_at=one.sealed_at if one.sealed_at is not None else self._now(),
            addressed=addressed,
            failed=one.failure is not None,
            attachments=dict(one.attachments),
        )
