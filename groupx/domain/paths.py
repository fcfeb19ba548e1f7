"""Where GroupX keeps its things: pure functions over an injected environment."""

import posixpath
import re
from collections.abc import Callable, Mapping

import attrs

CONFIG_NAME = "groupx.json"
DATA_NAME = ".groupx"
SHARED_CHANNELS = frozenset({"latest", "beta", "prod"})
"""Release channels that share `groupx.db`."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


@attrs.frozen
class InMemory:
    """A database that is gone with the daemon. Never a path."""


@attrs.frozen
class DatabaseFile:
    """A database at an absolute path."""

    path: str


Database = InMemory | DatabaseFile


@attrs.frozen(kw_only=True)
class DatabaseChoice:
    """The database, and the rule that chose it (for `groupx debug paths`)."""

    database: Database
    rule: str


@attrs.frozen(kw_only=True)
class _Asked:
    env: Mapping[str, str]
    data_dir: str
    config_dir: str
    storage_path: str | None
    channel: str

    @property
    def variable(self) -> str:
        return self.env.get("GROUPX_DB", "")


def _memory(asked: _Asked) -> Database | None:
    return InMemory() if asked.variable == ":memory:" else None


def _absolute(asked: _Asked) -> Database | None:
    return DatabaseFile(asked.variable) if asked.variable.startswith("/") else None


def _relative(asked: _Asked) -> Database | None:
    return _inside(asked.data_dir, asked.variable) if asked.variable else None


def _storage(asked: _Asked) -> Database | None:
    return _inside(asked.config_dir, asked.storage_path) if asked.storage_path else None


def _shared(asked: _Asked) -> Database | None:
    disabled = asked.env.get("GROUPX_DISABLE_CHANNEL_DB") in {"1", "true"}
    if asked.channel in SHARED_CHANNELS or disabled:
        return _inside(asked.data_dir, "groupx.db")
    return None


def _of_channel(asked: _Asked) -> Database | None:
    return _inside(asked.data_dir, f"groupx-{_UNSAFE.sub('-', asked.channel)}.db")


def _inside(folder: str, path: str) -> DatabaseFile:
    return DatabaseFile(posixpath.normpath(posixpath.join(folder, path)))


_RULES: tuple[tuple[str, Callable[[_Asked], Database | None]], ...] = (
    ("GROUPX_DB is :memory:", _memory),
    ("GROUPX_DB is an absolute path", _absolute),
    ("GROUPX_DB is relative to the data directory", _relative),
    ("storage.path in the config", _storage),
    ("a channel that shares groupx.db, or GROUPX_DISABLE_CHANNEL_DB", _shared),
    ("the channel's own file", _of_channel),
)
"""The first that answers wins; the last always does."""


def choose_database(
    *,
    env: Mapping[str, str],
    config_path: str,
    storage_path: str | None,
    channel: str,
) -> DatabaseChoice:
    """Which database a runtime of this config opens."""
    asked = _Asked(
        env=env,
        data_dir=data_directory(config_path),
        config_dir=posixpath.dirname(config_path),
        storage_path=storage_path,
        channel=channel,
    )
    for rule, answer in _RULES:
        database = answer(asked)
        if database is not None:
            return DatabaseChoice(database=database, rule=rule)
    raise AssertionError("the last rule always answers")


def data_directory(config_path: str) -> str:
    """`.groupx/` beside the canonical config file."""
    return posixpath.join(posixpath.dirname(config_path), DATA_NAME)


def demo_directory(env: Mapping[str, str], home: str) -> str:
    """Where `--demo` keeps its config and data; a relative XDG_DATA_HOME counts as unset."""
    base = env.get("XDG_DATA_HOME", "")
    if not base.startswith("/"):
        base = posixpath.join(home, ".local", "share")
    return posixpath.join(base, "groupx", "demo")


def choose_config(
    *, option: str | None, env: Mapping[str, str], working_dir: str
) -> tuple[str, str]:
    """The config's path (absolute, not yet canonical) and what named it."""
    for path, rule in (
        (option, "--config"),
        (env.get("GROUPX_CONFIG"), "GROUPX_CONFIG"),
        (CONFIG_NAME, f"./{CONFIG_NAME}"),
    ):
        if path:
            return posixpath.normpath(posixpath.join(working_dir, path)), rule
    raise AssertionError("the last rule always answers")


@attrs.frozen(kw_only=True)
class Paths:
    """Every place of one runtime. `config` is canonical."""

    config: str
    data: str
    choice: DatabaseChoice
    channel: str

    @property
    def database(self) -> str | None:
        """The database's path; None for one in memory."""
        database = self.choice.database
        return database.path if isinstance(database, DatabaseFile) else None

    @property
    def run(self) -> str:
        """Files that live no longer than the daemon; swept at start."""
        return posixpath.join(self.data, "run")

    @property
    def runtime_file(self) -> str:
        """`{port, runtimeScopeKey, pid}` of the running daemon."""
        return posixpath.join(self.run, "runtime.json")

    @property
    def open_page(self) -> str:
        """The page that carries a login code to the browser."""
        return posixpath.join(self.run, "open.html")

    @property
    def token(self) -> str:
        """The bearer of the CLI, and the secret behind the browser's cookie."""
        return posixpath.join(self.data, "token")

    @property
    def log(self) -> str:
        """What a detached daemon writes."""
        return posixpath.join(self.data, "groupx.log")

    @property
    def backups(self) -> str:
        """Where backups go unless a place is named."""
        return posixpath.join(self.data, "backups")

    @property
    def lock(self) -> str:
        """The data directory's lock."""
        return posixpath.join(self.data, "runtime.lock")


_BESIDE_A_DATABASE = ("-wal", "-shm", "-journal", ".lock")
_KEPT = ".bak"


def misplaced_database(paths: Paths, real: Callable[[str], str]) -> str | None:
    """What else the database's place is, since a file there would be lost or spoil that.

    None when it has a place of its own. `real` resolves links (os.path.realpath).
    """
    if paths.database is None:
        return None
    return misplaced_new_database(paths.database, paths, real)


def misplaced_new_database(path: str, paths: Paths, real: Callable[[str], str]) -> str | None:
    """The same of a database that is still to be made at `path`."""
    if path.lower().endswith(_KEPT) or real(path).lower().endswith(_KEPT):
        return f"named like a copy that is kept as it is (*{_KEPT})"
    return misplaced_file(path, paths, real)


def misplaced_file(path: str, paths: Paths, real: Callable[[str], str]) -> str | None:
    """The same of any file that is to be made at `path`."""
    found = real(path)
    for name in (path.lower(), found.lower()):
        for suffix in _BESIDE_A_DATABASE:
            if name.endswith(suffix) and found != real(paths.lock):
                return f"named like what is kept beside a database (*{suffix})"
    if _is_within(found, real(paths.run)):
        return f"inside {paths.run}, which is emptied at every start"
    for place, what in (
        (paths.config, "the config"),
        (paths.data, "the data directory"),
        (paths.lock, "the data directory's lock"),
        (paths.token, "the token"),
        (paths.log, "the log"),
    ):
        if found == real(place):
            return what
    return "the log" if found.startswith(f"{real(paths.log)}.") else None


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def resolve_paths(
    *, env: Mapping[str, str], config_path: str, storage_path: str | None, channel: str
) -> Paths:
    """Every place of the runtime whose canonical config is `config_path`."""
    return Paths(
        config=config_path,
        data=data_directory(config_path),
        choice=choose_database(
            env=env, config_path=config_path, storage_path=storage_path, channel=channel
        ),
        channel=channel,
    )
