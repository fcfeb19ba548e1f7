"""Why a turn was cancelled or cut short is said in words, never by the ledger's own name for it."""

from pathlib import Path

import pytest

from groupx.adapters.acp import prompting as acp
from groupx.adapters.claude import prompting as claude
from groupx.domain.outcomes import ENDINGS

WORDS = Path(__file__).parents[2] / "groupx/web/static/js/words/turn.js"
GIVEN_ELSEWHERE = {"program", "steer"}
"""By what a turn's end was, and by whoever steered it."""
REASONS = {it.reason for it in ENDINGS.values() if it.reason} | GIVEN_ELSEWHERE

CUT_SHORT = acp.CUT_SHORT | set(claude.CUT_SHORT.values())


@pytest.mark.parametrize("reason", sorted(CUT_SHORT))
def test_an_answer_that_is_not_whole_has_words_in_both_languages(reason: str):
    assert WORDS.read_text().count(f'"stop.{reason}":') == 2


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_it_has_words_in_both_languages(reason: str):
    assert WORDS.read_text().count(f'"reason.{reason}":') == 2
