"""The room page as tests use it: by what a person sees and does."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.system.daemon import Daemon


class RoomPage:
    """A page in front of a daemon."""

    def __init__(self, page: Page, daemon: Daemon) -> None:
        self.page = page
        self.daemon = daemon
        self.draft = page.locator("textarea.draft")
        self.scroller = page.locator("#scroller")

    def log_in(self) -> None:
        """With a login code, as `groupx open` does."""
        status, answer = self.daemon.request("POST", "/api/login-codes", {})
        assert status == 200, answer
        self.page.goto(f"http://127.0.0.1:{self.daemon.port}/login?code={answer['code']}")
        self.loaded()

    def loaded(self) -> None:
        expect(self.page.locator(".pill")).to_have_attribute("data-state", "live")

    def to(self, *ids: str) -> None:
        """Pick exactly these recipients, by typing their names behind @."""
        self.draft.click()
        while self.page.locator(".chip").count():
            self.page.locator(".chip button").first.click()
        for agent_id in ids:
            self.draft.press_sequentially(f"@{agent_id}")
            self.draft.press("Enter")
            chip = "@all" if agent_id == "all" else f"agent:{agent_id}"
            expect(self.page.locator(f'[data-target="{chip}"]')).to_be_visible()

    def say(self, text: str, *ids: str) -> Locator:
        """Send a message from the composer; its entry in the timeline."""
        if ids:
            self.to(*ids)
        self.draft.fill(text)
        self.draft.press("Enter")
        return self.message(text)

    def message(self, text: str) -> Locator:
        """The newest message of the user with this text, once it is durable."""
        return self.page.locator(".entry.message", has=self.page.get_by_text(text, exact=True)).last

    def answer(self, agent_id: str) -> Locator:
        """The newest bubble of an agent."""
        return self.page.locator(f'.entry.turn[data-actor="agent:{agent_id}"]').last

    def target(self, message: Locator, name: str) -> Locator:
        """The line that says how far one recipient of a message is."""
        return message.locator(".target", has_text=name)

    def agent(self, agent_id: str) -> Locator:
        """An agent in the sidebar."""
        return self.page.locator(f'[data-agent="{agent_id}"]')

    def at_bottom(self) -> bool:
        return self.number("e.scrollHeight - e.scrollTop - e.clientHeight") < 4

    def number(self, expression: str) -> Any:
        """Something of the scroller `e`."""
        return self.scroller.evaluate(f"e => {expression}")

    def listening(self) -> int:
        """How many listen to what the whole page hears; a part that closes must end it."""
        session = self.page.context.new_cdp_session(self.page)
        count = 0
        for name in ("window", "document"):
            found = session.send("Runtime.evaluate", {"expression": name})["result"]["objectId"]
            told = session.send("DOMDebugger.getEventListeners", {"objectId": found})
            count += len(told["listeners"])
        session.detach()
        return count

    def covered(self) -> list[str]:
        """What can be pressed in the timeline, is in sight, and has something else lying on it."""
        return self.page.evaluate(
            """() => {
              const room = document.getElementById('scroller').getBoundingClientRect();
              const all = document.querySelectorAll('#timeline :is(button, a, summary)');
              return [...all].filter(it => {
                const { left, top, right, bottom, width } = it.getBoundingClientRect();
                if (!width || top < room.top || bottom > room.bottom) return false;
                const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
                return !it.contains(over) && !over.contains(it);
              }).map(it => it.textContent);
            }"""
        )

    def fits(self) -> bool:
        """Whether nothing is wider than the window."""
        return self.page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth"
            " && document.getElementById('scroller').scrollWidth"
            " <= document.getElementById('scroller').clientWidth"
        )
