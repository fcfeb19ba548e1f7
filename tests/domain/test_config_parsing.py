"""`groupx.json` → Config: every refusal names the place, what was found and what is allowed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.config import BUILT_IN_DRIVERS, Config
from groupx.domain.config_error import ConfigError
from groupx.domain.config_parsing import SMALLEST_CONFIG, parse_config
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Limits, Timeouts
from groupx.domain.runtime_keys import runtime_key, runtime_scope_key

PATH = "/home/ada/project/groupx.json"
DRIVERS = (*BUILT_IN_DRIVERS, "acp", "demo")
AGENT = {"driver": "acp", "command": "tool", "cwd": "."}


def parse(document: Any) -> Config:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return parse_config(data, path=PATH, drivers=DRIVERS)


def with_agent(**changes: Any) -> dict[str, Any]:
    return {"agents": {"a": {**AGENT, **changes}}}


def test_the_smallest_config_has_every_default():
    config = parse(SMALLEST_CONFIG.encode())
    (agent,) = config.agents
    assert (agent.id, agent.driver, agent.name, agent.enabled) == ("kimi", "kimi", "kimi", True)
    assert agent.command == ("kimi",)
    assert agent.cwd == "/home/ada/project"
    assert (config.path, config.server.port, config.storage_path) == (PATH, 4310, None)
    assert (config.limits, config.timeouts, config.assistant) == (Limits(), Timeouts(), None)


def test_a_full_config_is_read_as_written():
    config = parse(
        {
            "transport": "structured",
            "server": {"host": "127.0.0.1", "port": 5000},
            "storage": {"path": "../db/room.db"},
            "agents": {
                "planner": {
                    "driver": "acp",
                    "name": "计划者",
                    "identity": "Plans.",
                    "command": ["npx", "-y", "tool"],
                    "args": ["--acp"],
                    "mode": "auto",
                    "cwd": "/srv/code",
                    "env": {"KEY": "value"},
                    "enabled": True,
                },
                "off": {**AGENT, "enabled": False},
            },
            "assistant": {
                "enabled": True,
                "name": "Helper",
                "brain": {"driver": "codex", "command": "codex", "cwd": "brain"},
                "extraInstructions": "Be brief.",
            },
            "limits": {"queuePerAgent": 5},
            "timeouts": {"firstEvent": 1000},
        }
    )
    planner, off = config.agents
    assert planner.command == ("npx", "-y", "tool")
    assert (planner.args, planner.mode, planner.cwd) == (("--acp",), "auto", "/srv/code")
    assert (planner.name, planner.env) == ("计划者", {"KEY": "value"})
    assert config.enabled_agents() == (planner,)
    assert not off.enabled
    assert config.storage_path == "/home/ada/db/room.db"
    assert config.assistant is not None
    assert config.assistant.brain.cwd == "/home/ada/project/brain"
    assert config.assistant.extra_instructions == "Be brief."
    assert (config.limits.queue_per_agent, config.timeouts.first_event) == (5, 1000)


@pytest.mark.parametrize("name", BUILT_IN_DRIVERS)
def test_built_in_ids_imply_their_driver(name: str):
    agent = {"command": name, "cwd": "."}
    found, _ = parse({"agents": {name: agent, "a": AGENT}}).agents
    assert found.driver == name


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("tool", ("tool",)),
        ("/opt/a tool", ("/opt/a tool",)),
        (["ssh", "-T", "box", "codex"], ("ssh", "-T", "box", "codex")),
        ({"executable": "node", "prefixArgs": ["x.js"]}, ("node", "x.js")),
        ({"executable": "node"}, ("node",)),
    ],
)
def test_every_form_of_command_is_an_argv_prefix(command: Any, argv: tuple[str, ...]):
    assert parse(with_agent(command=command)).agents[0].command == argv


@pytest.mark.parametrize(
    "address",
    [
        "ws://127.0.0.1:9000",
        "ws://localhost:9000/app",
        "ws://127.0.0.1:65535/",
        "unix:///run/codex.sock",
    ],
)
def test_codex_may_be_spoken_to_by_address(address: str):
    codex = {"command": address, "cwd": ".", "enabled": False}
    agent, _ = parse({"agents": {"codex": codex, "a": AGENT}}).agents
    assert agent.command == (address,)


REFUSED: list[tuple[Any, str, str]] = [
    # document, where, a word of the message
    ([], "", "an object with the keys"),
    ({}, "agents", "required"),
    ({"agents": {}}, "agents", "at least one"),
    ({"agents": {"a": {**AGENT, "enabled": False}}}, "agents", "enabled"),
    ({"agent": {}}, "agent", "unknown key"),
    (with_agent(colour="red"), "agents.a.colour", "unknown key"),
    ({**with_agent(), "limits": {"queue": 1}}, "limits.queue", "queuePerAgent"),
    ({**with_agent(), "server": {"hosts": "x"}}, "server.hosts", "host, port"),
    ({**with_agent(), "server": {"host": "0.0.0.0"}}, "server.host", "127.0.0.1"),
    ({**with_agent(), "server": {"host": "localhost"}}, "server.host", "127.0.0.1"),
    ({**with_agent(), "server": {"port": 65536}}, "server.port", "65535"),
    ({**with_agent(), "server": {"port": "4310"}}, "server.port", "whole number"),
    ({**with_agent(), "server": {"port": True}}, "server.port", "whole number"),
    ({**with_agent(), "server": {"port": 1.5}}, "server.port", "whole number"),
    ({**with_agent(), "transport": "direct"}, "transport", "structured"),
    ({**with_agent(), "transport": "tcp"}, "transport", "structured"),
    ({**with_agent(), "limits": {"queuePerAgent": 0}}, "limits.queuePerAgent", "1 to 100000"),
    ({**with_agent(), "limits": {"queuePerAgent": 100_001}}, "limits.queuePerAgent", "100000"),
    ({**with_agent(), "timeouts": {"idle": 1}}, "timeouts.idle", "100 to 86400000"),
    ({"agents": {"a": {"command": "x", "cwd": "."}}}, "agents.a.driver", "kimi"),
    ({"agents": {"a": {"driver": "acp", "command": "x"}}}, "agents.a.cwd", "required"),
    ({"agents": {"a": {"driver": "acp", "cwd": "."}}}, "agents.a.command", "program"),
    (with_agent(command=[]), "agents.a.command", "program"),
    (with_agent(command=""), "agents.a.command", "program"),
    (with_agent(command=["x", 1]), "agents.a.command[1]", "text"),
    (with_agent(command={"prefixArgs": []}), "agents.a.command", "executable"),
    (with_agent(command=7), "agents.a.command", "program"),
    (with_agent(command="ws://127.0.0.1:1"), "agents.a.command", "codex"),
    (
        {"agents": {"codex": {"command": "ws://box:1", "cwd": ".", "enabled": False}}},
        "agents.codex.command",
        "127.0.0.1",
    ),
    *(
        ({"agents": {"codex": {"command": address, "cwd": "."}}}, "agents.codex.command", "machine")
        for address in (
            "ws://127.0.0.1",
            "ws://127.0.0.1:0",
            "ws://127.0.0.1:70000",
            "ws://127.0.0.1.example.org:1",
            "ws://user@127.0.0.1:1",
            "ws://[::1",
            "ws://127.0.0.1:1/?token=x",
            "wss://127.0.0.1:1",
            "http://127.0.0.1:1",
            "unix://codex.sock",
            "unix:///",
            ["ws://127.0.0.1:1", "--x"],
        )
    ),
    (with_agent(args="--x"), "agents.a.args", "list of texts"),
    (with_agent(args=["a\0b"]), "agents.a.args[0]", "NUL"),
    ({"agents": {"kimi": {**AGENT, "driver": "kimi", "args": ["x"]}}}, "agents.kimi.args", "acp"),
    ({"agents": {"d": {"driver": "demo", "command": "x", "cwd": "."}}}, "agents.d.command", "demo"),
    (with_agent(cwd="~/code"), "agents.a.cwd", "no ~"),
    (with_agent(cwd=""), "agents.a.cwd", "path"),
    (with_agent(name=" "), "agents.a.name", "characters"),
    (with_agent(identity="x" * 20_001), "agents.a.identity", "20000"),
    (with_agent(enabled="yes"), "agents.a.enabled", "true or false"),
    (with_agent(env={"A": 1}), "agents.a.env.A", "text"),
    (with_agent(env={"A=B": "1"}), "agents.a.env.A=B", "'='"),
    (with_agent(env=["A=1"]), "agents.a.env", "object"),
    ({"agents": {"x": AGENT, "Assistant": AGENT}}, "agents.Assistant", "reserved"),
    ({"agents": {"__assistant__": AGENT}}, "agents.__assistant__", "reserved"),
    ({"agents": {"a b": AGENT}}, "agents.a b", "ids like"),
    ({"agents": {"Ada": AGENT, "ada": AGENT}}, "agents.ada", "case"),
    (
        {**with_agent(), "assistant": {"enabled": True, "name": "x"}},
        "assistant.brain",
        "required",
    ),
]


@pytest.mark.parametrize(("document", "where", "word"), REFUSED)
def test_a_refusal_names_file_place_found_and_allowed(document: Any, where: str, word: str):
    with pytest.raises(ConfigError) as caught:
        parse(document)
    error = caught.value
    assert error.where == where
    assert error.message.startswith(f"{PATH}: ")
    assert word in error.message
    assert error.found
    assert error.allowed
    assert error.details["path"] == where


def test_an_unknown_driver_is_named_with_the_known_ones_and_never_guessed():
    with pytest.raises(ConfigError) as caught:
        parse(with_agent(driver="gemini"))
    assert caught.value.code is ErrorCode.PROVIDER_NOT_CLAIMED
    assert '"gemini"' in caught.value.message
    for driver in DRIVERS:
        assert driver in caught.value.message
    data = json.dumps(with_agent(driver="gemini")).encode()
    assert parse_config(data, path=PATH, drivers=["gemini"]).agents[0].driver == "gemini"


def test_a_refused_environment_value_is_not_shown():
    with pytest.raises(ConfigError) as caught:
        parse(with_agent(env={"KEY": "s3cret\0"}))
    assert "s3cret" not in str(caught.value)
    with pytest.raises(ConfigError) as caught:
        parse(with_agent(env={"KEY": 981234}))
    assert "981234" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "where", "word"),
    [
        (b'{\n  "agents": {,}\n}', "line 2, column 14", "JSON"),
        (b"", "line 1, column 1", "JSON"),
        (b'{"a": 1, "a": 2}', "a", "twice"),
        (b'{"agents": {"x": {"cwd": ".", "cwd": "/"}}}', "agents.x.cwd", "twice"),
        (b'{"limits": NaN}', "", "NaN"),
        (b'{\n"a": "\xff"}', "line 2", "UTF-8"),
        (b"[" * 100_000, "", "nesting"),
        (b" " * (1024 * 1024 + 1), "", "at most"),
        (b'{"agents": {"x": {"cwd": "\\ud800"}}}', "agents.x.cwd", "whole characters"),
    ],
    ids=["syntax", "empty", "doubled", "doubled-deep", "nan", "bytes", "deep", "big", "surrogate"],
)
def test_what_is_not_json_is_shown_where_it_is(data: bytes, where: str, word: str):
    with pytest.raises(ConfigError) as caught:
        parse(data)
    assert caught.value.where == where
    assert word in caught.value.message


def test_a_byte_order_mark_is_no_error():
    assert parse(b"\xef\xbb\xbf" + SMALLEST_CONFIG.encode()).agents


def test_keys_follow_the_config_but_not_the_values_of_its_environment():
    one = parse(with_agent(env={"KEY": "a"}))
    other = parse(with_agent(env={"KEY": "b"}))
    renamed = parse(with_agent(env={"OTHER": "a"}))
    assert runtime_key(one) == runtime_key(other)
    assert runtime_key(one) != runtime_key(renamed)
    assert runtime_key(one) != runtime_key(parse(with_agent(mode="x")))
    assert runtime_scope_key(one.path) == runtime_scope_key(PATH)
    assert runtime_scope_key("/elsewhere/groupx.json") != runtime_scope_key(PATH)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=12,
)


def refusal(document: Any) -> ConfigError | None:
    """Why it is refused; None when it is read. Nothing else may come of it."""
    try:
        parse(document)
    except ConfigError as error:
        return error
    return None


SECTIONS = st.sampled_from(
    ["transport", "server", "storage", "agents", "assistant", "limits", "timeouts"]
)


@given(st.dictionaries(SECTIONS, JSON | st.dictionaries(st.just("a"), JSON, max_size=1)))
def test_whatever_a_section_holds_it_is_read_or_refused(document: dict[str, Any]):
    error = refusal(document)
    assert error is None or (error.found and error.allowed)


@given(
    st.fixed_dictionaries(
        {"driver": st.sampled_from(["acp", "demo", "kimi", "x"]) | JSON},
        optional=dict.fromkeys(
            ["name", "identity", "command", "args", "mode", "cwd", "env", "enabled"], JSON
        ),
    )
)
def test_whatever_an_agent_holds_it_is_read_or_refused(agent: dict[str, Any]):
    error = refusal({"agents": {"a": agent, "b": AGENT}})
    assert error is None or error.where.startswith("agents.a")


@given(st.binary(max_size=64))
def test_whatever_the_bytes_are_they_are_read_or_refused(data: bytes):
    with pytest.raises(ConfigError):
        parse(data)
