"""What the process has learned of how each model counts tokens (CORE-28)."""

from core.context.token_estimates import TokenEstimate


class ModelTokens:
    """One estimate a model, corrected by what its provider reports; forgotten with the process."""

    def __init__(self) -> None:
        self._estimates: dict[str, TokenEstimate] = {}

    def of(self, model: str) -> TokenEstimate:
        """What is known of `model`."""
        return self._estimates.get(model, TokenEstimate())

    def observed(self, model: str, *, raw: int, tokens: int) -> None:
        """A request guessed as `raw` was counted as `tokens` by the provider."""
        self._estimates[model] = self.of(model).observed(raw=raw, tokens=tokens)
