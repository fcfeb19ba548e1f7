"""The assistant reads and changes the settings for its user, and sees no secret."""

import json
from pathlib import Path

from tests.mcp.tools.test_operator import operating

DEMO = {"driver": "demo", "cwd": "."}
SECRET = "the-value-of-a-variable"


async def test_settings_are_read_and_saved_without_a_secret(tmp_path: Path) -> None:
    file = tmp_path / "groupx.json"
    file.write_text(json.dumps({"agents": {"a": {**DEMO, "env": {"KEY": SECRET}}}}))
    async with operating(tmp_path, "alice") as operator:
        draft = await operator.use("setup_read")
        assert SECRET not in json.dumps(draft)
        config = draft["config"]
        config["agents"]["b"] = {**DEMO, "driver": "?"}
        wrong = {"revision": draft["revision"], "config": config}
        assert await operator.refused("setup_update", **wrong) == "PROVIDER_NOT_CLAIMED"
        config["agents"]["b"] = DEMO
        assert "revision" in await operator.use("setup_update", **wrong)
        assert await operator.refused("setup_update", **wrong) == "STORE_CONFLICT"
        saved = json.loads(file.read_text())["agents"]
        file.write_text(json.dumps({"agents": {"a": {**DEMO, "identity": "长" * 18_000}}}))
        assert "长" in json.dumps(await operator.use("setup_read"), ensure_ascii=False)
        long = {f"a{n}": {**DEMO, "identity": "长" * 10_000} for n in range(2)}
        file.write_text(json.dumps({"agents": long}))
        assert await operator.refused("setup_read") == "MESSAGE_TOO_LARGE"
        file.unlink()
    assert saved == {"a": {**DEMO, "env": {"KEY": SECRET}}, "b": DEMO}
