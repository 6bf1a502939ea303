"""Asking a language model on the user's behalf: by a command, or over HTTP as OpenAI's chat completions.

Only `distil --file` asks, and only whom the user's own config names; nothing else of this package does.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from .config import Config, distil_key, user_file
from .errors import Unanswered, UsageError

TIMEOUT_SECONDS = 300.0  # for one answer, all tries and pauses included
PAUSES = (1.0, 4.0, 16.0)  # seconds before the second, third and fourth try
MAX_PAUSE = 60.0  # seconds that a server may ask us to wait
MAX_ANSWER = 2_000_000  # bytes
AGAIN = frozenset({429, 500, 502, 503, 504, 529})  # statuses after which another try may go well
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Passing(Exception):
    """A failure that another try may not meet. *pause*: seconds that the server asks for, or None."""

    def __init__(self, what: str, pause: float | None = None) -> None:
        super().__init__(what)
        self.pause = pause


def check(config: Config, env: Mapping[str, str]) -> None:
    """Raises: UsageError when nobody is named who could be asked, or a URL that would give it all away."""
    knobs = config.distil
    if knobs.command:
        return
    if not knobs.url:
        hint = f"set distil.command, or distil.url and distil.model, in {user_file(env)}"
        raise UsageError("no model is named that could be asked", where="distil", hint=hint)
    if not knobs.model:
        raise UsageError("distil.url needs a model", hint=f"set distil.model in {user_file(env)}")
    parts = urlsplit(knobs.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{knobs.url!r} is no URL", where="distil.url", hint="http://127.0.0.1:11434/v1")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        hint = f"https://{parts.netloc}{parts.path}"
        raise UsageError("would send the conversation in clear text", where="distil.url", hint=hint)


def ask(config: Config, env: Mapping[str, str], law: str, text: str) -> str:
    """The model's answer to *text* under the instructions *law*.

    Raises: UsageError (see `check`), Unanswered after TIMEOUT_SECONDS or when no try went well.
    """
    check(config, env)
    if config.distil.command:
        return _run(config.distil.command, env, f"{law}\n\n{text}\n")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    for pause in (*PAUSES, None):
        try:
            return _post(config, env, law, text, deadline)
        except Passing as error:
            wait = pause if error.pause is None else error.pause
            if pause is None or wait is None or time.monotonic() + wait > deadline:
                raise _unanswered(config.distil.url, str(error)) from error
            time.sleep(wait)
    raise AssertionError("the last try returns or raises")


def _unanswered(where: str, what: str) -> Unanswered:
    return Unanswered(what, where=where, hint="try it later; nothing of the turns not yet answered is saved")


def _run(command: str, env: Mapping[str, str], text: str) -> str:
    try:
        done = subprocess.run(
            shlex.split(command),
            input=text.encode("utf-8", "replace"),
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            env=dict(env),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _unanswered("distil.command", f"no answer within {TIMEOUT_SECONDS:g} s") from error
    except (OSError, ValueError, IndexError) as error:
        hint = f"it is: {command}"
        raise UsageError(f"cannot be run: {error}", where="distil.command", hint=hint) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()[-300:]
        raise _unanswered("distil.command", f"exit code {done.returncode}: {said or 'nothing on stderr'}")
    return done.stdout[:MAX_ANSWER].decode("utf-8", "replace")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the conversation and the key to a place that nobody named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _opener(url: str) -> urllib.request.OpenerDirector:
    direct = (urllib.request.ProxyHandler({}),) if urlsplit(url).hostname in LOOPBACK else ()
    return urllib.request.build_opener(_NoRedirect, *direct)


def _post(config: Config, env: Mapping[str, str], law: str, text: str, deadline: float) -> str:
    """One try. Raises: Passing, Unanswered."""
    knobs = config.distil
    said = [{"role": "system", "content": law}, {"role": "user", "content": text}]
    body = json.dumps({"model": knobs.model, "messages": said, "temperature": 0}).encode()
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key := distil_key(env):
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(knobs.url.rstrip("/") + "/chat/completions", body, headers)
    left = max(deadline - time.monotonic(), 0.01)
    try:
        with _opener(knobs.url).open(request, timeout=left) as response:
            raw = _read(response, deadline)
    except urllib.error.HTTPError as error:
        raise _refused(knobs.url, error) from error
    except TimeoutError as error:
        raise _unanswered(knobs.url, f"no answer within {TIMEOUT_SECONDS:g} s") from error
    except (OSError, HTTPException) as error:  # a URLError is an OSError
        reason = getattr(error, "reason", None) or error
        if isinstance(reason, TimeoutError):
            raise _unanswered(knobs.url, f"no answer within {TIMEOUT_SECONDS:g} s") from error
        raise Passing(f"no answer: {reason}") from error
    return _content(raw)


def _read(response: HTTPResponse, deadline: float) -> bytes:
    """The body; a server that sends a byte now and then does not hold us for ever."""
    found = b""
    while chunk := response.read1(65_536):
        found += chunk
        if time.monotonic() > deadline:
            raise TimeoutError
        if len(found) > MAX_ANSWER:
            raise Unanswered(f"an answer of over {MAX_ANSWER:,} bytes", hint="is distil.url a chat endpoint?")
    if response.length:  # read1 tells nobody that the rest of the promised bytes never came
        raise ConnectionError(f"the answer was cut off, {response.length} bytes before its end")
    return found


def _refused(url: str, error: urllib.error.HTTPError) -> Exception:
    """What an HTTP status means: try again, or say what the server said."""
    told = ""
    with contextlib.suppress(OSError, HTTPException):
        told = " ".join(error.read(2000).decode("utf-8", "replace").split())[:300]
    what = f"HTTP {error.code}{': ' + told if told else ''}"
    if error.code in AGAIN:
        return Passing(what, _pause(error.headers.get("Retry-After")))
    if 300 <= error.code < 400:
        return Unanswered(f"{what}: redirects are not followed", where=url, hint="give the address itself")
    hint = "set MEMORY_SKILL_DISTIL_KEY" if error.code in (401, 403) else "see distil.url and distil.model"
    return Unanswered(what, where=url, hint=hint)


def _pause(asked: str | None) -> float | None:
    return min(float(asked), MAX_PAUSE) if asked and asked.isascii() and asked.isdecimal() else None


def _content(raw: bytes) -> str:
    """The text of a chat completion. Raises: Passing for junk, which a busy proxy answers now and then."""
    try:
        found = json.loads(raw)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        start = raw[:80].decode("utf-8", "replace")
        raise Passing(f"no chat completion: {start!r}" if raw.strip() else "an empty answer") from error
    if not isinstance(found, str) or not found.strip():
        raise Passing("an empty answer")
    return found
