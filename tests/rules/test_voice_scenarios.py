"""Turn taking as people meet it, in virtual time; the scenarios are files (`tests/voice_scenarios.py`)."""

import pytest
from blockbuster import BlockBuster

from tests.real_voice_activity import real_voice_activity
from tests.virtual_time import run_virtually
from tests.voice_scenarios import Scenario, bursts_of, decisions_of, differences, scenarios
from voice.providers.packaged_files import ModelMissing


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.name)
def test_scenario(scenario: Scenario, blocking_calls_are_errors: BlockBuster) -> None:
    """VOX-14, VOX-15, VOX-17, VOX-18, VOX-19; VOX-23 where Silero judges real sound."""
    talk = scenario.talk()
    if scenario.is_real:
        try:
            talk.voice_activity = real_voice_activity()
        except ModelMissing as missing:
            pytest.skip(str(missing))
        for function in blocking_calls_are_errors.functions.values():
            function.can_block_in("tests/real_voice_activity.py", {"submit"})  # the first one loads the model
    run_virtually(talk.run(quiet_after_s=4.0))
    expected = scenario.content["expect"]
    wrong = differences(expected.get("bursts", []), bursts_of(talk))
    wrong += differences(expected.get("decisions", []), decisions_of(talk))
    assert not wrong, "\n".join([scenario.content["about"], *wrong])


def test_there_are_enough_of_them() -> None:
    assert len(scenarios()) >= 40
    assert all(scenario.content["about"].strip() for scenario in scenarios())
