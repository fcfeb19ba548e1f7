"""What leaves the machine in a report."""

import pytest

from groupx.capabilities.redaction import MAX_ARGUMENT, Redactor, secrets_in
from groupx.capabilities.transcript import MAX_CHARACTERS, MAX_LINES, Transcript, Turn

ARGV = [
    (["/usr/local/bin/claude", "--print"], ["…/claude", "--print"]),
    (["agent", "--cwd=/home/ada/work"], ["agent", "--cwd=…/work"]),
    (["agent", "~/notes.txt"], ["agent", "…/notes.txt"]),
    (["agent", "--api-key", "abc", "stdio"], ["agent", "--api-key", "<secret>", "stdio"]),
    (["agent", "--api-key=abc"], ["agent", "--api-key=<secret>"]),
    (["agent", "--token", "--key", "x"], ["agent", "--token", "<secret>", "x"]),
    (
        ["claude", "--resume", "0f8fad5b-d9cb-469f-a165-70867728950e"],
        ["claude", "--resume", "<id>"],
    ),
    (["agent", "http://ada:pw@127.0.0.1:1/v1"], ["agent", "http://<secret>@127.0.0.1:1/v1"]),
    (["agent", "Bearer abcdef.123456"], ["agent", "<secret>"]),
    (["agent", "The bearer of it, xai-official"], ["agent", "The bearer of it, xai-official"]),
    (["agent", "xai-0123456789abcdef"], ["agent", "<secret>"]),
    (["agent", "x" * 500], ["agent", "x" * MAX_ARGUMENT]),
    (["agent", "my-secret-value"], ["agent", "<secret>"]),
]


@pytest.mark.parametrize(("argv", "shape"), ARGV, ids=lambda value: " ".join(value)[:40])
def test_the_shape_of_a_command_line(argv, shape):
    assert list(Redactor(["my-secret-value"]).argv(argv)) == shape


def test_secrets_are_the_values_of_variables_that_are_named_so(tmp_path):
    environment = {
        "XAI_API_KEY": "xai-1",
        "HOME": "/home/ada",
        "SSH_AUTH_SOCK": "/tmp/x",
        "GH_TOKEN": "t-1",
        "KEYRING": str(tmp_path),
    }
    assert secrets_in(environment, {"my_password": "p-1"}) == {"xai-1", "t-1", "p-1"}


def test_a_short_value_is_no_secret_that_could_be_searched_for():
    assert Redactor(["1", "", "yes"]).text("1 yes") == "1 yes"


def test_a_transcript_is_bounded_and_says_so():
    transcript = Transcript(Redactor(["my-secret-value"]))
    for _ in range(MAX_LINES + 40):
        transcript.note("my-secret-value " + "x" * 1000)
    assert len(transcript.lines) == MAX_LINES + 1
    assert transcript.lines[-1] == "and 40 more"
    assert all(len(line) < MAX_CHARACTERS + 20 for line in transcript.lines)
    assert "my-secret-value" not in "".join(transcript.lines)


def test_a_transcript_has_one_line_for_one_note_whatever_is_in_it():
    transcript = Transcript(Redactor())
    transcript.note("a\nb\ud800\u2028c")
    (line,) = transcript.lines
    assert "\n" not in line
    line.encode()
    assert Turn(transcript).end is None
