"""Where a config is read and saved as a draft, by the wizard and by a running room."""

import os
from collections.abc import Callable, Collection
from pathlib import Path

import attrs
import trio

from groupx.domain.config import Config
from groupx.domain.config_changes import NOTHING_PENDING, PendingRestart, pending_restart
from groupx.domain.config_document import read_json
from groupx.domain.config_draft import (
    Tree,
    as_document,
    completed,
    draft_of,
    first_draft,
    revision_of,
    written,
)
from groupx.domain.config_error import ConfigError
from groupx.domain.config_parsing import parse_config
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.wire import optional
from groupx.setup.config_file import read_config_file, replace_config_file
from groupx.setup.startable import refuse_misplaced, refuse_unstartable


@attrs.frozen(kw_only=True)
class Draft:
    """The config to be edited; `config` is the document, each value of an `env` as null."""

    revision: str
    path: str
    exists: bool
    config: Tree


@attrs.frozen(kw_only=True)
class Waiting:
    """What of the saved config the running room does not have yet."""

    restart_required: bool
    """Whether a restart in its place brings anything."""
    pending_restart: tuple[str, ...]
    """The agents that were added, changed or removed."""
    pending_port: int | None = optional()
    """The port from the next `groupx restart` on."""


@attrs.frozen(kw_only=True)
class Saved(Waiting):
    """What a save changes; without a restart the room is just being opened."""

    revision: str


class SetupDesk:
    """Reads and saves one config file. `running` is what the room runs with; None: the wizard.

    `port` is where this is; `port_is_given`: by the command line, whatever a config says.
    `on_saved` is told each config that was saved; `on_pending`, when other things are pending.
    """

    def __init__(
        self,
        path: Path,
        *,
        drivers: Collection[str],
        port: int,
        port_is_given: bool = False,
        revision_key: bytes,
        running: Config | None,
        on_saved: Callable[[Config], None] = lambda _: None,
        on_pending: Callable[[PendingRestart], None] = lambda _: None,
    ) -> None:
        self._path = path
        self._drivers = drivers
        self._port = port
        self._port_is_given = port_is_given
        self._revision_key = revision_key
        self.running = running
        self._on_saved = on_saved
        self._on_pending = on_pending
        self._one_by_one = trio.Lock()
        self.pending = NOTHING_PENDING if running is None else self._what_waits(running, running)
        """As far as is known: as of the last read or save."""

    @property
    def waiting(self) -> Waiting:
        """`pending`, as it is told."""
        return Waiting(
            restart_required=self.pending.required,
            pending_restart=self.pending.agents,
            pending_port=self.pending.port,
        )

    async def read(self) -> Draft:
        """The draft of what the file says now. ConfigError, STORE_UNAVAILABLE."""
        data = await self._bytes()
        if data is None:
            config = first_draft(self._port)
        else:
            config = draft_of(self._document(data))
            self._note(self._parsed(data))
        return Draft(
            revision=self._revision(data),
            path=str(self._path),
            exists=data is not None,
            config=config,
        )

    async def check(self) -> None:
        """That the room can be started from the file as it is now. ConfigError, NOT_FOUND."""
        data = await self._bytes()
        if data is None:
            raise GroupXError(
                ErrorCode.NOT_FOUND,
                f"There is no {self._path} any more, so a restart would have nothing to start "
                "from; nothing was done. Put it back, or save the settings again.",
            )
        config = self._parsed(data)
        await trio.to_thread.run_sync(self._refuse_unstartable, config)

    async def save(self, revision: str, draft: Tree) -> Saved:
        """Check and write the file as a whole; an invalid draft changes nothing.

        Raises INVALID_ENVELOPE and PROVIDER_NOT_CLAIMED with the `path` in the document,
        STORE_CONFLICT when the file is not as of `revision`, STORE_UNAVAILABLE.
        """
        async with self._one_by_one:
            data = await self._bytes()
            if revision != self._revision(data):
                raise GroupXError(
                    ErrorCode.STORE_CONFLICT,
                    f"{self._path} was changed since it was read here, so nothing was saved. "
                    "Load it again and repeat your changes.",
                    revision=self._revision(data),
                )
            try:
                new, config = await self._checked(draft, data)
            except ConfigError as error:
                raise error.unsaved() from None
            await self._write(new, private=_has_values(config))
            self._note(config)
            self._on_saved(config)
        waiting = attrs.asdict(self.waiting, recurse=False)
        return Saved(**waiting, revision=self._revision(new))

    async def _checked(self, draft: Tree, data: bytes | None) -> tuple[bytes, Config]:
        file = str(self._path)
        document = None if data is None else self._document(data)
        new = written(completed(draft, document, file=file))
        config = self._parsed(new)
        before = frozenset[str]() if document is None else _folders(self._parsed(data or b""))
        await trio.to_thread.run_sync(_refuse_missing_folders, config, before)
        refuse = refuse_misplaced if self.running else self._refuse_unstartable
        await trio.to_thread.run_sync(refuse, config)
        return new, config

    def _refuse_unstartable(self, config: Config) -> None:
        refuse_unstartable(config, running=self.running)

    def _note(self, config: Config) -> None:
        if self.running is None:
            return
        before, self.pending = self.pending, self._what_waits(self.running, config)
        if self.pending != before:
            self._on_pending(self.pending)

    def _what_waits(self, running: Config, saved: Config) -> PendingRestart:
        listens = None if self._port_is_given else self._port
        return pending_restart(running, saved, listens=listens)

    def _revision(self, data: bytes | None) -> str:
        return revision_of(data, self._revision_key)

    def _document(self, data: bytes) -> Tree:
        file = str(self._path)
        return as_document(read_json(data, file=file), file=file)

    def _parsed(self, data: bytes) -> Config:
        return parse_config(data, path=str(self._path), drivers=self._drivers)

    async def _bytes(self) -> bytes | None:
        try:
            return await trio.to_thread.run_sync(read_config_file, self._path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable("read", error) from None

    async def _write(self, data: bytes, *, private: bool) -> None:
        def write() -> None:
            replace_config_file(self._path, data, private=private)

        try:
            await trio.to_thread.run_sync(write)
        except OSError as error:
            raise self._unusable("written", error) from None

    def _unusable(self, done: str, error: OSError) -> GroupXError:
        return GroupXError(
            ErrorCode.STORE_UNAVAILABLE,
            f"{self._path} cannot be {done} ({error.strerror}); nothing was changed. "
            "Make the file and its folder yours to read and write, then try again.",
        )


def _has_values(config: Config) -> bool:
    brain = () if config.assistant is None else (config.assistant.brain,)
    return any(program.env for program in (*config.agents, *brain))


def _folders(config: Config) -> frozenset[str]:
    return frozenset(folder for _, folder in _working_folders(config))


def _working_folders(config: Config) -> list[tuple[str, str]]:
    folders = [(f"agents.{it.id}.cwd", it.cwd) for it in config.enabled_agents()]
    if config.enabled_assistant is not None:
        folders.append(("assistant.brain.cwd", config.enabled_assistant.brain.cwd))
    return folders


def _refuse_missing_folders(config: Config, before: frozenset[str]) -> None:
    """One that was in the file already may be away for a while."""
    for where, folder in _working_folders(config):
        if folder not in before and not os.path.isdir(folder):
            raise ConfigError(
                config.path, where, found="no folder of that name", allowed="a folder that exists"
            )
