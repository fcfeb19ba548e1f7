"""What `groupx doctor` looks at besides the programs: the config, the data folder, the port."""

import os
import stat
from pathlib import Path

from groupx.capabilities.machine import Check
from groupx.cli.failures import Refused
from groupx.cli.place import Place
from groupx.cli.running import is_silent, occupant
from groupx.domain.config import Config
from groupx.domain.errors import GroupXError
from groupx.domain.runtime_keys import runtime_scope_key

NAMED = ("--config", "GROUPX_CONFIG")
"""Who names a config that has to be there."""


def room_checks(place: Place) -> tuple[tuple[Check, ...], Config | None]:
    """Whether a room of this config could start here; the config, when it is right."""
    if not place.config_path.exists():
        detail = f"none at {place.config_path}; every driver that this version knows is checked"
        if place.chosen_by in NAMED:
            detail = f"none at {place.config_path}, which {place.chosen_by} names: correct it"
        ok = place.chosen_by not in NAMED
        return (Check(name="config", ok=ok, detail=detail),), None
    try:
        config, paths = place.load()
    except (Refused, GroupXError) as error:
        return (Check(name="config", ok=False, detail=error.message),), None
    names = ", ".join(agent.id for agent in config.enabled_agents())
    found = Check(name="config", ok=True, detail=f"{config.path}: {names}")
    return (found, _data(Path(paths.data)), _port(place, config.server.port)), config


def _data(folder: Path) -> Check:
    try:
        found = folder.stat()
    except FileNotFoundError:
        ok = os.access(folder.parent, os.W_OK | os.X_OK)
        detail = "made at the first start, for you alone"
        if not ok:
            detail = f"cannot be made, for {folder.parent} is not yours to write: give it to you"
        return Check(name="data folder", ok=ok, detail=f"{folder}: {detail}")
    except OSError as error:
        detail = f"{folder} cannot be looked at ({error.strerror}): make it yours"
        return Check(name="data folder", ok=False, detail=detail)
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISDIR(found.st_mode):
        return Check(name="data folder", ok=False, detail=f"{folder} is no folder: move it away")
    if found.st_uid != os.geteuid():
        detail = f"{folder} belongs to another user: make it yours (chown)"
        return Check(name="data folder", ok=False, detail=detail)
    if mode & 0o077:
        detail = f"{folder} is open to others (mode {mode:04o}): close it (chmod 700)"
        return Check(name="data folder", ok=False, detail=detail)
    if mode & 0o700 != 0o700:
        detail = f"{folder} is not yours to write (mode {mode:04o}): chmod 700"
        return Check(name="data folder", ok=False, detail=detail)
    return Check(name="data folder", ok=True, detail=f"{folder} (mode {mode:04o})")


def _port(place: Place, port: int) -> Check:
    if port == 0:
        return Check(name="port", ok=True, detail="any free one")
    holder, _ = occupant(port, runtime_scope_key(str(place.config_path)))
    change = "Stop it, or give this config another server.port"
    match holder:
        case "free":
            return Check(name="port", ok=True, detail=f"{port} is free")
        case "same":
            return Check(name="port", ok=True, detail=f"{port}: this config's room runs on it")
        case "other":
            detail = f"{port} is held by the room of another config. {change}."
        case "foreign" if is_silent(place, port):
            detail = f"{port}: this config's room holds it, and does not answer. Try again."
        case "foreign":
            detail = f"{port} is held by a program that is not GroupX. {change}."
    return Check(name="port", ok=False, detail=detail)
