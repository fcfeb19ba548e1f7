import pytest

from groupx.web.login import LIFE_SECONDS, MAX_OUTSTANDING, LoginCodes
from groupx.web.token import Token, rotate_token


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def token(tmp_path):
    return Token(tmp_path / "token")


def test_a_code_is_spent_once(token):
    codes = LoginCodes(token, Clock())
    code = codes.new()
    assert codes.spend(code)
    assert not codes.spend(code)
    assert not codes.spend("")
    assert not codes.spend("\ud800")


def test_a_code_lives_a_minute(token):
    clock = Clock()
    codes = LoginCodes(token, clock)
    first, second = codes.new(), codes.new()
    clock.now = LIFE_SECONDS - 0.001
    assert codes.spend(first)
    clock.now = LIFE_SECONDS
    assert not codes.spend(second)


def test_the_oldest_of_too_many_is_void(token):
    codes = LoginCodes(token, Clock())
    first, *rest = [codes.new() for _ in range(MAX_OUTSTANDING + 1)]
    assert not codes.spend(first)
    assert all(codes.spend(code) for code in rest)
    assert first not in repr(codes)


def test_a_code_does_not_outlive_the_token_that_it_was_made_with(token, tmp_path):
    codes = LoginCodes(token, Clock())
    before = codes.new()
    rotate_token(tmp_path / "token")
    assert not codes.spend(before)
    assert codes.spend(codes.new())
