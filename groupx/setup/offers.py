"""What the setup offers for each driver: its name, its program, and how to get it. Rows."""

from collections.abc import Mapping
from types import MappingProxyType

import attrs

from groupx.domain.wire import optional


@attrs.frozen(kw_only=True)
class Offer:
    """One driver, as somebody who adds an agent sees it."""

    driver: str
    name: str
    command: tuple[str, ...] = ()
    """The program it is usually started by; empty for `demo` and for `acp`."""
    install: str | None = optional()
    """A command that installs it."""
    login_hint: str | None = optional()
    """What to do once, before its first turn."""
    mode: str | None = optional()
    """The mode that is set unless the agent names another; None: the driver sets none."""
    takes_mode: bool = False
    takes_args: bool = False


_OFFERS = (
    Offer(
        driver="codex",
        name="Codex",
        command=("codex",),
        install="npm install -g @openai/codex",
        login_hint="codex login",
    ),
    Offer(
        driver="claude",
        name="Claude Code",
        command=("claude",),
        install="npm install -g @anthropic-ai/claude-code",
        login_hint="claude",
        mode="bypassPermissions",
        takes_mode=True,
    ),
    Offer(
        driver="kimi",
        name="Kimi Code",
        command=("kimi",),
        install="npm install -g @moonshot-ai/kimi-code",
        login_hint="kimi login",
        mode="auto",
        takes_mode=True,
    ),
    Offer(
        driver="grok",
        name="Grok",
        command=("grok",),
        install="npm install -g @xai-official/grok",
        login_hint="grok",
        takes_mode=True,
    ),
    Offer(
        driver="hermes",
        name="Hermes",
        command=("hermes",),
        install="pip install 'hermes-agent[acp,mcp]'",
        login_hint="hermes setup",
        mode="dont_ask",
        takes_mode=True,
    ),
    Offer(driver="demo", name="Demo agent"),
    Offer(driver="acp", name="ACP", takes_mode=True, takes_args=True),
)
OFFERS: Mapping[str, Offer] = MappingProxyType({offer.driver: offer for offer in _OFFERS})


def offer_of(driver: str) -> Offer:
    """The offer of any driver; of one that is not in the table, its bare name."""
    return OFFERS.get(driver) or Offer(driver=driver, name=driver)
