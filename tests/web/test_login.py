from groupx.web.login import LIFE_SECONDS, MAX_OUTSTANDING, LoginCodes


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_code_is_spent_once():
    codes = LoginCodes(Clock())
    code = codes.new()
    assert codes.spend(code)
    assert not codes.spend(code)
    assert not codes.spend("")
    assert not codes.spend("\ud800")


def test_a_code_lives_a_minute():
    clock = Clock()
    codes = LoginCodes(clock)
    first, second = codes.new(), codes.new()
    clock.now = LIFE_SECONDS - 0.001
    assert codes.spend(first)
    clock.now = LIFE_SECONDS
    assert not codes.spend(second)


def test_the_oldest_of_too_many_is_void():
    codes = LoginCodes(Clock())
    first, *rest = [codes.new() for _ in range(MAX_OUTSTANDING + 1)]
    assert not codes.spend(first)
    assert all(codes.spend(code) for code in rest)
    assert first not in repr(codes)
