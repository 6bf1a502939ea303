"""Hostile hook payloads in four locales (D8): the CI slice of `python -m benchmarks.campaign payloads`."""

from __future__ import annotations

from pathlib import Path

from . import payloads


def test_g37_g38_no_payload_in_no_locale_disturbs_the_host(source: Path, place: Path) -> None:
    """A thousand payloads: exit 0 but for the wanted block, stdout empty or in the host's one form.

    Afterwards the tree is in order, and nothing was written beside it.
    """
    found = payloads.campaign(source, place, seed=1, times=1000, processes=12)

    assert sum(one.payloads for one in found.values()) == 1000
    assert min(one.answered for one in found.values()) > 0  # the spoiling left some to be answered
    assert min(one.held for one in found.values()) > 3  # and whole turns were held


def test_what_a_host_would_notice_is_a_fault() -> None:
    """The judge is no friend: free text, another event's answer, an exit code, an unwanted block."""
    stop = payloads.Case("claude-code", "stop", b"")
    kimi = payloads.Case("kimi-code", "session-start", b"")
    other = b'{"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "x"}}'

    for given, code, out, err in (
        (stop, 0, b"Traceback", b""),
        (stop, 1, b"", b""),
        (stop, 2, b"", b"time to distil"),
        (stop, 0, other, b""),
        (stop, 0, b'{"decision": "block"}', b""),
        (stop, 0, b"", b"warning"),
        (kimi, 0, b"text", b""),
        (kimi, 2, b"", b"time to distil"),
        (kimi._replace(kind="prompt"), 0, b"\xff", b""),
    ):
        assert payloads.fault_of(given, code, out, err)
