"""Every route there is, and what a request must bring to reach it.

The guards and the app are both made from this table: a route without a policy cannot exist.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

import attrs

from groupx.actors.callers import PATHS
from groupx.domain.limits import MAX_PAGE_EVENTS
from groupx.domain.memory import GIVEN_KINDS, MAX_RECORDS
from groupx.domain.rooms import MAX_PRUNE_DAYS, MAX_TITLE_CHARACTERS
from groupx.domain.search_page import MAX_HITS
from groupx.domain.side_conversation import MAX_PAGE_MESSAGES
from groupx.store.exchange.formats import FORMS
from groupx.web.requests import (
    COMMAND,
    MAX_SEQ,
    SUPERVISION,
    TARGETS,
    Schema,
    choice,
    day,
    document,
    flag,
    identifier,
    number,
    text,
    whole,
    word,
)

Method = Literal["GET", "POST", "PUT", "DELETE", "WEBSOCKET"]
WEBSOCKET: Method = "WEBSOCKET"
"""A GET that asks for the upgrade."""

_NOTHING: Schema = MappingProxyType({})
_RENDERED: Schema = MappingProxyType({"render": word("html")})
"""Whether words come with their HTML."""
_READING: Schema = MappingProxyType({"roomId": identifier(required=False), **_RENDERED})
"""Which room (none: the active one), and whether what was said comes with its HTML."""


SCOPES = ("room", "agent", "correlation")
_RECORDS: Schema = MappingProxyType(
    {
        "kind": identifier(required=False),
        "author": identifier(required=False),
        "subject": identifier(required=False),
        "show": word("active", "history"),
        **_RENDERED,
        "before": identifier(required=False),
        "limit": number(least=1, most=MAX_RECORDS),
    }
)
"""Which records of memory and identity, and whether they come with their HTML."""
_RECORD: Schema = MappingProxyType({"content": text(), "sourceEventId": identifier(required=False)})


class Auth(StrEnum):
    """What opens a route."""

    OPEN = "open"
    """Nothing; the handler is told whether the caller is the user."""
    USER = "user"
    """The bearer token, or the browser's cookie."""
    BEARER = "bearer"
    """The bearer token only."""
    SESSION = "session"
    """The bearer of an open session of an agent or of the assistant."""


@attrs.frozen(kw_only=True)
class Policy:
    """One method of one path."""

    name: str
    """The name of its handler."""
    method: Method
    path: str
    """`<name>` stands for one segment, `<path:name>` for the rest."""
    auth: Auth = Auth.USER
    needs_room: bool = True
    """Answers 503 unless the runtime is ready."""
    in_setup: bool = False
    """Answers too while there is no config, and so no room."""
    navigable: bool = False
    """A link or a file elsewhere may lead here (a top-level navigation)."""
    body: Schema | None = None
    """None: no body may be sent."""
    query: Schema = _NOTHING
    stream: bool = False
    """Stays open; is ended when the runtime drains."""
    raw: bool = False
    """Its body is read by what stands behind, not here."""


def _get(name: str, path: str, **rest: Any) -> Policy:
    return Policy(name=name, method="GET", path=path, **rest)


def _desk(name: str, path: str) -> tuple[Policy, ...]:
    """An MCP endpoint: everything else about it is between the caller and the SDK."""
    methods: tuple[Method, ...] = ("GET", "POST", "DELETE")
    return tuple(
        Policy(name=name, method=method, path=path, auth=Auth.SESSION, raw=method == "POST")
        for method in methods
    )


def _post(name: str, path: str, fields: Schema = _NOTHING, **rest: Any) -> Policy:
    return Policy(name=name, method="POST", path=path, body={**COMMAND, **fields}, **rest)


POLICIES: tuple[Policy, ...] = (
    # pages
    _get("index", "/", auth=Auth.OPEN, needs_room=False, navigable=True,
         query={"reloaded": number(least=1, most=1)}),
    _get("login", "/login", auth=Auth.OPEN, needs_room=False, navigable=True,
         query={"code": identifier(required=False)}),
    _get("static", "/static/<path:name>", needs_room=False),
    # runtime
    _get("health", "/api/health", auth=Auth.OPEN, needs_room=False),
    Policy(name="login_codes", method="POST", path="/api/login-codes", auth=Auth.BEARER,
           needs_room=False, body={}),
    Policy(name="shutdown", method="POST", path="/api/runtime/shutdown",
           needs_room=False, body={"runtimeScopeKey": identifier()}),
    Policy(name="restart", method="POST", path="/api/runtime/restart",
           body={"runtimeScopeKey": identifier()}),
    # setup
    _get("setup", "/api/setup", in_setup=True),
    Policy(name="save_setup", method="POST", path="/api/setup", in_setup=True,
           body={"revision": identifier(), "config": document()}),
    Policy(name="check_program", method="POST", path="/api/setup/check", in_setup=True,
           body={"driver": identifier()}),
    # reading
    _get("bootstrap", "/api/bootstrap", query=_READING),
    _get("history", "/api/history",
         query={**_READING, "beforeSeq": number(least=1, most=MAX_SEQ),
                "afterSeq": number(least=0, most=MAX_SEQ), "around": identifier(required=False),
                "limit": number(least=1, most=MAX_PAGE_EVENTS)}),
    _get("search", "/api/search",
         query={"q": text(), "roomId": identifier(required=False),
                "rooms": word("all"), "cursor": text(most=18, required=False),
                "limit": number(least=1, most=MAX_HITS)}),
    _post("reindex_search", "/api/search/reindex"),
    _get("event", "/api/events/<event_id>"),
    _get("event_view", "/api/events/<event_id>/view"),
    _get("turn", "/api/turns/<turn_id>"),
    _get("events", "/api/events", stream=True,
         query={"afterSeq": number(least=0, most=MAX_SEQ), "roomId": identifier(required=False)}),
    Policy(name="socket", method=WEBSOCKET, path="/api/ws", stream=True),
    _get("export", "/api/export", stream=True,
         query={"format": word(*FORMS), "reasoning": number(least=0, most=1),
                "room": identifier(required=False)}),
    _get("rooms", "/api/rooms", query={"show": word("listed", "archived", "all")}),
    # commands
    _post("new_room", "/api/rooms", {"title": text(most=MAX_TITLE_CHARACTERS, required=False)}),
    _post("archive_room", "/api/rooms/<room_id>/archive"),
    _post("unarchive_room", "/api/rooms/<room_id>/unarchive"),
    _post("prune_rooms", "/api/rooms/prune",
          {"olderThanDays": whole(least=1, most=MAX_PRUNE_DAYS),
           "action": choice("preview", "archive", "delete")}),
    # memory and identity
    _get("memories", "/api/memory",
         query={**_RECORDS, "q": text(required=False),
                "roomId": identifier(required=False), "scopeType": word(*SCOPES),
                "scopeId": identifier(required=False), "agentMemoryType": word("core", "dated")}),
    _get("read_memory", "/api/memory/<memory_id>", query=_RENDERED),
    _get("dated_days", "/api/memory/days",
         query={"agent": identifier(), "roomId": identifier(required=False),
                "localDate": day(), "before": day(),
                "limit": number(least=1, most=MAX_RECORDS)}),
    _post("remember_memory", "/api/memory",
          {"scopeType": choice(*SCOPES), "scopeId": identifier(required=False), **_RECORD,
           "kind": choice(*GIVEN_KINDS), "subjectActorId": identifier(required=False)}),
    _post("supersede_memory", "/api/memory/<memory_id>/supersede",
          {**_RECORD, "kind": word(*GIVEN_KINDS)}),
    _post("retract_memory", "/api/memory/<memory_id>/retract"),
    _get("identities", "/api/identity", query=_RECORDS),
    _get("read_identity", "/api/identity/<identity_id>", query=_RENDERED),
    _post("remember_identity", "/api/identity",
          {"subjectActorId": identifier(), **_RECORD, "kind": choice(*GIVEN_KINDS)}),
    _post("supersede_identity", "/api/identity/<identity_id>/supersede",
          {**_RECORD, "kind": word(*GIVEN_KINDS)}),
    _post("retract_identity", "/api/identity/<identity_id>/retract"),
    _get("memory_policy", "/api/memory-policy/<agent>",
         query={"roomId": identifier(required=False)}),
    Policy(name="set_memory_policy", method="PUT", path="/api/memory-policy/<agent>",
           body={**COMMAND, "useMemories": flag(required=True),
                 "generation": choice("enabled", "disabled", "excluded"),
                 "expectedRevision": whole(least=0, most=MAX_SEQ),
                 "reason": text(most=500, required=False)}),
    # context
    _get("context", "/api/context"),
    _post("compact_context", "/api/context/compact"),
    _post("cancel_compaction", "/api/context/compact/cancel"),
    _post("reset_context", "/api/context/reset", {"resetNativeSessions": flag()}),
    # files
    _post("backup", "/api/backup"),
    _post("send_message", "/api/messages",
          {"to": TARGETS, "content": text(), "replyToEventId": identifier(required=False),
           "forwardedEventId": identifier(required=False), "supervision": SUPERVISION}),
    _post("withdraw_message", "/api/messages/<message_id>/withdraw"),
    _post("replace_message", "/api/messages/<message_id>/replace", {"content": text()}),
    _post("cancel_turn", "/api/turns/<turn_id>/cancel", {"force": flag()}),
    _post("retry_turn", "/api/turns/<turn_id>/retry"),
    _post("continue_turn", "/api/turns/<turn_id>/continue"),
    _post("continue_root", "/api/roots/<root_id>/continue",
          {"stopEventId": identifier(required=False)}),
    _post("pause_lane", "/api/lanes/<agent>/pause",
          {"reason": text(most=500, required=False)}),
    _post("resume_lane", "/api/lanes/<agent>/resume"),
    _post("start_agent", "/api/agents/<agent>/start"),
    _post("stop_agent", "/api/agents/<agent>/stop"),
    _post("restart_agent", "/api/agents/<agent>/restart"),
    # the assistant
    _get("assistant", "/api/assistant"),
    _get("assistant_messages", "/api/assistant/messages",
         query={"beforeId": identifier(required=False),
                "limit": number(least=1, most=MAX_PAGE_MESSAGES), "render": word("html")}),
    _post("say_aside", "/api/assistant/messages", {"content": text()}),
    _post("cancel_aside", "/api/assistant/cancel"),
    # agents
    *_desk("member", PATHS["member"]),
    *_desk("operator", PATHS["operator"]),
)  # fmt: skip


def is_direct(policy: Policy) -> bool:
    """Whether one answer, made by its handler, is all there is to it."""
    return not policy.stream and policy.auth is not Auth.SESSION


@attrs.frozen(kw_only=True)
class Found:
    """What is at a path: its policies by method, and the values of its segments."""

    by_method: Mapping[str, Policy]
    segments: Mapping[str, str]


class PolicyTable:
    """Paths → policies."""

    def __init__(self, policies: tuple[Policy, ...] = POLICIES) -> None:
        self._by_path: dict[str, dict[str, Policy]] = {}
        for policy in policies:
            self._by_path.setdefault(policy.path, {})[policy.method] = policy
        self._patterns = [(_pattern(path), path) for path in self._by_path if "<" in path]

    def find(self, path: str) -> Found | None:
        """What answers at `path`, exactly as written; None when nothing does."""
        if "<" not in path and path in self._by_path:
            return Found(by_method=self._by_path[path], segments={})
        for pattern, key in self._patterns:
            match = pattern.fullmatch(path)
            if match is not None:
                return Found(by_method=self._by_path[key], segments=match.groupdict())
        return None


def _pattern(path: str) -> re.Pattern[str]:
    escaped = re.sub(r"<path:(\w+)>", r"(?P<\1>[^/]{1,100}(?:/[^/]{1,100}){0,4})", path)
    return re.compile(re.sub(r"(?<!\?P)<(\w+)>", r"(?P<\1>[^/]{1,200})", escaped))
