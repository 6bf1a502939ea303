"""What the hosts of this machine hold of ours right now."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping

from ..hosts import HOSTS
from . import claude_code, jsonfile, kimi_code, tomlfile
from .change import read
from .setup import on_path

SECONDS = 10
BINARIES = {"claude-code": "claude", "kimi-code": "kimi"}


def found_hosts(env: Mapping[str, str]) -> list[str]:
    """The hosts that have a config folder or a binary on PATH."""
    return [name for name, host in HOSTS.items() if host.home(env).is_dir() or on_path(BINARIES[name], env)]


def registrations(name: str, env: Mapping[str, str]) -> dict[str, list[list[str]]]:
    """Our hooks of one host, by its event: the words of each. Raises: ConfigError, Refused."""
    path = HOSTS[name].registry(env)
    raw = read(path)
    if not raw:
        return {}
    if name == "claude-code":
        return claude_code.registered(jsonfile.load(jsonfile.decode(raw, str(path))))
    found: dict[str, list[list[str]]] = {}
    for hook in tomlfile.hooks(tomlfile.decode(raw, str(path))):
        if kimi_code.mine(hook):
            found.setdefault(str(hook.get("event")), []).append(kimi_code.words(hook))
    return found


def version(name: str, env: Mapping[str, str]) -> str | None:
    """What the host's binary on PATH says; None where there is none, '' where it does not answer."""
    binary = on_path(BINARIES[name], env)
    if binary is None:
        return None
    try:
        ran = subprocess.run(
            [str(binary), "--version"],
            env=dict(env),
            capture_output=True,
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(rb"\d+(?:\.\d+)+", ran.stdout)
    return found.group().decode() if found else ""


def title(name: str, env: Mapping[str, str]) -> str:
    """A host as people call it, with its version and folder."""
    host, said = HOSTS[name], version(name, env)
    return " ".join(part for part in (host.TITLE, said, f"({host.home(env)})") if part)
