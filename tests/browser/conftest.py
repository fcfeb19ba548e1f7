"""The system's Chromium in front of real daemons with demo agents; a page must stay clean."""

import os
import re
import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.room import RoomPage
from tests.system.daemon import Daemon, demo_agent

ARTIFACTS = Path(__file__).with_name("artifacts")
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 390, "height": 844}}

PICTURES = "GROUPX_LOOKS" in os.environ
"""Of every page as its test left it; else only of those whose test failed."""
FAILED = pytest.StashKey[bool]()

OpenPage = Callable[..., Page]
OpenRoom = Callable[..., RoomPage]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed with this package: its event loop must not meet trio's tests."""
    found = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        pytest.skip(f"no Chromium on this machine (looked for {', '.join(CHROMIUMS)})")
    flags = ["--disable-gpu", "--disable-background-networking", "--no-first-run"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One running room for a module: ada is slow, bob and cleo are quick."""
    agents = {
        "ada": demo_agent(0.08, name="Ada"),
        "bob": demo_agent(name="Bob"),
        "cleo": demo_agent(name="Cleo"),
    }
    daemon = Daemon(tmp_path_factory.mktemp("room"), agents)
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.dispose()


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest) -> str:
    """For tests of every size."""
    return request.param


@pytest.fixture
def open_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """`open_page(size, **context options)`: a page of its own, that may not complain."""
    contexts: list[BrowserContext] = []
    pages: list[Page] = []
    complaints: list[str] = []

    def opened(size: str = "wide", **options: object) -> Page:
        options = {"viewport": SIZES[size], "locale": "en-US", **options}
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: complaints.append(message.text) if _is_complaint(message) else None,
        )
        pages.append(page)
        return page

    yield opened
    if PICTURES or request.node.stash.get(FAILED, True):
        ARTIFACTS.mkdir(exist_ok=True)
        for number, page in enumerate(pages):
            name = re.sub(r"\W+", "-", request.node.name)
            page.screenshot(path=ARTIFACTS / f"{name}-{number}.png")
    for context in contexts:
        context.close()
    assert complaints == []


def _is_complaint(message: object) -> bool:
    """Errors and warnings of the page; a refused request or a lost connection is no fault of it."""
    kind, text = message.type, message.text  # type: ignore[attr-defined]
    expected = re.search(r"Failed to load resource|WebSocket connection to", text)
    return kind in ("error", "warning") and not expected


@pytest.fixture
def open_room(open_page: Callable[..., Page], daemon: Daemon) -> OpenRoom:
    """`open_room(size, before=…, **context options)`: a logged-in page with the room loaded."""

    def opened(
        size: str = "wide",
        daemon: Daemon = daemon,
        before: Callable[[Page], object] = lambda _: None,
        **options: object,
    ) -> RoomPage:
        page = open_page(size, **options)
        before(page)
        room = RoomPage(page, daemon)
        room.log_in()
        return room

    return opened
