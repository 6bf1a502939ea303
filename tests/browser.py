"""A real Chromium without a screen, driven by Playwright: what a page shows, says and asks for.

Skipped, with the reason, where one of them is missing; with CI=true a failure, as for the hosts' clients.
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from .hosts.clients import CI, FOLDER

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def missing() -> str:
    """What keeps the page from being opened, "" if nothing does."""
    if importlib.util.find_spec("playwright") is None:
        return "Playwright is missing: pip install -e '.[test,browser]'"
    return "" if CHROMIUM else "Chromium is missing: apt-get install chromium"


def axe() -> str:
    """The text of axe-core, which `.ci/clients` installs beside the clients."""
    place = FOLDER / "node_modules/axe-core/axe.min.js"
    if not place.is_file():
        skip_or_fail(f"axe-core is missing in {FOLDER}: .ci/clients")
    return place.read_text(encoding="utf-8")


def skip_or_fail(reason: str) -> None:
    pytest.fail(reason, pytrace=False) if CI else pytest.skip(reason)


@dataclass
class Seen:
    """One opened page. *said*: console lines and script errors; *asked*: requests beyond the page itself."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def axe(self) -> list[tuple[str, str]]:
        """Violations of WCAG 2.1 AA and of good practice: (impact, rule)."""
        self.page.evaluate(axe())
        run = "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"
        return [(found["impact"], found["id"]) for found in self.page.evaluate(run)["violations"]]


@contextmanager
def chromium() -> Iterator[Any]:
    """The running browser; one for all the tests of a module."""
    if missing():
        skip_or_fail(missing())
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, address: str, *, scheme: str = "light", bypass: bool = False) -> Iterator[Seen]:
    """*address* in a fresh window; *bypass* lets the tests' own script run past the page's policy."""
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": 1280, "height": 900}, bypass_csp=bypass
    )
    seen = Seen(context.new_page())
    seen.page.on("console", lambda line: seen.said.append(line.text))
    seen.page.on("pageerror", lambda error: seen.said.append(str(error)))
    seen.page.on("request", lambda request: seen.asked.append(request.url))
    seen.page.goto(address)
    seen.asked.remove(address)
    yield seen
    context.close()
