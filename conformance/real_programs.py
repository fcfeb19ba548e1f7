"""Where the real programs are, and how each is pointed at the mock model."""

import os
import shutil
from pathlib import Path

from .install_real import CLAUDE, FOLDER
from .mock_model import MODEL


def find(program: str) -> str | None:
    """Its path: GROUPX_TEST_<PROGRAM>, then PATH, then what install_real.py fetched."""
    named = os.environ.get(f"GROUPX_TEST_{program.upper()}")
    fetched = CLAUDE if program == "claude" else FOLDER / "node_modules" / ".bin" / program
    return named or shutil.which(program) or (str(fetched) if fetched.exists() else None)


def missing(program: str) -> str:
    """Why its tests are skipped."""
    return (
        f"no {program}: set GROUPX_TEST_{program.upper()}, put it on PATH, or run "
        f"python conformance/install_real.py {program}"
    )


def grok_environment(home: Path, model_url: str) -> dict[str, str]:
    """Grok against the mock model, with nothing of the user's and no traffic elsewhere."""
    settings = home / ".grok" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[cli]\nauto_update = false\n\n[features]\ntelemetry = false\n")
    return {
        "HOME": str(home),
        "GROK_HOME": str(home / ".grok"),
        "XAI_API_KEY": "xai-mock",
        "GROK_XAI_API_BASE_URL": f"{model_url}/v1",
        "GROK_CLI_CHAT_PROXY_BASE_URL": f"{model_url}/v1",
        "GROK_DEFAULT_MODEL": MODEL,
        "GROK_TELEMETRY_ENABLED": "false",
        "GROK_DISABLE_AUTOUPDATER": "1",
    }


def claude_environment(home: Path, model_url: str) -> dict[str, str]:
    """Claude Code against the mock model, with nothing of the user's and no traffic elsewhere."""
    (home / ".claude").mkdir(parents=True, exist_ok=True)
    (home / "tmp").mkdir(exist_ok=True)
    return {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_TMPDIR": str(home / "tmp"),
        "ANTHROPIC_BASE_URL": model_url,
        "ANTHROPIC_API_KEY": "sk-mock",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }


def codex_environment(home: Path, model_url: str, *, key: str = "mock") -> dict[str, str]:
    """Codex against the mock model, with nothing of the user's and no traffic elsewhere."""
    settings = home / ".codex" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(
        f'''model = "{MODEL}"
model_provider = "mock"
[model_providers.mock]
name = "Mock"
base_url = "{model_url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
[features]
plugins = false
apps = false
[analytics]
enabled = false
'''
    )
    return {"HOME": str(home), "CODEX_HOME": str(home / ".codex"), "MOCK_KEY": key}
