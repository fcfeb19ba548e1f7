"""The words for a program that gave no session read as sentences, whatever the program said."""

import re

import attrs
import pytest
import trio

from groupx.adapters.connection import Loss, NoAnswer
from groupx.adapters.starting import ended_early, last_words, too_slow
from groupx.domain.limits import Timeouts

INSTALL = "Install it."
BROKEN = Loss(kind="broken", reason="It sent an object that is no message: {}.")
GONE = Loss(kind="gone", reason="The program ended.")
SAID = ["hello i am not codex", "one\ntwo\n", "That is all.", "Why?", 'say "yes"']


@attrs.frozen
class Printed:
    """A program's connection and its pipes: what it printed there."""

    preamble: str
    stderr: str = ""

    def stderr_excerpt(self, characters: int) -> str:
        return self.stderr[-characters:]


def explanations(said: str) -> list[str]:
    ways = [
        ended_early(loss, code, said, protocol="ACP", install=INSTALL)
        for loss in (BROKEN, GONE)
        for code in (None, 0, 1)
    ]
    slow = [too_slow(e, Timeouts(), said) for e in (trio.TooSlowError(), NoAnswer("initialize"))]
    return [error.message for error in (*ways, *slow)]


@pytest.mark.parametrize("words", SAID)
@pytest.mark.parametrize("where", ["stdout", "stderr"])
def test_its_words_are_told_from_ours(words, where):
    printed = Printed(words) if where == "stdout" else Printed("", words)
    for message in explanations(last_words(printed, printed)):
        assert re.search(r'\. It said: "' + re.escape(words.strip()) + r'"\. No\w* ', message)


def test_a_program_that_printed_nothing_is_not_quoted():
    silent = Printed(" \n", "\n")
    for message in explanations(last_words(silent, silent)):
        assert "said" not in message
        assert re.search(r"\. No\w* ", message)
