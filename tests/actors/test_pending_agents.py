"""Agents that a saved config adds are seen, and cannot be addressed before a restart."""

import pytest

from groupx.domain.config import AgentConfig
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.roster import AgentState, resolve_targets
from tests.actors.fakes import open_room


async def test_an_added_agent_is_shown_and_not_reached(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "alice") as room:
        added = AgentConfig(id="bob", driver="demo", name="Bob", cwd="/")
        room.directory.show_pending([added])
        view = room.directory.views()[-1]
        assert (view.actor_id, view.state) == ("agent:bob", AgentState.PENDING_RESTART)
        roster = room.directory.roster()
        everyone = resolve_targets(["@all"], roster, caller="user:web")  # type: ignore[arg-type]
        assert [entry.actor_id for entry in everyone.targets] == ["agent:alice"]
        for refused in (
            lambda: resolve_targets(["agent:bob"], roster, caller="user:web"),  # type: ignore[arg-type]
            lambda: room.directory.view(added.actor_id),
        ):
            with pytest.raises(GroupXError) as caught:
                refused()
            assert caught.value.code is ErrorCode.UNKNOWN_TARGET
        room.directory.show_pending([])
        assert [view.id for view in room.directory.views()] == ["alice"]
