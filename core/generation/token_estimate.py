"""Tokens guessed from text, for providers that report no usage (CORE-11)."""

_BYTES_PER_TOKEN = 4  # English in the common vocabularies; other scripts have more bytes a character


def estimated_tokens(text: str) -> int:
    """A guess that is never zero for a text that is not empty."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
