"""Which file: the table of the database lifecycle, every row."""

import pytest

from groupx.domain.paths import (
    Database,
    DatabaseFile,
    InMemory,
    choose_config,
    choose_database,
    demo_directory,
    resolve_paths,
)

CONFIG = "/home/ada/project/groupx.json"
DATA = "/home/ada/project/.groupx"


def env(**values: str) -> dict[str, str]:
    return values


ROWS: list[tuple[dict[str, str], str | None, str, Database, str]] = [
    # environment, storage.path, channel → database, a word of the rule
    (env(GROUPX_DB=":memory:"), "/x.db", "local", InMemory(), ":memory:"),
    (env(GROUPX_DB="/var/room.db"), "/x.db", "prod", DatabaseFile("/var/room.db"), "absolute"),
    (env(GROUPX_DB="room.db"), "/x.db", "prod", DatabaseFile(f"{DATA}/room.db"), "relative"),
    (env(GROUPX_DB="../r.db"), None, "local", DatabaseFile("/home/ada/project/r.db"), "relative"),
    (env(GROUPX_DB=""), "/x.db", "local", DatabaseFile("/x.db"), "storage.path"),
    ({}, "db/x.db", "prod", DatabaseFile("/home/ada/project/db/x.db"), "storage.path"),
    ({}, None, "latest", DatabaseFile(f"{DATA}/groupx.db"), "shares"),
    ({}, None, "beta", DatabaseFile(f"{DATA}/groupx.db"), "shares"),
    ({}, None, "prod", DatabaseFile(f"{DATA}/groupx.db"), "shares"),
    (env(GROUPX_DISABLE_CHANNEL_DB="1"), None, "x", DatabaseFile(f"{DATA}/groupx.db"), "shares"),
    (env(GROUPX_DISABLE_CHANNEL_DB="true"), None, "x", DatabaseFile(f"{DATA}/groupx.db"), "shares"),
    (env(GROUPX_DISABLE_CHANNEL_DB="TRUE"), None, "x", DatabaseFile(f"{DATA}/groupx-x.db"), "own"),
    (env(GROUPX_DISABLE_CHANNEL_DB="yes"), None, "x", DatabaseFile(f"{DATA}/groupx-x.db"), "own"),
    (env(GROUPX_DISABLE_CHANNEL_DB="on"), None, "x", DatabaseFile(f"{DATA}/groupx-x.db"), "own"),
    (env(GROUPX_DISABLE_CHANNEL_DB="0"), None, "x", DatabaseFile(f"{DATA}/groupx-x.db"), "own"),
    ({}, None, "local", DatabaseFile(f"{DATA}/groupx-local.db"), "own"),
    ({}, None, "pr/12 é", DatabaseFile(f"{DATA}/groupx-pr-12--.db"), "own"),
    ({}, None, "Prod", DatabaseFile(f"{DATA}/groupx-Prod.db"), "own"),
]


@pytest.mark.parametrize(("env", "storage", "channel", "database", "rule"), ROWS)
def test_the_first_rule_that_answers_wins(
    env: dict[str, str], storage: str | None, channel: str, database: Database, rule: str
):
    choice = choose_database(env=env, config_path=CONFIG, storage_path=storage, channel=channel)
    assert choice.database == database
    assert rule in choice.rule


def test_every_place_is_inside_the_data_directory():
    paths = resolve_paths(env={}, config_path=CONFIG, storage_path=None, channel="local")
    assert paths.data == DATA
    for place in (paths.run, paths.token, paths.log, paths.lock, paths.database):
        assert place is not None
        assert place.startswith(f"{DATA}/")
    assert paths.open_page.startswith(f"{paths.run}/")
    assert paths.runtime_file.startswith(f"{paths.run}/")


def test_a_database_in_memory_has_no_path():
    paths = resolve_paths(
        env={"GROUPX_DB": ":memory:"}, config_path=CONFIG, storage_path=None, channel="local"
    )
    assert paths.database is None


@pytest.mark.parametrize(
    ("option", "env", "path", "rule"),
    [
        ("a.json", {"GROUPX_CONFIG": "/b.json"}, "/w/a.json", "--config"),
        (None, {"GROUPX_CONFIG": "/b.json"}, "/b.json", "GROUPX_CONFIG"),
        (None, {"GROUPX_CONFIG": "sub/b.json"}, "/w/sub/b.json", "GROUPX_CONFIG"),
        (None, {"GROUPX_CONFIG": ""}, "/w/groupx.json", "./groupx.json"),
        (None, {}, "/w/groupx.json", "./groupx.json"),
    ],
)
def test_the_config_is_named_by_option_then_variable_then_folder(
    option: str | None, env: dict[str, str], path: str, rule: str
):
    assert choose_config(option=option, env=env, working_dir="/w") == (path, rule)


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"XDG_DATA_HOME": "/xdg"}, "/xdg/groupx/demo"),
        ({"XDG_DATA_HOME": "relative"}, "/home/ada/.local/share/groupx/demo"),
        ({}, "/home/ada/.local/share/groupx/demo"),
    ],
)
def test_the_demo_lives_in_the_users_data_home(env: dict[str, str], folder: str):
    assert demo_directory(env, "/home/ada") == folder
