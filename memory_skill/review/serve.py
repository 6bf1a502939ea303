"""The page with buttons, for one person at this machine: loopback, a token, POST only, and an end by itself.

Any page in the person's browser can send requests to a local port, and a name can be made to point here; so
each request must name our own Host, carry the cookie that the one-time address gave, and each decision must
come from our own Origin with the form's token.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from .. import pack
from ..errors import MemorySkillError
from .page import STYLE, digest, page, policy

if TYPE_CHECKING:
    from ..memory import Memory

ADDRESS = "127.0.0.1"
COOKIE = "memory_skill_review"
IDLE_SECONDS = 600
MAX_FORM = 10_000  # bytes of a decision
REQUEST_SECONDS = 10.0  # a browser opens connections that it never uses


class Desk(ThreadingHTTPServer):
    """One sitting: the memory, its secrets, and when it was asked last."""

    daemon_threads = True

    def __init__(self, memory: Memory) -> None:
        super().__init__((ADDRESS, 0), Visit)
        self.memory = memory
        self.turn = threading.Lock()
        self.ticket: str | None = secrets.token_urlsafe(32)  # spent by the first visit
        self.cookie, self.form = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.asked = time.monotonic()

    @property
    def host(self) -> str:
        return f"{ADDRESS}:{self.server_port}"

    @property
    def address(self) -> str:
        """Where the person enters, once."""
        return f"http://{self.host}/?ticket={self.ticket}"

    def enter(self, ticket: str) -> bool:
        """Whether *ticket* lets in; it does so once."""
        with self.turn:
            good = self.ticket is not None and hmac.compare_digest(ticket.encode(), self.ticket.encode())
            self.ticket = None if good else self.ticket
        return good

    def decide(self, verb: str, path: str, seen: str) -> bool:
        """Keep or drop one change, if it still is the one that was shown. Returns: whether it was."""
        with self.turn:
            change = next((change for change in self.memory.review() if change.path == path), None)
            if change is None or digest(change.after) != seen:
                return False
            paths, texts = [path], {path: change.after}
            keep, drop = (paths, []) if verb == "keep" else ([], paths)
            return not self.memory.decide(keep, drop, texts).moved

    def run(self, idle: float) -> None:
        """Answer until nobody has asked for *idle* seconds."""
        with self:
            while (left := self.asked + idle - time.monotonic()) > 0:
                self.timeout = left
                self.handle_request()


def serve(memory: Memory, *, say: Callable[[str], Any], idle: float = IDLE_SECONDS) -> None:
    """Serve the page with buttons until nobody asks any more. *say* is told the address to open."""
    desk = Desk(memory)
    say(desk.address)
    desk.run(idle)


class Visit(BaseHTTPRequestHandler):
    """One request."""

    server: Desk
    timeout = REQUEST_SECONDS
    server_version, sys_version = "memory-skill", ""

    def do_GET(self) -> None:
        """The page; or, once, the way in."""
        asked = urlsplit(self.path)
        if not self._is_ours():
            return self._refuse()
        ticket = parse_qs(asked.query).get("ticket")
        if ticket:
            return self._let_in() if self.server.enter(ticket[0]) else self._refuse()
        if not self._has_cookie():
            return self._refuse()
        if asked.path != "/":
            return self._answer(HTTPStatus.NOT_FOUND, "not here\n")
        with self.server.turn:
            text, _ = page(self.server.memory, token=self.server.form)
        return self._answer(HTTPStatus.OK, text, kind="text/html")

    def do_POST(self) -> None:
        """A decision: keep or drop, one path, the text that was seen."""
        if not (self._is_ours() and self._has_cookie() and self._comes_from_the_page()):
            return self._refuse()
        size = self.headers.get("Content-Length", "")
        if not size.isdigit() or int(size) > MAX_FORM:
            return self._refuse()
        sent = parse_qs(self.rfile.read(int(size)).decode("utf-8", "replace"))
        token, path, seen = (sent.get(name, [""])[0] for name in ("token", "path", "seen"))
        if not hmac.compare_digest(token.encode(), self.server.form.encode()):
            return self._refuse()
        verb = self.path.strip("/")
        if verb not in ("keep", "drop"):
            return self._answer(HTTPStatus.NOT_FOUND, "not here\n")
        try:
            done = self.server.decide(verb, path, seen)
        except MemorySkillError as error:
            return self._answer(HTTPStatus.CONFLICT, f"{error}\n")
        if not done:
            return self._answer(HTTPStatus.CONFLICT, "it changed after it was shown; go back and reload\n")
        return self._send(HTTPStatus.SEE_OTHER, b"", {"Location": "/#changes"})

    def _is_ours(self) -> bool:
        """A name that was made to point here is another Host."""
        return self.headers.get("Host") == self.server.host

    def _comes_from_the_page(self) -> bool:
        site = self.headers.get("Sec-Fetch-Site", "same-origin")
        return self.headers.get("Origin") == f"http://{self.server.host}" and site == "same-origin"

    def _has_cookie(self) -> bool:
        found = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
        return found is not None and hmac.compare_digest(found.value.encode(), self.server.cookie.encode())

    def _let_in(self) -> None:
        self.server.asked = time.monotonic()
        cookie = f"{COOKIE}={self.server.cookie}; HttpOnly; SameSite=Strict; Path=/"
        self._send(HTTPStatus.SEE_OTHER, b"", {"Location": "/", "Set-Cookie": cookie})

    def _refuse(self) -> None:
        self._send(HTTPStatus.FORBIDDEN, b"refused\n", {"Content-Type": "text/plain; charset=utf-8"})

    def _answer(self, status: HTTPStatus, text: str, kind: str = "text/plain") -> None:
        self.server.asked = time.monotonic()
        self._send(status, text.encode("utf-8"), {"Content-Type": f"{kind}; charset=utf-8"})

    def _send(self, status: HTTPStatus, body: bytes, headers: dict[str, str]) -> None:
        self.close_connection = True
        self.send_response(status)
        always = {
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy(pack.read(STYLE), forms=True) + "; frame-ancestors 'none'",
            "Referrer-Policy": "same-origin",  # without a referrer a form's Origin would be null
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
            "Connection": "close",
        }
        for key, value in {**always, **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the address of the first request holds the ticket."""
