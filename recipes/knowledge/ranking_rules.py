"""Which pieces answer a question best (MEM-8). Pure.

A word that stands in many pieces tells little, so what it counts falls with every doubling of them.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from recipes.search_rules import score

MOST_HITS: Final = 500
"""Of one word in one space: the latest pieces."""

_WORTH_TELLING: Final = 1 / 3


def best_places(hits: Mapping[str, Sequence[int]], limit: int) -> tuple[int, ...]:
    """Places by how well they answer, the earlier of two as good first.

    `hits`: where each word of the question stands. What answers less than a third as well as the best is
    left out.
    """
    scores: dict[int, float] = {}
    for word, places in hits.items():
        weight = score((word,)) / (1 + math.log2(max(1, len(places))))
        for place in places:
            scores[place] = scores.get(place, 0.0) + weight
    least = max(scores.values(), default=0.0) * _WORTH_TELLING
    best = sorted(scores, key=lambda place: (-scores[place], place))
    return tuple(_while_worth(best, scores, least))[:limit]


def _while_worth(best: Iterable[int], scores: Mapping[int, float], least: float) -> Iterable[int]:
    return (place for place in best if scores[place] >= least)
