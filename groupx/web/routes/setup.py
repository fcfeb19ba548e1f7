"""GET and POST /api/setup: the config as a draft, in the wizard and in a running room."""

from groupx.domain.wire import to_wire
from groupx.setup.offers import offer_of
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Entrance


async def setup(entrance: Entrance, _call: Call) -> Answer:
    """The draft, and which programs and drivers there are. INVALID_ENVELOPE for a broken file."""
    face = entrance.setup
    draft = await face.desk.read()
    programs = await face.programs.found()
    return json_answer(
        {
            **to_wire(draft),
            "programs": programs,
            "drivers": [offer_of(driver) for driver in face.programs.drivers],
            **to_wire(face.desk.waiting),
        }
    )


async def save_setup(entrance: Entrance, call: Call) -> Answer:
    """Save the whole draft; errors name the path in it."""
    saved = await entrance.setup.desk.save(call.body["revision"], call.body["config"])
    return json_answer(saved)


async def check_program(entrance: Entrance, call: Call) -> Answer:
    """`{driver, found, starts, usable, login: {known, how}, problems, …}` of a driver's program,
    once it was started and greeted. NOT_FOUND."""
    checkup = await entrance.setup.checks.check(call.body["driver"])
    return json_answer({**to_wire(checkup), "usable": checkup.usable})


HANDLERS = {"setup": setup, "save_setup": save_setup, "check_program": check_program}
