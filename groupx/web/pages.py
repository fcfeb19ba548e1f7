"""The pages that tell nothing about the room, for a browser that GroupX does not know."""

from groupx.web.errors import Answer

_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">{head}
<title>GroupX</title>
</head>
<body>
<h1>GroupX</h1>
{body}
</body>
</html>
"""

_OPEN = (
    "<p>Run <code>groupx open</code> in a terminal to open this room in your browser.</p>\n"
    '<p lang="zh">请在终端运行 <code>groupx open</code>，即可在浏览器中打开此房间。</p>'
)

RELOAD_PAGE = _FRAME.format(
    # A Strict cookie is not sent on the way from elsewhere, but it is from this page.
    head='\n<meta http-equiv="refresh" content="0; url=/?reloaded=1">',
    body='<p>One moment… <span lang="zh">请稍候……</span></p>',
)
LOGIN_PAGE = _FRAME.format(head="", body=f"<p>This browser is not logged in.</p>\n{_OPEN}")
CODE_REFUSED_PAGE = _FRAME.format(
    head="",
    body="<p>This login link was used already, or is older than a minute.</p>\n"
    f'<p lang="zh">此登录链接已被使用，或已超过一分钟。</p>\n{_OPEN}',
)


def html(page: str, *, status: int = 200) -> Answer:
    """A page as a response."""
    return Answer(status=status, content=page.encode(), content_type="text/html; charset=utf-8")
