"""A mock model server on loopback, in the wire formats of OpenAI, Anthropic and Gemini.

`with MockModel() as model:` (see `server`) or `python -m conformance.mock`. Deterministic: it
answers "Hello from the mock model." unless the last words of the user say otherwise (`plan`).
"""

from .plan import MODEL
from .server import MockModel

__all__ = ["MODEL", "MockModel"]
