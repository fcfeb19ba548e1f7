"""Code in colours: by class, for the languages we chose, in bounded time."""

import subprocess
import sys
import time

import pytest

from groupx.render import highlighting
from groupx.render.highlighting import (
    LANGUAGES,
    MAX_CHARACTERS,
    MAX_LINE_CHARACTERS,
    code_html,
    token_classes,
)
from groupx.render.markdown import render_markdown
from tests.render.html_check import text_of


def test_words_have_classes_and_no_style() -> None:
    html = render_markdown("```python\ndef f(): return '<b>'\n```")
    assert '<span class="k">def</span>' in html
    assert "style" not in html
    assert 'data-language="python"' in html


@pytest.mark.parametrize("info", ["nosuchlanguage", "", "brainfuck", "PYTHON'"])
def test_an_unknown_language_is_plain(info: str) -> None:
    html = render_markdown(f"```{info}\ndef f(): <b>\n```")
    assert "<span" not in html
    assert text_of(html) == "def f(): <b>\n\n"


@pytest.mark.parametrize("name", [n for name, more in LANGUAGES.items() for n in (name, *more)])
def test_every_name_is_known_to_pygments_and_keeps_the_code(name: str) -> None:
    code = "\n\n  if (x > 1) { return \"a & b\" } // '''\n# end\n\n"
    html = code_html(code, name.upper())
    assert "<span" in html or name in {"console", "http"}
    assert text_of(html) == code + "\n"


@pytest.mark.parametrize("code", ["x = 1\n" * MAX_CHARACTERS, "x = " + "1" * MAX_LINE_CHARACTERS])
def test_large_code_is_plain(code: str) -> None:
    assert "<span" not in code_html(code, "python")


UNITS = ["(", "{", "<", '"', "\\'", "/*", "$(", "'''", "a=", "1.", "a<", "\\\n", "- ", "x:y "]
"""What costs some lexers the square of its length, or worse."""


@pytest.mark.slow
@pytest.mark.parametrize("name", LANGUAGES)
def test_no_code_takes_long(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is looked at between words, so no word may take long."""
    monkeypatch.setattr(highlighting, "MAX_SECONDS", 0.02)
    for unit in UNITS:
        line = (unit * MAX_LINE_CHARACTERS)[: MAX_LINE_CHARACTERS - 1]
        code = (line + "\n") * (MAX_CHARACTERS // MAX_LINE_CHARACTERS)
        started = time.thread_time()
        code_html(code, name)
        assert time.thread_time() - started < 1, unit


def test_classes_are_known_without_a_lexer() -> None:
    assert {"k", "nf", "s2"} <= token_classes()


def test_pygments_is_loaded_for_code_only() -> None:
    program = (
        "import sys; from groupx.render.markdown import render_markdown as r; r('*a* `b`');"
        "assert 'pygments.lexer' not in sys.modules; r('```py\\nx\\n```');"
        "assert 'pygments.lexer' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)
