"""Installs plugins and lets them follow each input; knows nothing of the controller (VOX-10, VOX-12)."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, TypeVar

from core.clock import Clock
from voice.audio.frames import HeardFrame
from voice.input.speech_input import SpeechInput
from voice.input.transcript_document import SpeakerEvidence, TranscriptDocument
from voice.plugins.observation import AudioObservation, AudioWindow
from voice.plugins.plugin import InputScope, Plugin
from voice.plugins.stages import InstalledStage, Stage, run_stages
from voice.plugins.watch import Watch
from voice.policy.commands import CancelInput, Command, Grant, SealInput, needed_grant
from voice.policy.events import (
    EndCause,
    InputCancelled,
    InputDropped,
    InputSettled,
    PluginSignal,
    ReadAt,
    TranscriptCorrected,
    TranscriptGrew,
    VoiceEvent,
)
from voice.policy.rule_engine import RuleEngine
from voice.policy.rules import Rule

_INSTALL_WITHIN_S = 5.0
Kind = TypeVar("Kind")


class PluginHost:
    """`command` performs a granted command of a plugin; `refused` is told of the others."""

    def __init__(
        self,
        *,
        tasks: asyncio.TaskGroup,
        engine: RuleEngine,
        clock: Clock,
        command: Callable[[Command], None],
        refused: Callable[[str, Command], None],
        failed: Callable[[str, Exception, str | None], None],
    ) -> None:
        self.tasks = tasks
        self.engine = engine
        self.clock = clock
        self._command = command
        self._refused = refused
        self._failed = failed
        self._plugins: list[_Scope] = []
        self._inputs: dict[str, list[_InputScope]] = {}
        self._installs: dict[str, set[asyncio.Task[None]]] = {}
        self._lasting: list[asyncio.Task[None]] = []
        self.observations: list[AudioObservation] = []
        engine.watch(self._told)

    def use(self, plugin: Plugin, grants: Collection[Grant]) -> None:
        """Installs it behind the others; it follows the inputs that begin from here on."""
        scope = _Scope(self, plugin.name, frozenset(grants))
        self._plugins.append(scope)
        plugin.setup(scope)

    def began(self, speech_input: SpeechInput) -> None:
        """Every plugin may follow the input."""
        scopes = self._inputs[speech_input.input_id] = []
        installs = self._installs[speech_input.input_id] = set()
        for plugin in self._plugins:
            scope = _InputScope(self, plugin, speech_input)
            scopes.append(scope)
            for follow in plugin.followers:
                install = self._follow(follow, scope)
                if install is not None:
                    installs.add(install)

    def hear(self, frame: HeardFrame) -> None:
        """A frame of any speaker, for those who observe."""
        for observation in self.observations:
            observation.hear(frame)

    def audio_replaced(self) -> None:
        """Observations go on with the new sound (VOX-33)."""
        for observation in self.observations:
            observation.replaced()

    async def finalize(self, speech_input: SpeechInput) -> None:
        """Waits for pending installs, then runs every stage in the order of the plugins."""
        installs = self._installs.get(speech_input.input_id)
        if installs:
            _, late = await asyncio.wait(installs, timeout=_INSTALL_WITHIN_S)
            for install in late:
                install.cancel()
                self.failed("plugin", TimeoutError("not installed in time"), speech_input.input_id)
        scopes = self._inputs.get(speech_input.input_id, [])
        await run_stages(
            [stage for scope in scopes for stage in scope.stages],
            speech_input,
            tasks=self.tasks,
            failed=lambda error: self.failed("finalize", error, speech_input.input_id),
        )

    def close(self) -> None:
        """Nothing is followed or observed any more."""
        for input_id in tuple(self._inputs):
            self._forget(input_id)
        for task in self._lasting:
            task.cancel()

    # for the scopes

    def failed(self, stage: str, error: Exception, input_id: str | None) -> None:
        """Tells of a plugin's failure."""
        self._failed(stage, error, input_id)

    def perform(self, owner: str, grants: frozenset[Grant], command: Command) -> None:
        """Carries out a plugin's command if it has the grant."""
        if needed_grant(command) in grants:
            self._command(command)
        else:
            self._refused(owner, command)

    def observe(self, observation: AudioObservation) -> None:
        """Windows flow from here on."""
        self.observations.append(observation)
        self._lasting.append(self.tasks.create_task(observation.run(), name="audio observation"))

    def _follow(
        self, follow: Callable[[InputScope], Awaitable[None] | None], scope: "_InputScope"
    ) -> asyncio.Task[None] | None:
        try:
            pending = follow(scope)
        except Exception as error:  # noqa: BLE001 - a plugin that fails does not follow this input
            self.failed("plugin", error, scope.input_id)
            return None
        return None if pending is None else self.tasks.create_task(self._install(pending, scope.input_id))

    async def _install(self, pending: Awaitable[None], input_id: str) -> None:
        try:
            await pending
        except Exception as error:  # noqa: BLE001 - same
            self.failed("plugin", error, input_id)

    def _told(self, event: VoiceEvent) -> None:
        match event:
            case TranscriptGrew() | TranscriptCorrected():
                for scope in self._inputs.get(event.input_id, ()):
                    scope.changed()
            case InputCancelled() | InputDropped() | InputSettled():
                self._forget(event.input_id)
            case _:
                pass

    def _forget(self, input_id: str) -> None:
        for scope in self._inputs.pop(input_id, ()):
            scope.stop()
        for install in self._installs.pop(input_id, ()):
            install.cancel()


class _Scope:
    """`PluginScope` of one plugin."""

    def __init__(self, host: PluginHost, name: str, grants: frozenset[Grant]) -> None:
        self.host = host
        self.name = name
        self.grants = grants
        self.followers: list[Callable[[InputScope], Awaitable[None] | None]] = []

    def on_speech_input(self, follow: Callable[[InputScope], Awaitable[None] | None]) -> None:
        self.followers.append(follow)

    def rule(self, rule: Rule[Any]) -> None:
        self.host.engine.install(rule, grants=self.grants, owner=self.name)

    def emit(self, value: object, *, read_at: Mapping[str, ReadAt] | None = None) -> None:
        at = self.host.clock.monotonic()
        self.host.engine.feed(PluginSignal(plugin=self.name, value=value, at=at, read_at=read_at or {}))

    def on(self, kind: type[Kind], listener: Callable[[Kind], None]) -> None:
        def told(event: VoiceEvent) -> None:
            value = event.value if isinstance(event, PluginSignal) else event
            if isinstance(value, kind):
                try:
                    listener(value)
                except Exception as error:  # noqa: BLE001 - a listener must not break the queue
                    self.host.failed("plugin", error, None)

        self.host.engine.watch(told)

    def observe_audio(
        self, listen: Callable[[AudioWindow], Awaitable[None]], *, window_ms: int, hop_ms: int
    ) -> None:
        self.host.observe(
            AudioObservation(
                listen,
                window_ms=window_ms,
                hop_ms=hop_ms,
                failed=lambda error: self.host.failed("plugin", error, None),
            )
        )


class _InputScope:
    """`InputScope` and `InputControl` of one plugin on one input."""

    def __init__(self, host: PluginHost, plugin: _Scope, speech_input: SpeechInput) -> None:
        self._host = host
        self._plugin = plugin
        self._input = speech_input
        self._watches: list[Watch] = []
        self.stages: list[InstalledStage] = []

    @property
    def input_id(self) -> str:
        return self._input.input_id

    @property
    def speaker(self) -> SpeakerEvidence:
        return self._input.speaker

    @property
    def document(self) -> TranscriptDocument:
        return self._input.document

    @property
    def read_at(self) -> ReadAt | None:
        return self._host.engine.context.read_at(self.input_id)

    @property
    def control(self) -> "_InputScope":
        return self

    def end(self) -> None:
        self._perform(SealInput(input_id=self.input_id, cause=EndCause.ASKED))

    def cancel(self, reason: str) -> None:
        self._perform(CancelInput(input_id=self.input_id, reason=reason))

    def watch(
        self,
        work: Callable[[TranscriptDocument], Awaitable[None]],
        *,
        key: Callable[[TranscriptDocument], object] = lambda document: document.raw,
        debounce_ms: int = 0,
    ) -> None:
        watch = Watch(
            work,
            key=key,
            debounce_ms=debounce_ms,
            tasks=self._host.tasks,
            clock=self._host.clock,
            failed=lambda error: self._host.failed("watch", error, self.input_id),
        )
        self._watches.append(watch)
        if self._input.document.revision:
            watch.changed(self._input.document)

    def finalize(self, stage: Stage, *, timeout_ms: int) -> None:
        self.stages.append(InstalledStage(stage=stage, timeout_ms=timeout_ms))

    def changed(self) -> None:
        """The document has something new."""
        for watch in self._watches:
            watch.changed(self._input.document)

    def stop(self) -> None:
        """The input is settled."""
        for watch in self._watches:
            watch.stop()

    def _perform(self, command: Command) -> None:
        self._host.perform(self._plugin.name, self._plugin.grants, command)
