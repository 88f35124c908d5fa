"""Failures that a person may see, and what they may do about them (CORE-30).

    Failure
    ├── GenerationFailed    the model gave no answer; a later try may work
    └── RequestRefused      this input cannot be sent to this model; change the input or the setting

`advice` is one short sentence for the room. The cause stays in the log under `error_id`; provider bodies,
keys and stack traces never leave it.
"""

from core.sentences import sentence

UNEXPECTED = sentence("Something went wrong on my side. Please try again.")
"""The words for a defect: what it was stands in the log alone."""


class Failure(Exception):
    """A failure with words for the room."""

    def __init__(self, advice: str, *, reason: str) -> None:
        super().__init__(reason)
        self.advice = advice
        self.reason = reason


class GenerationFailed(Failure):
    """The model's answer did not come, or broke off. `status` is the HTTP status where there was one."""

    def __init__(self, advice: str, *, reason: str, status: int | None = None) -> None:
        super().__init__(advice, reason=reason)
        self.status = status


class RequestRefused(Failure):
    """Refused before any request was made."""
