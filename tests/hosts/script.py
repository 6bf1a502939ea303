"""Lines of scripts that several tests share: how a model writes into the memory."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from tests.hosts.machine import Machine
from tests.hosts.model import Reply, Request, call

LAW = "Save now, there is no second chance"
TABLE_ROW = "| a correction, a way of working |"

NOTE = """\
---
name: {name}
description: {description}
metadata:
  type: {type}
---
{body}
"""


def shell(verb: str, *words: str, stdin: str = "") -> Callable[[Request], Reply]:
    """Run a verb in the host's shell tool, by the command that the law in the request names."""

    def line(request: Request) -> Reply:
        command = re.search(r"New: `(.+?) save ", request.said)
        assert command, "the law is not in the request"
        told = f"{command[1]} {shlex.join([verb, *words])}"
        return call("Bash", command=f"{told} <<'END'\n{stdin}END" if stdin else told)

    return line


def write(machine: Machine, path: str, content: str) -> Reply:
    """Write a file of the tree with the host's own tool."""
    return call("Write", file_path=str(machine.tree / path), content=content)


def note(name: str, description: str, body: str, type: str = "feedback") -> str:
    """A note as Claude Code's own memory prompt asks for it."""
    return NOTE.format(name=name, description=description, body=body, type=type)
