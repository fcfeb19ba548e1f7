"""Why a started program gave no session: the same words for every protocol."""

from typing import Protocol

import trio

from groupx.adapters.connection import Loss, NoAnswer
from groupx.adapters.contract import AdapterStartError, Interaction
from groupx.adapters.duplex import Duplex
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts
from groupx.domain.text import excerpt
from groupx.process.spawner import SpawnError

STDERR_CHARACTERS = 2000


class Connection(Protocol):
    """What every protocol's connection keeps of a program's first words."""

    @property
    def preamble(self) -> str:
        """What the program printed before its first message; bounded."""
        ...


def last_words(connection: Connection, child: Duplex) -> str:
    """What the program printed that was no message, as a sentence and a blank; or nothing."""
    said = " ".join(
        part.strip()
        for part in (connection.preamble, child.stderr_excerpt(STDERR_CHARACTERS))
        if part.strip()
    )
    return f'It said: "{excerpt(said, 600)}". ' if said else ""


def not_started(error: SpawnError, install: str) -> AdapterStartError:
    """There is no process."""
    return AdapterStartError(
        ErrorCode.ADAPTER_START_FAILED,
        f"{error} Nothing was sent to it. {install}",
        transient=not error.not_found,
    )


def refused(words: str, install: str) -> AdapterStartError:
    """The program answered the handshake with an error."""
    return AdapterStartError(
        ErrorCode.ADAPTER_START_FAILED,
        f"The program refused to begin: {words}. Nothing was sent to it. {install}",
    )


def too_slow(error: trio.TooSlowError, timeouts: Timeouts, said: str) -> AdapterStartError:
    """The program was not ready in time."""
    if isinstance(error, NoAnswer):
        milliseconds, key = timeouts.request, "timeouts.request"
        what = f"The program did not answer {error.method}"
    else:
        milliseconds, key = timeouts.handshake, "timeouts.handshake"
        what = "The program was not ready"
    return AdapterStartError(
        ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT,
        f"{what} within {milliseconds / 1000:g} s. {said}"
        f"Nothing was sent to it. Try again, or raise {key}.",
    )


def ended_early(
    loss: Loss,
    returncode: int | None,
    said: str,
    *,
    protocol: str,
    install: str,
    ended: str = "The program ended",
) -> AdapterStartError:
    """The program ended before it was ready, or said what cannot be trusted."""
    if loss.kind == "broken":
        return AdapterStartError(
            ErrorCode.PROTOCOL_INVALID_MESSAGE,
            f"The program does not speak {protocol}. {loss.reason} {said}"
            f"No message was sent to it. {install}",
            transient=False,
        )
    status = "" if returncode is None else f" (exit status {returncode})"
    return AdapterStartError(
        ErrorCode.ADAPTER_START_FAILED,
        f"{ended} before it was ready{status}. {said}No message was sent to it. {install}",
        transient=returncode != 0,
    )


def asked_early(asked: Interaction) -> AdapterStartError:
    """The program asked something before any message."""
    return AdapterStartError(
        ErrorCode.UNEXPECTED_NATIVE_INTERACTION,
        f"The program asked for {asked.kind} before any message: {asked.reason}. GroupX answers no "
        "such questions, so nothing was sent to it. Answer it once in the program itself.",
        transient=False,
    )
