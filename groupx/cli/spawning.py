"""Work of a command that starts programs, with nothing left behind."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from groupx.cli.failures import Refused

if TYPE_CHECKING:
    from groupx.process.spawner import Spawner

T = TypeVar("T")


def run_with_spawner(work: "Callable[[Spawner], Awaitable[T]]") -> T:
    """What `work` gives. Refused where programs cannot be started at all."""
    import trio

    from groupx.process.spawner import Spawner, SpawnError

    async def with_spawner() -> T:
        spawner = Spawner()
        await spawner.start()
        try:
            return await work(spawner)
        finally:
            await spawner.aclose()

    try:
        return trio.run(with_spawner)
    except SpawnError as error:
        raise Refused(str(error)) from None
