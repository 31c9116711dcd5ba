"""What traces of self-attention share: queries and keys are the same tokens."""


class SelfAttention:
    """A trace with one list of tokens, as the pictures of heads ask for queries and keys by name."""

    tokens: tuple[str, ...]

    @property
    def query_tokens(self) -> tuple[str, ...]:
        """The names of the rows of weights."""
        return self.tokens

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The names of the columns of weights."""
        return self.tokens
