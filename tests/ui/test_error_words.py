"""Every code that a failure or a refusal has is said in words."""

from pathlib import Path

from groupx.domain.errors import ErrorCode

WORDS = Path(__file__).parents[2] / "groupx/web/static/js/words/errors.js"


def test_every_code_has_words_in_both_languages():
    words = WORDS.read_text()
    assert {code: words.count(f'"error.{code}":') for code in ErrorCode} == dict.fromkeys(
        ErrorCode, 2
    )
