"""The official ACP SDK as a judge: its models validate every frame that we send."""

from typing import Any

import acp.schema as acp
from pydantic import TypeAdapter, ValidationError

METHODS = {
    "initialize": acp.InitializeRequest,
    "authenticate": acp.AuthenticateRequest,
    "session/new": acp.NewSessionRequest,
    "session/load": acp.LoadSessionRequest,
    "session/resume": acp.ResumeSessionRequest,
    "session/set_mode": acp.SetSessionModeRequest,
    "session/set_config_option": acp.SetSessionConfigOptionSelectRequest,
    "session/prompt": acp.PromptRequest,
    "session/cancel": acp.CancelNotification,
    "session/close": acp.CloseSessionRequest,
}
ANSWERS = (acp.RequestPermissionResponse, acp.CreateElicitationResponse)
_ADAPTERS = {model: TypeAdapter(model) for model in (*METHODS.values(), *ANSWERS, acp.Error)}


def judge(frames: list[dict[str, Any]]) -> list[str]:
    """What is wrong with them; empty when nothing is."""
    return [problem for frame in frames if (problem := _problem_of(frame)) is not None]


def _problem_of(frame: dict[str, Any]) -> str | None:
    if frame.get("jsonrpc") != "2.0":
        return f"no JSON-RPC 2.0: {frame}"
    method = frame.get("method")
    if method is None:
        models = ANSWERS if "result" in frame else (acp.Error,)
        return _first(models, frame.get("result", frame.get("error")))
    if method not in METHODS:
        return f"ACP has no {method}"
    if ("id" in frame) == (method == "session/cancel"):
        return f"{method} is a notification, or is not"
    return _first((METHODS[method],), frame.get("params"))


def _first(models: tuple[Any, ...], value: object) -> str | None:
    """None when one of the models is the value, with nothing in it that the model does not know."""
    found: list[str] = []
    for model in models:
        adapter = _ADAPTERS[model]
        try:
            parsed = adapter.validate_python(value)
        except ValidationError as error:
            found.append(str(error))
            continue
        again = adapter.dump_python(parsed, by_alias=True, exclude_unset=True, mode="json")
        if again == value:
            return None
        found.append(f"{model.__name__} has no such fields: {value}, but {again}")
    return "; ".join(found)
