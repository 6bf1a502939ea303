"""One event of a host on stdin, one answer on stdout, and never a disturbance.

Everything runs inside one guard with its own clock: whatever goes wrong, the process ends with 0 and says
nothing, and leaves a line in the log and a mark in the heartbeat. What each event does stands in `answers`.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping

from . import config as configuration
from .answers import answer
from .calls import Call, clock, told
from .errors import UsageError
from .events import Events
from .hosts import HOSTS
from .hosts.base import KINDS, Reply, mapping
from .tree import Tree

# Seconds of our own, each below the timeout that is registered with the host.
SECONDS = {"session-start": 8.0, "stop": 8.0, "compact": 4.0, "session-end": 4.0}
OTHER_SECONDS = 2.0  # prompt, edited, interrupt
MAX_PAYLOAD = 32_000_000  # bytes of stdin


def run(host: str, kind: str, stdin: bytes, env: Mapping[str, str] | None = None) -> int:
    """Answer one call on stdout (and stderr). Returns the exit code: 0, or 2 for Kimi Code's wanted block."""
    env = os.environ if env is None else env
    began = time.monotonic()
    call: Call | None = None
    reply, trouble = Reply(), ""
    try:
        with clock(SECONDS.get(kind, OTHER_SECONDS)):
            call = _call(host, kind, stdin, env)
            reply = answer(call) if call.tree.exists() else Reply()
        trouble = "; ".join(call.troubles)
    except BaseException as error:
        reply, trouble = Reply(), told(error)
    if not _say(reply):
        reply, trouble = Reply(), trouble or "the answer could not be written"
    elif call:
        trouble = "; ".join(filter(None, (trouble, _afterwards(call))))
    with contextlib.suppress(BaseException):
        _leave_signs(call, host, kind, env, int((time.monotonic() - began) * 1000), trouble)
    return reply.code


def _call(host: str, kind: str, stdin: bytes, env: Mapping[str, str]) -> Call:
    module = HOSTS.get(host)
    if module is None:
        raise UsageError(f"no such host: {host[:40]!r}", hint="one of " + ", ".join(HOSTS))
    if kind not in KINDS:
        raise UsageError(f"no such event: {kind[:40]!r}", hint="one of " + ", ".join(KINDS))
    if len(stdin) > MAX_PAYLOAD:
        raise UsageError(f"a payload of {len(stdin)} bytes, at most {MAX_PAYLOAD}")
    payload = json.loads(stdin)
    if not isinstance(payload, dict):
        raise UsageError("the payload is no object")
    return Call(module, module.parse(mapping(payload), kind, env), env)


def _say(reply: Reply) -> bool:
    """Bytes, whatever the locale is. False if nobody listens."""
    try:
        for stream, text in ((1, reply.stdout), (2, reply.stderr)):
            data = memoryview(text.encode("utf-8", "replace"))
            while data:
                data = data[os.write(stream, data) :]
    except OSError:
        return False
    return True


def _afterwards(call: Call) -> str:
    try:
        for action in call.after:
            action()
    except BaseException as error:
        return told(error)
    return ""


def _leave_signs(
    call: Call | None, host: str, kind: str, env: Mapping[str, str], ms: int, trouble: str
) -> None:
    tree = call.tree if call else Tree(configuration.home_of(env)[0])
    if not tree.exists():
        return
    tree.state.mkdir(exist_ok=True)
    events = Events(tree.state)
    if trouble:
        session = {"session": call.event.session} if call else {}
        with contextlib.suppress(OSError):
            events.log({"host": host, "event": kind, **session, "what": trouble, "ms": ms})
    if call and call.config.writable and call.said + call.why:
        _account(events, call, kind, ms)
    if host in HOSTS and kind in KINDS:
        events.heartbeat(host, kind, ms, not trouble, trouble)


def _account(events: Events, call: Call, kind: str, ms: int) -> None:
    """One line of the ledger: what this call cost."""
    from .text import estimate_tokens

    with contextlib.suppress(OSError):
        events.spent(
            "hook",
            host=call.event.host,
            session=call.event.session,
            event=kind,
            ms=ms,
            bytes=len(call.said.encode("utf-8", "replace")),
            tokens=estimate_tokens(call.said),
            entries=call.shown,
            why=call.why,
        )
