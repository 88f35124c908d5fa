"""All tests, and the fakes that stand for the outside world: Discord, model servers."""
