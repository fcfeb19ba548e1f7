"""Stamps a release's channel into its wheel: `GROUPX_RELEASE_CHANNEL=latest python -m build`.

Without it, and in an editable install, the channel stays `local`, and so does the database's name.
"""

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "groupx/_channel.py"
CHANNEL = re.compile(r"[A-Za-z0-9._-]{1,40}")


class StampChannel(BuildHookInterface):
    """See the module."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put a stamped module in the place of the source's."""
        channel = os.environ.get("GROUPX_RELEASE_CHANNEL")
        if channel is None or version == "editable":
            return
        if not CHANNEL.fullmatch(channel):
            raise ValueError(f"GROUPX_RELEASE_CHANNEL={channel!r} is not a channel's name")
        source = (Path(self.root) / MODULE).read_text()
        stamped = Path(tempfile.mkdtemp(prefix="groupx-channel-")) / "_channel.py"
        stamped.write_text(source.replace('"local"', f'"{channel}"'))
        build_data["force_include"][str(stamped)] = MODULE
