"""Finalize stages: what is done with a complete text before it is submitted (VOX-12, VOX-34).

Stages run one after another; each sees the corrections of those before it. What a stage writes after its
end, or after its time, is rejected. A failed stage is told and the next one runs; one that takes too long
is left without an error.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from voice.input import transcript_document
from voice.input.speech_input import SpeechInput
from voice.input.transcript_document import Edit, PatchRejected, SpeakerEvidence, TranscriptDocument

Stage = Callable[["StageContext"], Awaitable[None]]


class StageOver(PatchRejected):
    """The stage has ended or ran out of time: nothing more of it is written."""


class StageContext:
    """What one run of a stage may do."""

    def __init__(self, speech_input: SpeechInput) -> None:
        self._input = speech_input
        self._is_over = False

    @property
    def input_id(self) -> str:
        """Whose text it is."""
        return self._input.input_id

    @property
    def speaker(self) -> SpeakerEvidence:
        """Who said it."""
        return self._input.speaker

    @property
    def document(self) -> TranscriptDocument:
        """As it is now, with the corrections of earlier stages."""
        return self._input.document

    def patch(self, edits: Sequence[Edit]) -> None:
        """Corrects words or sentences of the raw text, all edits or none.

        Raises:
            PatchRejected: they do not fit, or a person has corrected the text.
            StageOver: too late.
        """
        self._must_run()
        self._input.document = transcript_document.patched(self._input.document, edits)

    def attach(self, key: str, value: object) -> None:
        """Adds to the submission. Raises `StageOver` when it is too late."""
        self._must_run()
        self._input.attach(key, value)

    def close(self) -> None:
        """Its time is over."""
        self._is_over = True

    def _must_run(self) -> None:
        if self._is_over:
            raise StageOver("the stage is over")


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledStage:
    """A stage with its time."""

    stage: Stage
    timeout_ms: int


async def run_stages(
    stages: Sequence[InstalledStage],
    speech_input: SpeechInput,
    *,
    tasks: asyncio.TaskGroup,
    failed: Callable[[Exception], None],
) -> None:
    """All stages in order; returns when the last one ended or its time was over."""
    for installed in stages:
        context = StageContext(speech_input)
        running = tasks.create_task(_guarded(installed.stage, context, failed), name="stage of an input")
        try:
            await asyncio.wait({running}, timeout=installed.timeout_ms / 1000)
        finally:
            context.close()
            running.cancel()


async def _guarded(stage: Stage, context: StageContext, failed: Callable[[Exception], None]) -> None:
    try:
        await stage(context)
    except StageOver:
        pass
    except Exception as error:  # noqa: BLE001 - a failed stage is told, the next one runs
        failed(error)
