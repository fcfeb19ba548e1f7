"""A file that is in use, and whether its name still leads to it."""

import os
from pathlib import Path
from typing import Self

import attrs


@attrs.frozen
class HeldFile:
    """One file under one name. A removed, moved or replaced one is no longer there."""

    path: str
    status: os.stat_result

    @classmethod
    def of(cls, path: Path) -> Self:
        """What the name leads to now. OSError."""
        return cls(str(path), os.stat(path))

    def is_there(self) -> bool:
        """Whether the name leads to it now; not, when that cannot be told. Some microseconds."""
        try:
            return os.path.samestat(os.stat(self.path), self.status)
        except OSError:
            return False
