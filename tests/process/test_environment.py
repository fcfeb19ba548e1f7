from groupx.process.environment import child_environment


def test_ours_and_other_agents_marks_are_not_passed_on():
    base = {
        "PATH": "/bin",
        "GROUPX_TOKEN": "secret",
        "GROUPX_RUN": "ab.1",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "CODEX_HOME": "/home/u/.codex",
        "CODEX_SANDBOX": "seatbelt",
    }
    assert child_environment(base, {"LANG": "C"}) == {
        "PATH": "/bin",
        "CLAUDE_CODE_USE_BEDROCK": "1",
        "CODEX_HOME": "/home/u/.codex",
        "LANG": "C",
    }


def test_the_agents_own_settings_win_and_the_base_stays_as_it_was():
    base = {"PATH": "/bin"}
    assert child_environment(base, {"PATH": "/opt/bin"}) == {"PATH": "/opt/bin"}
    assert base == {"PATH": "/bin"}
