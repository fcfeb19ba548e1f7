"""What Codex may ask its client, and how each is told no."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import cast

import attrs

from groupx.adapters.contract import Interaction
from groupx.adapters.json_lines import Json, objects_in, text_of
from groupx.domain.text import excerpt

REASON_CHARACTERS = 200


@attrs.frozen
class Question:
    """One kind of request, the answer that refuses it, and where it says what it is about."""

    kind: str
    refusal: Json
    reason: Callable[[Json], str]

    def interaction(self, params: Json) -> Interaction:
        """What the user is told."""
        reason = excerpt(self.reason(params) or f"a {self.kind}", REASON_CHARACTERS)
        return Interaction(kind=self.kind, reason=reason)


def _command(params: Json) -> str:
    command: object = params.get("command")
    words = cast("list[object]", command) if isinstance(command, list) else [command]
    return " ".join(map(text_of, words)) or _reason(params)


def _reason(params: Json) -> str:
    return text_of(params.get("reason"))


def _questions(params: Json) -> str:
    asked = objects_in(params.get("questions"))
    return " · ".join(text_of(question.get("question")) for question in asked)


def _message(params: Json) -> str:
    return text_of(params.get("message"))


QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        "item/commandExecution/requestApproval": Question(
            "permission", {"decision": "cancel"}, _command
        ),
        "item/fileChange/requestApproval": Question("permission", {"decision": "cancel"}, _reason),
        "item/permissions/requestApproval": Question("permission", {"permissions": {}}, _reason),
        "execCommandApproval": Question("permission", {"decision": "abort"}, _command),
        "applyPatchApproval": Question("permission", {"decision": "abort"}, _reason),
        "item/tool/requestUserInput": Question("question", {"answers": {}}, _questions),
        "mcpServer/elicitation/request": Question("elicitation", {"action": "cancel"}, _message),
    }
)
"""Whatever else it asks is answered with an error, and its turn goes on."""
