"""The page with buttons: a person decides by click, and nobody else can."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

import pytest

from memory_skill.memory import Memory
from memory_skill.review.page import digest
from memory_skill.review.serve import COOKIE, Desk

from .browser import chromium, opened
from .trees import subjects

TABS, PORT = "knowledge/feedback/tabs.md", "knowledge/reference/port.md"


@pytest.fixture
def desk(memory: Memory) -> Iterator[Desk]:
    """A served page with two changes."""
    memory.save("Indent with tabs.", type="feedback", name="tabs", why="her reader")
    memory.save("Staging answers on port 8443.", type="reference", name="port", scope="global")
    found = Desk(memory)
    thread = threading.Thread(target=found.run, args=(30,), daemon=True)
    thread.start()
    yield found
    found.asked = time.monotonic() - 31
    with contextlib.suppress(OSError):  # it may have ended by itself before it is woken
        knock(found, "GET", "/")
    thread.join(10)
    assert not thread.is_alive()


def knock(
    desk: Desk, method: str, path: str, body: str = "", **headers: str
) -> tuple[int, dict[str, str], str]:
    """One request as a program sends it; a header given as "" is left out."""
    line = HTTPConnection("127.0.0.1", desk.server_port, timeout=10)
    line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    sent = {"Host": desk.host, "Content-Length": str(len(body))} | {
        k.replace("_", "-"): v for k, v in headers.items()
    }
    for key, value in sent.items():
        if value:
            line.putheader(key, value)
    line.endheaders(body.encode())
    answer = line.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read().decode()


def decision(desk: Desk, path: str, **change: str) -> str:
    text = next(item.after for item in desk.memory.review() if item.path == path)
    return urlencode({"token": desk.form, "path": path, "seen": digest(text)} | change)


def rightly(desk: Desk) -> dict[str, str]:
    """The headers of a decision from our own page."""
    return {
        "Cookie": f"{COOKIE}={desk.cookie}",
        "Origin": f"http://{desk.host}",
        "Sec_Fetch_Site": "same-origin",
    }


def test_one_time_address_lets_in_once(desk: Desk) -> None:
    """The printed address gives the cookie to the first who opens it; then it is worth nothing."""
    ticket = desk.address.partition(desk.host)[2]

    status, headers, _ = knock(desk, "GET", ticket)
    assert (status, headers["Location"]) == (303, "/")
    assert "HttpOnly; SameSite=Strict" in headers["Set-Cookie"]

    assert knock(desk, "GET", ticket)[0] == 403
    status, headers, text = knock(desk, "GET", "/", Cookie=headers["Set-Cookie"].partition(";")[0])
    assert (status, headers["Cache-Control"]) == (200, "no-store")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert text.count("<button") == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"Cookie": ""},
        {"Cookie": f"{COOKIE}=guessed"},
        {"Host": "evil.example"},
        {"Host": ""},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Content_Length": "20000"},
        {"Content_Length": "-1"},
    ],
    ids=str,
)
def test_forged_decision_is_refused(desk: Desk, wrong: dict[str, str]) -> None:
    """Without our cookie, Host, Origin or site, or with a body too long, nothing is decided."""
    body = decision(desk, TABS)
    sent = rightly(desk) | wrong

    assert knock(desk, "POST", "/drop", body, **sent)[0] == 403

    assert (desk.memory.tree.home / TABS).exists()


@pytest.mark.parametrize("change", [{"token": "guessed"}, {"token": ""}], ids=str)
def test_decision_without_the_forms_token_is_refused(desk: Desk, change: dict[str, str]) -> None:
    assert knock(desk, "POST", "/drop", decision(desk, TABS, **change), **rightly(desk))[0] == 403
    assert (desk.memory.tree.home / TABS).exists()


def test_get_decides_nothing(desk: Desk) -> None:
    """A link or an image can only GET."""
    status, _, _ = knock(desk, "GET", f"/drop?{decision(desk, TABS)}", Cookie=f"{COOKIE}={desk.cookie}")

    assert status == 404
    assert (desk.memory.tree.home / TABS).exists()


def test_stale_page_decides_nothing(desk: Desk) -> None:
    """A note that changed after the page was made is not dropped by a click on the old text."""
    body = decision(desk, TABS)
    desk.memory.edit(TABS, "tabs", "two tabs")

    assert knock(desk, "POST", "/drop", body, **rightly(desk))[0] == 409
    assert (desk.memory.tree.home / TABS).exists()


def test_only_this_machine_is_served(desk: Desk) -> None:
    assert desk.server_address[0] == "127.0.0.1"


def test_it_ends_when_nobody_asks(memory: Memory) -> None:
    """With no request it is over after its idle time."""
    desk = Desk(memory)
    desk.asked -= 100
    desk.run(99)

    with pytest.raises(OSError):
        knock(desk, "GET", "/")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def test_buttons_keep_and_drop(desk: Desk, browser: Any) -> None:
    """A click on Keep and one on Drop do what they say, and the page then has nothing left."""
    with opened(browser, desk.address) as seen:
        assert seen.page.title().startswith("2 changes wait")
        seen.page.get_by_role("button", name=f"Drop {TABS}").click()
        seen.page.get_by_role("button", name=f"Keep {PORT}").click()
        seen.page.get_by_text("Nothing waits.").wait_for()

        assert [line for line in seen.said if "favicon" not in line] == []
        assert {address.split("/")[2] for address in seen.asked} == {desk.host}
    assert subjects(desk.memory)[0] == f"undo {TABS}"
    assert desk.memory.review() == []
