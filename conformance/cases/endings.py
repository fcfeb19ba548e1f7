"""How turns end: the rows of `domain/outcomes.py` that a driver decides, written out once."""

from functools import partial

from groupx.domain.errors import ErrorCode

from ..case import Expect

COMPLETED = partial(Expect)
CANCELLED = partial(Expect, status="cancelled")
EXITED = partial(Expect, status="interrupted", code=ErrorCode.ADAPTER_EXITED, usable=False)
KILLED = partial(Expect, status="interrupted", code=ErrorCode.TURN_CANCEL_TIMEOUT, usable=False)
"""It ignored the cancel."""
BROKEN = partial(Expect, status="failed", code=ErrorCode.PROTOCOL_INVALID_MESSAGE, usable=False)
FAILED = partial(Expect, status="failed", code=ErrorCode.NATIVE_TURN_FAILED)
LOGIN = partial(Expect, status="failed", code=ErrorCode.NATIVE_LOGIN_REQUIRED)
QUOTA = partial(Expect, status="failed", code=ErrorCode.NATIVE_QUOTA_EXCEEDED)
REFUSED = partial(Expect, status="failed", code=ErrorCode.NATIVE_REFUSED)
ASKED = partial(Expect, status="failed", code=ErrorCode.UNEXPECTED_NATIVE_INTERACTION)
