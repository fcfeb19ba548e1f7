"""The UI's own files, to the user; to anyone else, a page without data."""

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.web.errors import Answer
from groupx.web.guards import Call
from groupx.web.pages import LOGIN_PAGE, RELOAD_PAGE, html
from groupx.web.security_headers import KEEP
from groupx.web.services import Entrance
from groupx.web.static_files import static_files

_KEEP = (KEEP[0].decode(), KEEP[1].decode())


async def index(_entrance: Entrance, call: Call) -> Answer:
    """GET /: the UI, or the page that reloads once and then names `groupx open`."""
    if call.known:
        return await static_file("index.html")
    return html(LOGIN_PAGE if "reloaded" in call.query else RELOAD_PAGE)


async def static(_entrance: Entrance, call: Call) -> Answer:
    """GET /static/…: one file of the UI; at its version it may be kept."""
    return await static_file(call.segments["name"])


async def static_file(name: str) -> Answer:
    """A file of the UI by its name below `static/`. NOT_FOUND."""
    file, of_version = static_files().find(name)
    if file is None:
        raise GroupXError(ErrorCode.NOT_FOUND, "The UI has no such file.")
    headers = (_KEEP,) if of_version else ()
    return Answer(content=file.content, content_type=file.content_type, headers=headers)


HANDLERS = {"index": index, "static": static}
