"""An app-server to speak to: one that is started for it, or one that listens already."""

import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from groupx.adapters.codex.programs import ARGUMENTS, INSTALL, PROGRAM, native_prefix
from groupx.adapters.contract import AdapterStartError, SessionProfile
from groupx.adapters.duplex import Duplex
from groupx.adapters.starting import not_started
from groupx.adapters.websocket import LISTEN, with_websocket
from groupx.domain.addresses import is_address, socket_address
from groupx.process.environment import child_environment
from groupx.process.spawner import Spawner, SpawnError

T = TypeVar("T")


async def with_program(
    profile: SessionProfile, spawner: Spawner, use: Callable[[Duplex], Awaitable[T]]
) -> T:
    """What `use` returns; a started program is ended after it, a connection closed.

    Raises AdapterStartError where there is none, and what `use` raises.
    """
    command = profile.command or PROGRAM
    if is_address(command[0]):
        seconds = profile.timeouts.handshake / 1000
        address = socket_address(command[0])
        return await with_websocket(address, seconds, use, secrets=profile.secrets)
    environment = child_environment(os.environ, profile.env)
    argv = (*native_prefix(command, environment), *profile.args, *ARGUMENTS)
    try:
        opening = spawner.open(argv, cwd=profile.cwd, env=environment, secrets=profile.secrets)
        async with opening as child:
            return await use(child)
    except SpawnError as error:
        raise not_started(error, INSTALL) from error


def advice_of(profile: SessionProfile) -> tuple[str, str]:
    """What to do about a program that is none of ours, and how its end before it was ready is
    told: of one that listens somewhere, only the connection is known."""
    command = (profile.command or PROGRAM)[0]
    if is_address(command):
        return LISTEN, f"{command} closed the connection"
    return INSTALL, "The program ended"


async def is_listening(address: str, seconds: float) -> str | None:
    """None when a WebSocket server answers at `address`; else what is wrong."""

    async def leave(_: Duplex) -> None:
        await trio.lowlevel.checkpoint()

    try:
        await with_websocket(socket_address(address), seconds, leave)
    except AdapterStartError as error:
        return error.message
    return None
