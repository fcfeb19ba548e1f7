"""POST /api/backup: the whole database as a file, while the room goes on."""

from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services


async def backup(services: Services, call: Call) -> Answer:
    """200 once the backup was made and read back."""
    made = await services.backups.make(call.body["clientCommandId"])
    return json_answer({"path": str(made.path), "bytes": made.bytes})


HANDLERS = {"backup": backup}
