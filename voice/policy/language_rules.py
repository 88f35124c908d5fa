"""Which language a person speaks (VOX-19): pinned, or detected with hysteresis.

A detector errs on short utterances. Another language than before is believed when it comes twice in a row,
or once with enough speech behind it.
"""

from dataclasses import dataclass, replace

SURE_SPEECH_MS = 4_000
_IN_A_ROW = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageBelief:
    """What is believed of one speaker, ISO 639-1; `other` was detected `times` in a row instead."""

    language: str | None = None
    other: str | None = None
    times: int = 0


def after_utterance(belief: LanguageBelief, detected: str | None, *, speech_ms: int) -> LanguageBelief:
    """The belief once an utterance of that length was detected as `detected`."""
    if detected is None or detected == belief.language:
        return replace(belief, other=None, times=0) if detected else belief
    times = belief.times + 1 if detected == belief.other else 1
    if belief.language is None or times >= _IN_A_ROW or speech_ms >= SURE_SPEECH_MS:
        return LanguageBelief(language=detected)
    return replace(belief, other=detected, times=times)
