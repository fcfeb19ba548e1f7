"""Modules that are slow to import, for what no start needs: brought when first asked for."""

import importlib
from types import ModuleType

import trio

_brought: dict[str, ModuleType] = {}


async def imported(name: str) -> ModuleType:
    """The module; the first to ask has it imported on a thread, so that the loop goes on."""
    if name not in _brought:
        _brought[name] = await trio.to_thread.run_sync(
            importlib.import_module, name, abandon_on_cancel=True
        )
    return _brought[name]
