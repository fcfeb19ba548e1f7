"""What to do about a turn that comes to nothing again and again, without anybody's fault."""

import attrs

IN_A_ROW = 3
"""How often one turn may come to nothing before that is no coincidence."""
PAUSE_SECONDS = 1.0
"""Before something is tried again that just failed without anybody's fault."""


@attrs.define
class InVain:
    """How often in a row something about one turn came to nothing."""

    turn_id: str = ""
    times: int = 0

    def again(self, turn_id: str) -> int:
        """Once more; how often by now."""
        self.times = self.times + 1 if turn_id == self.turn_id else 1
        self.turn_id = turn_id
        return self.times
