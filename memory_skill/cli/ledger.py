"""How `status --ledger` is told."""

from __future__ import annotations

from ..ledger import Ledger
from .common import print_json, result, say


def show(found: Ledger, *, as_json: bool) -> None:
    """The sums, then a line for each session, event and entry, and why nothing was done."""
    if as_json:
        print_json(found)
        return
    if found.since is None:
        say("The ledger is empty.")
        return
    result(f"since {found.since}: {found.tokens:,} tokens ({found.bytes:,} bytes) put before models")
    result(f"hooks that had something to say or a reason not to took {found.ms:,} ms in all")
    for one in found.sessions:
        spent = f"{one['tokens']:,} tokens, {one['bytes']:,} bytes, {one['ms']:,} ms"
        hooks = f"{one['hooks']} hooks, {one['recalls']} entries"
        result(f"session {one['host']} {one['session']}: {spent}, {hooks}; last {one['last']}")
    for one in found.events:
        times = f"{one['median_ms']} ms median, {one['max_ms']} ms most"
        result(f"event {one['event']}: {one['hooks']} times, {one['tokens']:,} tokens, {times}")
    for one in found.entries:
        result(f"entry {one['address']}: recalled {one['recalls']} times")
    for name, count in found.verbs.items():
        result(f"verb {name}: {count}")
    for why, count in found.why.items():
        result(f"not done, {why}: {count}")
