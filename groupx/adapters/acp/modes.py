"""The mode of a session: offered as a config option, as a list of modes, or not at all."""

import attrs

from groupx.adapters.acp.failures import words_of
from groupx.adapters.acp.handshake import ask
from groupx.adapters.acp.quirks import Quirks
from groupx.adapters.contract import AdapterStartError, SessionProfile
from groupx.adapters.json_lines import Json, object_of, objects_in, quote, text_of
from groupx.adapters.jsonrpc import RpcConnection, RpcError
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts


@attrs.frozen
class ModeRequest:
    """Which session's mode is to be set."""

    profile: SessionProfile
    quirks: Quirks
    session_id: str
    resumed: bool = attrs.field(kw_only=True)
    """What is resumed may have fallen back to another mode without a word."""


@attrs.frozen
class ModeInEffect:
    """What was asked for, and whether the program says that it is in it."""

    name: str
    confirmed: bool


async def set_mode(
    connection: RpcConnection, request: ModeRequest, opened: Json
) -> ModeInEffect | None:
    """Set the configured mode, or the driver's own; None when neither applies. `opened` is what
    the program said of the session.

    Raises AdapterStartError (NATIVE_POLICY_BLOCKED when it refuses), NoAnswer, ConnectionLost.
    """
    quirks, timeouts = request.quirks, request.profile.timeouts
    wanted = request.profile.mode or quirks.mode
    if wanted is None:
        return None
    option = _mode_option(opened.get("configOptions"))
    modes = _ids(object_of(opened.get("modes")).get("availableModes"))
    unsaid = request.resumed and option is None and not modes
    confirmed = False
    try:
        if option is not None and wanted in _values(option) and not quirks.mode_by_method:
            confirmed = option.get("currentValue") == wanted
            if not confirmed:
                option_id = text_of(option.get("id"))
                params = {"sessionId": request.session_id, "configId": option_id, "value": wanted}
                confirmed = await _set_option(connection, params, timeouts)
        elif quirks.mode is not None or wanted in modes or unsaid:
            params = {"sessionId": request.session_id, "modeId": wanted}
            answer = await ask(connection, "session/set_mode", params, timeouts)
            confirmed = wanted in (_current(opened), _current(answer))
        else:
            return None
    except RpcError as error:
        raise _blocked(wanted, words_of(error)) from error
    return ModeInEffect(wanted, confirmed)


async def _set_option(connection: RpcConnection, params: Json, timeouts: Timeouts) -> bool:
    """Whether the program says that the option has its new value."""
    result = await ask(connection, "session/set_config_option", params, timeouts)
    option = _mode_option(object_of(result).get("configOptions"))
    if option is not None and option.get("currentValue") != params["value"]:
        raise _blocked(params["value"], f"it stayed in {quote(option.get('currentValue'))}")
    return option is not None


def _blocked(wanted: str, reason: str) -> AdapterStartError:
    return AdapterStartError(
        ErrorCode.NATIVE_POLICY_BLOCKED,
        f"The program refused its mode '{wanted}': {reason}. It would stop to ask for "
        "permissions, so nothing was sent to it. Allow that mode in the program's own settings.",
        transient=False,
    )


def _current(answer: object) -> str:
    return text_of(object_of(object_of(answer).get("modes")).get("currentModeId"))


def _mode_option(options: object) -> Json | None:
    found = objects_in(options)
    by_category = [option for option in found if option.get("category") == "mode"]
    by_id = [option for option in found if option.get("id") == "mode"]
    return next(iter(by_category or by_id), None)


def _values(option: Json) -> set[str]:
    """The values of a select option; they may be grouped."""
    choices = objects_in(option.get("options"))
    grouped = [choice for group in choices for choice in objects_in(group.get("options"))]
    return {text_of(choice.get("value")) for choice in choices + grouped}


def _ids(modes: object) -> set[str]:
    return {text_of(mode.get("id")) for mode in objects_in(modes)}
