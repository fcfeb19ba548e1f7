import os
import stat

import pytest

from groupx.web.token import Token, ensure_token, read_token, rotate_token


def test_it_is_made_once_with_256_bits_and_only_for_the_user(tmp_path):
    path = tmp_path / "token"
    previous = os.umask(0)
    try:
        first = ensure_token(path)
    finally:
        os.umask(previous)
    assert len(bytes.fromhex(first)) == 32
    assert ensure_token(path) == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["token"]


def test_a_file_that_others_can_read_is_closed_to_them(tmp_path):
    path = tmp_path / "token"
    ensure_token(path)
    path.chmod(0o644)
    read_token(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "short", "Z" * 64, "a" * 65])
def test_a_file_without_a_token_is_refused(tmp_path, content):
    path = tmp_path / "token"
    path.write_text(content)
    with pytest.raises(ValueError, match="holds no token"):
        read_token(path)


def test_a_rotated_token_counts_at_once(tmp_path):
    path = tmp_path / "token"
    old = ensure_token(path)
    token = Token(path)
    old_cookie = token.cookie
    assert token.opens_as_bearer(old)
    new = rotate_token(path)
    assert new != old
    assert not token.opens_as_bearer(old)
    assert not token.opens_as_cookie(old_cookie)
    assert token.opens_as_bearer(new)
    assert token.opens_as_cookie(token.cookie)


def test_what_watches_a_token_learns_of_its_end_and_of_nothing_else(tmp_path):
    path = tmp_path / "token"
    token = Token(path)
    revoked = token.revoked
    os.utime(path, ns=(1, 1))
    assert token.revoked is revoked
    path.unlink()
    assert token.revoked is revoked
    ensure_token(path)
    assert token.revoked is not revoked
    assert revoked.is_set()
    assert not token.revoked.is_set()


def test_a_removed_file_does_not_lock_out_those_who_are_in(tmp_path):
    path = tmp_path / "token"
    value = ensure_token(path)
    token = Token(path)
    path.unlink()
    assert token.opens_as_bearer(value)


def test_a_key_is_of_the_token_and_of_one_purpose_and_is_neither_it_nor_the_cookie(tmp_path):
    token = Token(tmp_path / "token")
    key = token.key_for("browser")
    assert key == Token(tmp_path / "token").key_for("browser")
    assert key.hex() not in (token.cookie, read_token(tmp_path / "token"))
    assert key != token.key_for("setup")
    rotate_token(tmp_path / "token")
    assert key != token.key_for("browser")


def test_cookie_and_bearer_are_not_interchangeable(tmp_path):
    token = Token(tmp_path / "token")
    value = read_token(tmp_path / "token")
    assert not token.opens_as_bearer(token.cookie)
    assert not token.opens_as_cookie(value)
    assert value not in repr(token)
    assert not token.opens_as_bearer("")
    assert not token.opens_as_bearer("\ud800é")
