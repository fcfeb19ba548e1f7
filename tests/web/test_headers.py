import pytest

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.web.headers import Door, check_json_type, cookie_name, declared_length
from groupx.web.token import Token, read_token

DOOR = Door(4310)


def raw(**headers):
    return [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]


@pytest.mark.parametrize("host", ["127.0.0.1:4310", "localhost:4310", "[::1]:4310"])
def test_our_own_hosts(host):
    DOOR.check_host(raw(host=host))


EVIL_HOSTS = [
    "",
    "127.0.0.1",
    "localhost",
    "[::1]",
    "::1:4310",
    "127.0.0.1:4311",
    "127.0.0.1:04310",
    "127.0.0.1:4310 ",
    "127.0.0.1.:4310",
    "localhost.:4310",
    "localhost.evil.example:4310",
    "127.0.0.1.nip.io:4310",
    "user@127.0.0.1:4310",
    "evil.example",
    "evil.example:4310",
    "127.0.0.1:4310.evil.example",
    "127.0.0.1:4310,evil.example",
    "0.0.0.0:4310",
    "127.1:4310",
    "[::ffff:127.0.0.1]:4310",
    "2130706433:4310",
    "http://127.0.0.1:4310",
]


@pytest.mark.parametrize("host", EVIL_HOSTS)
def test_any_other_host_is_refused(host):
    with pytest.raises(GroupXError) as caught:
        DOOR.check_host(raw(host=host))
    assert caught.value.code is ErrorCode.FORBIDDEN_HOST


@pytest.mark.parametrize("count", [0, 2])
def test_there_must_be_one_host(count):
    with pytest.raises(GroupXError):
        DOOR.check_host(raw(host="127.0.0.1:4310") * count)


NAVIGATION = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}


@pytest.mark.parametrize(
    ("headers", "navigable", "passes"),
    [
        ({}, False, True),
        ({"origin": "http://127.0.0.1:4310"}, False, True),
        ({"origin": "http://localhost:4310"}, False, True),
        ({"origin": "http://[::1]:4310"}, False, True),
        ({"origin": "null"}, False, False),
        ({"origin": "null"}, True, False),
        ({"origin": ""}, False, False),
        ({"origin": "https://127.0.0.1:4310"}, False, False),
        ({"origin": "http://127.0.0.1"}, False, False),
        ({"origin": "http://127.0.0.1:4311"}, False, False),
        ({"origin": "http://127.0.0.1:4310/"}, False, False),
        ({"origin": "http://evil.example"}, True, False),
        ({"sec_fetch_site": "none"}, False, True),
        ({"sec_fetch_site": "same-origin"}, False, True),
        ({"sec_fetch_site": "same-site"}, False, False),
        ({"sec_fetch_site": "cross-site"}, False, False),
        ({"sec_fetch_site": "cross-site"}, True, False),
        ({"sec_fetch_site": "cross-site"} | NAVIGATION, True, True),
        ({"sec_fetch_site": "same-site"} | NAVIGATION, True, True),
        ({"sec_fetch_site": "cross-site"} | NAVIGATION, False, False),
        ({"sec_fetch_site": "cross-site"} | NAVIGATION | {"sec_fetch_dest": "iframe"}, True, False),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}, True, False),
        ({"sec_fetch_site": "what"}, False, False),
    ],
    ids=str,
)
def test_no_other_page_reaches_us(headers, navigable, passes):
    if passes:
        DOOR.check_origin(raw(**headers), navigable=navigable)
        return
    with pytest.raises(GroupXError) as caught:
        DOOR.check_origin(raw(**headers), navigable=navigable)
    assert caught.value.code is ErrorCode.FORBIDDEN_ORIGIN


@pytest.mark.parametrize(
    "headers",
    [raw(origin="http://127.0.0.1:4310") * 2, raw(sec_fetch_site="same-origin") * 2],
)
def test_two_of_them_are_no_answer(headers):
    with pytest.raises(GroupXError):
        DOOR.check_origin(headers, navigable=False)


def test_who_holds_the_token(tmp_path):
    token = Token(tmp_path / "token")
    bearer = read_token(tmp_path / "token")
    name = cookie_name(4310)

    def knows(*headers, cookies=True):
        return DOOR.knows([item for part in headers for item in part], token, cookies=cookies)

    assert knows(raw(authorization=f"Bearer {bearer}"))
    assert knows(raw(authorization=f"bearer {bearer}"))
    assert knows(raw(cookie=f"{name}={token.cookie}"))
    assert knows(raw(cookie=f"a=b; {name}={token.cookie}; c=d"))
    assert knows(raw(cookie="a=b"), raw(cookie=f"{name}={token.cookie}"))
    assert not knows()
    assert not knows(raw(authorization=bearer))
    assert not knows(raw(authorization=f"Basic {bearer}"))
    assert not knows(raw(authorization=f"Bearer {bearer} "))
    assert not knows(raw(authorization=f"Bearer {bearer}") * 2)
    assert not knows(raw(authorization="Bearer x"), raw(cookie=f"{name}={token.cookie}"))
    assert not knows(raw(cookie=f"groupx_4311={token.cookie}"))
    assert not knows(raw(cookie=f"{name}={bearer}"))
    assert not knows(raw(cookie=f"{name}={token.cookie}"), cookies=False)
    assert not knows(raw(cookie=f"x{name}={token.cookie}"))


@pytest.mark.parametrize(
    ("content_type", "passes"),
    [
        ("application/json", True),
        ("Application/JSON", True),
        ("application/json; charset=utf-8", True),
        ('application/json;charset="UTF-8"', True),
        ("application/json; charset=latin-1", False),
        ("application/json+x", False),
        ("text/plain", False),
        ("text/plain; application/json", False),
        ("application/x-www-form-urlencoded", False),
        ("multipart/form-data; boundary=x", False),
        ("", False),
    ],
)
def test_only_json_is_read(content_type, passes):
    if passes:
        check_json_type(raw(content_type=content_type))
        return
    with pytest.raises(GroupXError) as caught:
        check_json_type(raw(content_type=content_type))
    assert caught.value.http_status == 415


def test_the_type_must_be_said_once():
    for headers in ([], raw(content_type="application/json") * 2):
        with pytest.raises(GroupXError):
            check_json_type(headers)


def test_lengths():
    assert declared_length([]) == 0
    assert declared_length(raw(content_length="12")) == 12
    assert declared_length(raw(transfer_encoding="chunked")) is None
