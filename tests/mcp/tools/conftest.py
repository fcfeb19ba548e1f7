"""The tools on virtual time."""

from tests.actors.conftest import jumping_clock as jumping_clock  # noqa: PLC0414
