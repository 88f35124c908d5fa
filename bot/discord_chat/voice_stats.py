"""How quickly the bot answered in a talk, as `/voice stats` shows it (VOX-27)."""

from collections.abc import Mapping
from statistics import median

from bot.discord_chat.languages import told
from core.sentences import sentence
from voice import (
    LatencyTraces,
    SpeculationEnd,
    Stretch,
)

_WORDS: Mapping[Stretch, str] = {
    Stretch.RESPONSE: sentence("You wait, from your last word to my first"),
    Stretch.ENDPOINT: sentence("until I take your turn for over"),
    Stretch.TRANSCRIPT: sentence("until your words are written down"),
    Stretch.FLOOR: sentence("until nobody else speaks"),
    Stretch.FIRST_TOKEN: sentence("until the model's first words"),
    Stretch.FIRST_AUDIO: sentence("until they have a sound"),
    Stretch.FIRST_PACKET: sentence("until that sound leaves"),
}


def voice_stats(traces: LatencyTraces, speculations: Mapping[SpeculationEnd, int]) -> str:
    """Median and worst of the latest answers, part by part."""
    if not traces.recent:
        return told("Nothing was answered aloud in this call yet.")
    stretches = [trace.stretches() for trace in traces.recent]
    lines = [
        told("The latest {count} answers, half of them within (the slowest took):", count=len(traces.recent))
    ]
    for stretch, words in _WORDS.items():
        seconds = [one[stretch] for one in stretches if stretch in one]
        if seconds:
            lines.append(f"- {told(words)}: {_shown(median(seconds))} ({_shown(max(seconds))})")
    begun = sum(speculations.values())
    if begun:
        kept = speculations.get(SpeculationEnd.KEPT, 0)
        lines.append(
            told("-# {kept} of {begun} answers that were begun early were used.", kept=kept, begun=begun)
        )
    return "\n".join(lines)


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
