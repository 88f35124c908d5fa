"""Work for the backend agent (TASK-5, TASK-9, TASK-12, TASK-22 to TASK-26).

    queued -> running -> (delegated -> finalizing ->) completed

The prompt goes out once: its intent is in the ledger before. After a restart work that was handed on is
followed again where the backend can verify it; everything else ends as failed, with the reason (TASK-3).
"""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import PurePath
from typing import Final, assert_never

from core.clock import Clock
from core.failures import Failure
from core.generation.media import MediaStore
from core.prompts.plain_line import plain_line
from core.sentences import sentence
from recipes.backends.port import (
    BackendBroken,
    BackendEvent,
    BackendPort,
    BackendWork,
    CancelRefused,
    InputAsked,
    NativeInput,
    PermissionAsked,
    StopReason,
    WorkDelegated,
    WorkEnded,
    WorkFinalizing,
)
from recipes.tasks.inputs import PendingInputs
from recipes.tasks.permission_rules import bounded_title
from recipes.tasks.permissions import Permissions
from recipes.tasks.result_codec import decode_result, encode_result
from recipes.tasks.steps import Steps
from recipes.tasks.task import Artifact, Task, TaskInput, TaskResult
from recipes.tasks.task_store import EffectsLedger
from recipes.tasks.work import Activity, StopFailed, TaskWatch

RESTARTED: Final = "The bot was restarted while this ran, and it cannot be gone on with. Please ask again."
_PROMPT: Final = "prompt"
_DELEGATION: Final = "delegation"
_GONE: Final = "{name} is not kept any more. Please attach it again."
_MOST_NAME: Final = 80
_MOST_ARTIFACTS: Final = 9
_MOST_BYTES: Final = 8 * 1024 * 1024
"""Of all artifacts together: what one message of Discord carries."""
_BROKEN: Final = "The backend agent broke off. Please try again."
_REASONS: Final = {
    StopReason.REFUSAL: "The backend agent declined to do this.",
    StopReason.MAX_TOKENS: "The backend agent reached its limit before it was done.",
    StopReason.MAX_REQUESTS: "The backend agent reached its limit before it was done.",
    StopReason.CANCELLED: "The backend agent stopped before it was done.",
}


class DelegatedWork:
    """The `TaskWorker` of the backend."""

    def __init__(
        self,
        *,
        backend: BackendPort,
        permissions: Permissions,
        inputs: PendingInputs,
        ledger: EffectsLedger,
        media: MediaStore,
        clock: Clock,
    ) -> None:
        self._backend = backend
        self._media = media
        self._permissions = permissions
        self._inputs = inputs
        self._ledger = ledger
        self._clock = clock

    async def result_of(self, task: Task, steps: Steps, watch: TaskWatch) -> TaskResult:
        """See `TaskWorker`."""

        async def whole() -> str:
            return encode_result(await self._followed(task, watch))

        return decode_result(await steps.run("backend", whole))

    async def confirm_stop(self, task: Task) -> None:
        """See `TaskWorker`."""
        effects = {effect.key: effect for effect in await self._ledger.effects(task.id)}
        if _PROMPT not in effects:
            return  # it was never sent
        delegation = effects.get(_DELEGATION)
        delegated = None if delegation is None or delegation.receipt is None else _read(delegation.receipt)
        try:
            await self._backend.cancel(_work(task, ()), delegated)
        except (CancelRefused, BackendBroken) as error:
            raise StopFailed("The backend agent does not stop this.", reason=type(error).__name__) from error

    async def _followed(self, task: Task, watch: TaskWatch) -> TaskResult:
        try:
            async with aclosing(await self._stream(task, watch)) as events:
                async for event in events:
                    if isinstance(event, WorkEnded):
                        return _result(event)
                    await self._met(task, event, watch)
        except BackendBroken as error:
            raise Failure(_BROKEN, reason="backend broke") from error
        raise Failure(_BROKEN, reason="no end")

    async def _stream(self, task: Task, watch: TaskWatch) -> AsyncGenerator[BackendEvent, None]:
        """A new stream, or that of work which an earlier process had sent."""
        work = _work(task, [await self._native(one) for one in task.request.inputs])
        prompt = await self._ledger.intend(task.id, _PROMPT, self._clock.now())
        if prompt.is_new:
            return self._backend.events_of(work)
        effects = {effect.key: effect.receipt for effect in await self._ledger.effects(task.id)}
        receipt = effects.get(_DELEGATION)
        stream = None if receipt is None else self._backend.resumed(work, _read(receipt))
        if stream is None:
            raise Failure(RESTARTED, reason="restarted")
        await watch.delegated(task.id)  # the kill may have come before that was noted
        return stream

    async def _native(self, given: TaskInput) -> NativeInput:
        content = None if given.text is None else given.text.encode("utf-8", "replace")
        if given.path is not None:
            content = await self._media.read(PurePath(given.path))
            if content is None:
                raise Failure(_GONE.format(name=given.name), reason="input gone")
        return NativeInput(name=given.name, media_type=given.media_type, content=content, url=given.url)

    async def _met(self, task: Task, event: BackendEvent, watch: TaskWatch) -> None:
        match event:
            case Activity():
                words = bounded_title(event.words)
                watch.active(task.id, Activity(words=words, done=event.done, total=event.total))
            case PermissionAsked():
                watch.active(task.id, Activity(words=sentence("waiting for a permission")))
                granted = await self._permissions.ask(task, title=event.title, detail=event.detail)
                await self._backend.answer(event.request_id, "once" if granted else "reject")
            case InputAsked():
                watch.active(task.id, Activity(words=sentence("waiting for an answer")))
                answer = await self._inputs.ask(task, event.question)
                await self._backend.answer(event.request_id, answer)
            case WorkDelegated():
                await self._ledger.intend(task.id, _DELEGATION, self._clock.now())
                receipt = json.dumps([event.run_id, event.session_id])
                await self._ledger.settle(task.id, _DELEGATION, receipt)
                await watch.delegated(task.id)
            case WorkFinalizing():
                await watch.finalizing(task.id)
            case WorkEnded():
                raise RuntimeError("the end is met by whoever follows")
            case _:
                assert_never(event)


def _result(ended: WorkEnded) -> TaskResult:
    if ended.stop_reason is not StopReason.END_TURN:
        raise Failure(_REASONS[ended.stop_reason], reason=ended.stop_reason.value)
    kept = _kept(ended.artifacts)
    left_out = [plain_line(one.name, limit=_MOST_NAME) for one in ended.artifacts if one not in kept]
    told = f"\n\n(Too large to bring along: {', '.join(left_out)}.)" if left_out else ""
    text = f"{ended.text.strip()}{told}".strip()
    if not text and not kept:
        raise Failure(_BROKEN, reason="empty result")
    return TaskResult(text=text, artifacts=kept)


def _kept(artifacts: Sequence[Artifact]) -> tuple[Artifact, ...]:
    """As many as a message carries, in order."""
    kept: list[Artifact] = []
    for one in artifacts:
        if len(kept) < _MOST_ARTIFACTS and sum(len(held.content) for held in (*kept, one)) <= _MOST_BYTES:
            kept.append(one)
    return tuple(kept)


def _work(task: Task, inputs: Sequence[NativeInput]) -> BackendWork:
    request = task.request
    return BackendWork(
        work_id=task.id, owner=request.requester.id, objective=request.message, inputs=tuple(inputs)
    )


def _read(receipt: str) -> WorkDelegated:
    run_id, session_id = json.loads(receipt)
    return WorkDelegated(run_id=run_id, session_id=session_id)
