"""The page for foreign clients names every route, with what opens it and what it takes."""

import re
from pathlib import Path

import pytest

from groupx.web.policy import POLICIES, Policy

PAGE = (Path(__file__).parents[2] / "docs" / "http.md").read_text()
ROW = re.compile(
    r"^\| `(GET|POST|PUT|DELETE) (/\S*)`.* \| (open|user|bearer|session) \| (.*)\|$", re.MULTILINE
)
BY_ROUTE = {(method, path): (auth, fields) for method, path, auth, fields in ROW.findall(PAGE)}


def _key(policy: Policy) -> tuple[str, str]:
    method = "GET" if policy.method == "WEBSOCKET" else policy.method
    return method, re.sub(r"<(?:path:)?(\w+)>", r":\1", policy.path)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_route_has_its_row(policy: Policy) -> None:
    auth, fields = BY_ROUTE[_key(policy)]
    assert auth == policy.auth.value
    taken = {**policy.query, **(policy.body or {})}
    assert set(re.findall(r"`(\w+)`", fields)) == set(taken)
    for name, field in taken.items():
        if policy.body is not None:
            assert (f"`{name}`?" in fields) is not field.required


def test_no_row_is_without_a_route() -> None:
    assert set(BY_ROUTE) == {_key(policy) for policy in POLICIES}
