"""The rules of the house, in the order in which they see an event (VOX-13)."""

from typing import Any

from voice.policy.barge_in_rules import barge_in_rule
from voice.policy.end_of_turn_rules import end_of_turn_rule
from voice.policy.floor_rules import floor_rule
from voice.policy.room import Room
from voice.policy.rules import Rule
from voice.policy.settings import TurnTakingSettings
from voice.policy.speculation_rules import speculation_rule
from voice.policy.speech_activity_rules import speech_activity_rule


def first_party_rules(
    settings: TurnTakingSettings, room: Room, *, has_model: bool, speculates: bool
) -> tuple[Rule[Any], ...]:
    """`has_model`: a turn model is asked. `speculates`: requests may begin before a turn is over."""
    rules: list[Rule[Any]] = [
        speech_activity_rule(settings, room),
        end_of_turn_rule(settings, has_model=has_model),
        barge_in_rule(settings, room),
    ]
    if speculates:
        rules.append(speculation_rule(settings, room))
    return (*rules, floor_rule(settings, room))
