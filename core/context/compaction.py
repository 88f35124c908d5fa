"""When older turns become a summary, what is asked for it, and what it is afterwards (CORE-28).

The model writes the summary. The texts of invoked skills are carried over by code, word for word, since a
paraphrase of steps is no longer those steps. The result has the authority of context: nothing that was said
in a room gains weight by having been summed up (CORE-2).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from core.context.history_window import HistoryWindow
from core.context.short_results import shortened
from core.context.token_estimates import TokenEstimate
from core.conversation.display import display_turn
from core.conversation.turns import (
    AssistantTurn,
    Authority,
    InvokedSkill,
    SkillForm,
    SystemTurn,
    Turn,
    UserTurn,
)
from core.prompts.compaction import SKILLS_HEADING, SUMMARY_HEADING, SUMMARY_REQUEST
from core.prompts.user_messages import speaker_label

_DUE_SHARE: Final = 0.75
_KEPT_SHARE: Final = 0.4
_FEWEST_TURNS: Final = 4
_SUMMARY_WORDS: Final = 400
_LONGEST_SUMMARY: Final = 6000
_LONGEST_LINE: Final = 4000
_MOST_SKILLS: Final = 6
_WRITER: Final = "summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What remains of older turns. `text` is the model's; `skills` are verbatim, latest invoked last."""

    text: str
    skills: tuple[InvokedSkill, ...] = ()


def compaction_due(window: HistoryWindow, *, budget_tokens: int) -> bool:
    """Whether older turns should become a summary now.

    Due when turns had to stay out, or when the window, at full length, takes three quarters of its budget;
    never for so few turns that the newest of them are the cost.
    """
    if len(window.turns) <= _FEWEST_TURNS:
        return False
    return window.earlier or window.full_tokens > budget_tokens * _DUE_SHARE


def kept_after_compaction(budget_tokens: int) -> int:
    """Tokens of newest turns that stay beside the summary, so that the next one is not due soon."""
    return int(budget_tokens * _KEPT_SHARE)


def oldest_that_fit(
    older: Sequence[Turn], *, budget_tokens: int, estimate: TokenEstimate, previous: Summary | None = None
) -> Sequence[Turn]:
    """As many of the oldest turns as one request for a summary holds, at least one.

    More than that have piled up where summaries failed for a while, or a model with a smaller window came.
    """
    left = budget_tokens - estimate.tokens(summary_request((), previous=previous))
    for count, turn in enumerate(older):
        left -= estimate.tokens(_line(turn)) + 1
        if left < 0:
            return older[: max(1, count)]
    return older


def summary_request(older: Iterable[Turn], *, previous: Summary | None = None) -> str:
    """What to ask a model for the text of a summary: one message, transcript included, without tools."""
    sections = [SUMMARY_REQUEST.format(words=_SUMMARY_WORDS)]
    if previous is not None:
        sections.append(f"<earlier_summary>\n{_unclosed(previous.text)}\n</earlier_summary>")
    transcript = "\n".join(_unclosed(line) for turn in older if (line := _line(turn)))
    sections.append(f"<conversation>\n{transcript}\n</conversation>")
    return "\n\n".join(sections)


def summed_up(text: str, older: Iterable[Turn], *, previous: Summary | None = None) -> Summary:
    """The summary of `older`, of which the model wrote `text`.

    A skill that was invoked again counts once, with its latest text; of many, the latest six stay.
    """
    skills = {skill.name: skill for skill in (() if previous is None else previous.skills)}
    for turn in older:
        for skill in turn.skills if isinstance(turn, UserTurn) else ():
            if skill.form is SkillForm.STEPS:  # a decision and a task are over with their turn
                skills.pop(skill.name, None)
                skills[skill.name] = InvokedSkill(name=skill.name, text=skill.text)
    return Summary(
        text=shortened(text.strip(), _LONGEST_SUMMARY), skills=tuple(skills.values())[-_MOST_SKILLS:]
    )


def summary_turn(summary: Summary, *, turn_id: str) -> SystemTurn:
    """The turn that stands in place of the older ones."""
    parts = [f"{SUMMARY_HEADING}\n{summary.text}"]
    if summary.skills:
        parts.append(SKILLS_HEADING)
        parts += [f'"{skill.name}":\n{skill.text}' for skill in summary.skills]
    return SystemTurn(id=turn_id, authority=Authority.CONTEXT, text="\n\n".join(parts), writer=_WRITER)


def _line(turn: Turn) -> str:
    """One turn as a line of the transcript; instructions and context are no part of it."""
    text = shortened(display_turn(turn).text, _LONGEST_LINE)
    return f"{who}: {text}" if text and (who := _who(turn)) else ""


def _who(turn: Turn) -> str:
    match turn:
        case UserTurn():
            if turn.notice is not None:
                return f"Notice from {turn.notice.source}"
            return "Somebody" if turn.speaker is None else speaker_label(turn.speaker)
        case AssistantTurn():
            return "You, interrupted" if turn.interrupted else "You"
        case SystemTurn():
            return ""
        case _:
            assert_never(turn)


def _unclosed(text: str) -> str:
    return text.replace("</", "< /")
