"""What a plugin is and what it may use (VOX-12, VOX-35). Trusted code of ours in this process.

class Memory:
    name = "memory"

    def setup(self, scope: PluginScope) -> None:
        scope.on_speech_input(self.follow)

    def follow(self, scope: InputScope) -> None:
        scope.watch(self.search, key=lambda document: document.raw, debounce_ms=600)
        scope.finalize(self.attach_matches, timeout_ms=3_000)
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from voice.input.transcript_document import SpeakerEvidence, TranscriptDocument
from voice.plugins.observation import AudioWindow
from voice.plugins.stages import Stage
from voice.policy.events import ReadAt
from voice.policy.rules import Rule

Kind = TypeVar("Kind")


class InputControl(Protocol):
    """Commands on one input, each with its grant; without it the command does nothing and is reported."""

    def end(self) -> None:
        """Seals it (`INPUT_CONTROL`)."""
        ...

    def cancel(self, reason: str) -> None:
        """Cancels it (`CANCEL_INPUT`)."""
        ...


class InputScope(Protocol):
    """One plugin on one input, from its first frame until it is settled."""

    @property
    def input_id(self) -> str: ...
    @property
    def speaker(self) -> SpeakerEvidence: ...
    @property
    def document(self) -> TranscriptDocument:
        """As it is now."""
        ...

    @property
    def read_at(self) -> ReadAt | None:
        """How far the input is, for a signal about it; None once it has ended."""
        ...

    @property
    def control(self) -> InputControl: ...

    def watch(
        self,
        work: Callable[[TranscriptDocument], Awaitable[None]],
        *,
        key: Callable[[TranscriptDocument], object] = ...,
        debounce_ms: int = 0,
    ) -> None:
        """Runs `work` on the newest document alone: a newer key cancels the run, an equal key keeps it."""
        ...

    def finalize(self, stage: Stage, *, timeout_ms: int) -> None:
        """Adds work between the final transcript and the submission, behind the stages of earlier plugins."""
        ...


class PluginScope(Protocol):
    """One plugin on the whole call."""

    def on_speech_input(self, follow: Callable[[InputScope], Awaitable[None] | None]) -> None:
        """Called with each new input. Finalization waits for one that takes its time."""
        ...

    def rule(self, rule: Rule[Any]) -> None:
        """Adds a rule behind the others, with this plugin's grants."""
        ...

    def emit(self, value: object, *, read_at: Mapping[str, ReadAt] | None = None) -> None:
        """A typed signal for rules and listeners: a frozen value of the plugin's."""
        ...

    def on(self, kind: type[Kind], listener: Callable[[Kind], None]) -> None:
        """Tells each event, or each signal's value, of the type."""
        ...

    def observe_audio(
        self, listen: Callable[[AudioWindow], Awaitable[None]], *, window_ms: int, hop_ms: int
    ) -> None:
        """Windows of every speaker's sound, one after another, in order."""
        ...


class Plugin(Protocol):
    """`name` is told in reports."""

    @property
    def name(self) -> str: ...
    def setup(self, scope: PluginScope) -> None:
        """Called once, when the plugin is installed."""
        ...
