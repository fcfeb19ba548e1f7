"""How each real program is pointed at the mock model: its settings in a home of its own, and the
environment that goes with them. Nothing of the user's is read, and nothing leaves loopback."""

import json
from pathlib import Path
from typing import Any

from .mock import MODEL

KEY = "mock-key"


def at_home(home: Path, **more: str) -> dict[str, str]:
    """An environment in which `home` is all that a program finds of a user."""
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        **more,
    }


def write(file: Path, content: str | dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))


def grok(home: Path, model_url: str) -> dict[str, str]:
    settings = "[cli]\nauto_update = false\n\n[features]\ntelemetry = false\n"
    write(home / ".grok" / "config.toml", settings)
    return at_home(
        home,
        GROK_HOME=str(home / ".grok"),
        XAI_API_KEY=KEY,
        GROK_XAI_API_BASE_URL=f"{model_url}/v1",
        GROK_CLI_CHAT_PROXY_BASE_URL=f"{model_url}/v1",
        GROK_DEFAULT_MODEL=MODEL,
        GROK_TELEMETRY_ENABLED="false",
        GROK_DISABLE_AUTOUPDATER="1",
    )


def claude(home: Path, model_url: str) -> dict[str, str]:
    (home / ".claude").mkdir(parents=True, exist_ok=True)
    (home / "tmp").mkdir(exist_ok=True)
    return at_home(
        home,
        CLAUDE_CONFIG_DIR=str(home / ".claude"),
        CLAUDE_CODE_TMPDIR=str(home / "tmp"),
        ANTHROPIC_BASE_URL=model_url,
        ANTHROPIC_API_KEY=KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        DISABLE_TELEMETRY="1",
        DISABLE_ERROR_REPORTING="1",
        DISABLE_AUTOUPDATER="1",
        IS_SANDBOX="1",
    )


CODEX = """\
model = "{model}"
model_provider = "mock"
[model_providers.mock]
name = "Mock"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
[features]
plugins = false
apps = false
[analytics]
enabled = false
"""


def codex(home: Path, model_url: str) -> dict[str, str]:
    write(home / ".codex" / "config.toml", CODEX.format(model=MODEL, url=model_url))
    return at_home(home, CODEX_HOME=str(home / ".codex"), MOCK_KEY=KEY)


KIMI = """\
default_model = "mock"
telemetry = false
[models.mock]
provider = "mock"
model = "{model}"
max_context_size = 262144
capabilities = ["thinking", "tool_use"]
[providers.mock]
type = "kimi"
base_url = "{url}/v1"
api_key = "{key}"
"""


def kimi(home: Path, model_url: str) -> dict[str, str]:
    settings = KIMI.format(model=MODEL, url=model_url, key=KEY)
    write(home / ".kimi-code" / "config.toml", settings)
    return at_home(
        home,
        KIMI_CODE_HOME=str(home / ".kimi-code"),
        KIMI_DISABLE_TELEMETRY="1",
        KIMI_CODE_NO_AUTO_UPDATE="1",
    )


HERMES = """\
model:
  default: {model}
  provider: custom
  base_url: {url}/v1
  api_key: {key}
"""


def hermes(home: Path, model_url: str) -> dict[str, str]:
    settings = HERMES.format(model=MODEL, url=model_url, key=KEY)
    write(home / ".hermes" / "config.yaml", settings)
    return at_home(home, HERMES_HOME=str(home / ".hermes"), HERMES_ACCEPT_HOOKS="1")


def opencode(home: Path, model_url: str) -> dict[str, str]:
    model = {"name": "Mock", "reasoning": True, "tool_call": True}
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": f"mock/{MODEL}",
        "small_model": f"mock/{MODEL}",
        "provider": {
            "mock": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Mock",
                "options": {"baseURL": f"{model_url}/v1", "apiKey": KEY},
                "models": {MODEL: {**model, "limit": {"context": 128000, "output": 8192}}},
            }
        },
    }
    write(home / ".config" / "opencode" / "opencode.json", settings)
    return at_home(home, OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_MODELS_FETCH="1")


def gemini(home: Path, model_url: str) -> dict[str, str]:
    settings = {
        "security": {
            "auth": {"selectedType": "gemini-api-key"},
            "folderTrust": {"enabled": False},
        },
        "general": {"disableAutoUpdate": True},
        "telemetry": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    write(home / ".gemini" / "settings.json", settings)
    return at_home(home, GEMINI_API_KEY=KEY, GOOGLE_GEMINI_BASE_URL=model_url)
