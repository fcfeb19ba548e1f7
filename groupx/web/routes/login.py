"""How the user's browser gets in: a code made by the CLI, spent once for a cookie."""

from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.headers import cookie_name
from groupx.web.login import LIFE_SECONDS
from groupx.web.pages import CODE_REFUSED_PAGE, html
from groupx.web.services import Entrance


async def login_codes(entrance: Entrance, _call: Call) -> Answer:
    """POST /api/login-codes: a code for GET /login."""
    code = entrance.logins.new()
    return json_answer({"code": code, "expiresInSeconds": int(LIFE_SECONDS)})


async def login(entrance: Entrance, call: Call) -> Answer:
    """GET /login?code=: the cookie and the way to `/`; or a page that says how to get a code."""
    if not entrance.logins.spend(call.query.get("code", "")):
        return html(CODE_REFUSED_PAGE, status=401)
    name = cookie_name(entrance.facts.port)
    cookie = f"{name}={entrance.token.cookie}; HttpOnly; SameSite=Strict; Path=/"
    return Answer(
        status=303,
        content=b"",
        content_type="text/plain",
        headers=(("location", "/"), ("set-cookie", cookie)),
    )


HANDLERS = {"login_codes": login_codes, "login": login}
