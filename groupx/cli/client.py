"""HTTP to a runtime on this machine: straight to loopback, whatever proxies are configured."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import attrs

from groupx.cli.failures import Refused

PROTOCOL = "groupx.runtime/1"
TIMEOUT_SECONDS = 5.0
_MAX_ANSWER_BYTES = 4 * 1024 * 1024
_PIECE_BYTES = 64 * 1024


@attrs.frozen(kw_only=True)
class Answer:
    """What a runtime answered."""

    status: int
    body: dict[str, Any]

    @property
    def error_message(self) -> str:
        """Its error's message, or its status."""
        error = self.body.get("error")
        if isinstance(error, dict):
            message = cast("dict[str, Any]", error).get("message")
            if isinstance(message, str):
                return message
        return f"it answered with status {self.status}"


class NoAnswer(Refused):
    """A room that answered before does not any more."""

    def __init__(self) -> None:
        super().__init__(
            "the room stopped answering meanwhile, so whether it did this is not known. "
            "Look with `groupx status`, then try again."
        )


class NobodyListens(NoAnswer):
    """The port refuses connections."""


class NotARuntime(NoAnswer):
    """Something listens there that does not answer as a GroupX runtime does."""


class BrokenDownload(Exception):
    """A file ended before its end."""


@attrs.frozen(kw_only=True)
class RuntimeClient:
    """One runtime, by port; `token` is sent as a bearer."""

    port: int
    token: str | None = attrs.field(default=None, repr=False)
    timeout_seconds: float = attrs.field(factory=lambda: TIMEOUT_SECONDS)

    def get(self, path: str) -> Answer:
        """Raises NobodyListens, NotARuntime."""
        return self._request("GET", path, None)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Answer:
        """Raises NobodyListens, NotARuntime."""
        return self._request("POST", path, {} if body is None else body)

    def health(self) -> Answer:
        """`GET /api/health`, from a GroupX runtime and nobody else."""
        answer = self.get("/api/health")
        if answer.body.get("service") != "groupx" or answer.body.get("protocol") != PROTOCOL:
            raise NotARuntime
        return answer

    def download(self, path: str) -> Iterator[bytes]:
        """A file, piece by piece.

        Raises NobodyListens, NotARuntime, BrokenDownload, and Refused with the runtime's words.
        """
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout_seconds)
        with closing(link):
            try:
                link.request("GET", path, headers=self._headers())
                response = link.getresponse()
            except ConnectionRefusedError:
                raise NobodyListens from None
            except (OSError, http.client.HTTPException):
                raise NotARuntime from None
            try:
                if response.status != 200:
                    answer = _answer(response.status, response.read(_MAX_ANSWER_BYTES))
                    raise Refused(answer.error_message)
                while piece := response.read(_PIECE_BYTES):
                    yield piece
            except (OSError, http.client.HTTPException) as error:
                raise BrokenDownload(str(error) or type(error).__name__) from None

    def _headers(self) -> dict[str, str]:
        headers = {"Host": f"127.0.0.1:{self.port}", "Accept": "application/json"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return headers

    def _request(self, method: str, path: str, body: dict[str, Any] | None) -> Answer:
        headers = self._headers()
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout_seconds)
        try:
            link.request(method, path, body=data, headers=headers)
            response = link.getresponse()
            raw = response.read(_MAX_ANSWER_BYTES)
        except ConnectionRefusedError:
            raise NobodyListens from None
        except (OSError, http.client.HTTPException):
            raise NotARuntime from None
        finally:
            link.close()
        return _answer(response.status, raw)


def _answer(status: int, raw: bytes) -> Answer:
    try:
        parsed = json.loads(raw)
    except ValueError:
        raise NotARuntime from None
    if not isinstance(parsed, dict):
        raise NotARuntime
    return Answer(status=status, body=cast("dict[str, Any]", parsed))


def read_bearer(token_file: Path) -> str:
    """The token that opens the runtime of this data directory."""
    try:
        return token_file.read_text("ascii").strip()
    except (OSError, ValueError):
        raise Refused(
            f"the token {token_file} cannot be read, so the room cannot be asked anything. "
            "If the room runs as another user, use that user's account."
        ) from None
