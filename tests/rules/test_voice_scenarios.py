"""Turn taking as people meet it, in virtual time; the scenarios are files (`tests/voice_scenarios.py`)."""

import pytest

from tests.virtual_time import run_virtually
from tests.voice_scenarios import Scenario, bursts_of, decisions_of, differences, scenarios


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.name)
def test_scenario(scenario: Scenario) -> None:
    """VOX-14, VOX-15, VOX-17, VOX-18, VOX-19."""
    talk = scenario.talk()
    run_virtually(talk.run(quiet_after_s=4.0))
    expected = scenario.content["expect"]
    wrong = differences(expected.get("bursts", []), bursts_of(talk))
    wrong += differences(expected.get("decisions", []), decisions_of(talk))
    assert not wrong, "\n".join([scenario.content["about"], *wrong])


def test_there_are_enough_of_them() -> None:
    assert len(scenarios()) >= 40
    assert all(scenario.content["about"].strip() for scenario in scenarios())
