"""A place in the tokens of a formula."""

from voice.speech_text.maths.tex_tokens import CLOSE_BAR, OPEN_BAR


class TokenCursor:
    """Tokens with the place that is read next, and how deep the reader is."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.place: int = 0
        self.depth: int = 0

    def peek(self) -> str:
        """The next token that is not white space, which is skipped; empty at the end."""
        while self.place < len(self.tokens) and self.tokens[self.place] == " ":
            self.place += 1
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def next(self) -> str:
        """The next token that is not white space, which is passed; a space at the end."""
        token = self.peek()
        self.place += 1
        return token or " "

    def raw(self) -> str:
        """The text of a group, or the next token."""
        if self.peek() != "{":
            return self.next().strip()
        start = self.place + 1
        depth = 0
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            depth += (token == "{") - (token == "}")
            self.place += 1
            if not depth:
                return _source(self.tokens[start : self.place - 1])
        return _source(self.tokens[start:])


def _source(tokens: list[str]) -> str:
    return "".join(token.removeprefix(OPEN_BAR).removeprefix(CLOSE_BAR) for token in tokens)
