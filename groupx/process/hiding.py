"""What a program was told in secret, taken out of what it says before anybody else reads it."""

from collections.abc import Sequence

PLACE = b"(hidden)"
"""What stands where a secret stood. Valid inside a JSON text, as secrets are."""


class Secrets:
    """Texts that are handed on to nobody. An empty one hides nothing."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._secrets = tuple(text.encode() for text in texts if text)

    def hidden(self, said: bytes) -> bytes:
        """`said` without any of them."""
        for secret in self._secrets:
            said = said.replace(secret, PLACE)
        return said
