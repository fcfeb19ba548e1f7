"""The cases of a real room: what a program does with the room's own tools. They are seen from
outside, with a whole runtime (`python -m conformance.room_tools`), and not by `conformance run`."""

import attrs


@attrs.frozen(kw_only=True)
class RoomCase:
    """One row."""

    name: str
    capability: str
    needs_model: bool = True


ROOM_CASES: tuple[RoomCase, ...] = (
    RoomCase(name="room-send", capability="Calls send of the room"),
    RoomCase(name="room-ask", capability="Calls ask of the room"),
    RoomCase(name="room-collect", capability="Calls collect of the room"),
    RoomCase(name="room-publish", capability="Calls publish of the room"),
    RoomCase(name="room-read", capability="Calls read of the room"),
    RoomCase(name="room-bearer", capability="Its bearer is in no argv, log or event"),
)
