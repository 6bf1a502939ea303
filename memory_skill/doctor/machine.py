"""Checks of the machine: git, this Python, and how the command is called."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys

from ..install.setup import Setup, interpreter, on_path
from .check import Case, Check, error, ok, warning

GIT = (2, 26)  # the first with `commit --pathspec-from-file`
TWIN = "memory-skill"  # another project on PyPI, whose import name is also memory_skill


def git(case: Case) -> Check:
    """git is there and new enough."""
    try:
        ran = subprocess.run(["git", "--version"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return error("git", "is not installed: notes are written, but there is no history", "install git")
    found = re.search(r"(\d+)\.(\d+)[.\d]*", ran.stdout.decode("utf-8", "replace"))
    if ran.returncode or not found:
        return error("git", "does not answer", "git --version")
    if (int(found[1]), int(found[2])) < GIT:
        return error("git", f"{found[0]} is too old", f"upgrade to {GIT[0]}.{GIT[1]} or newer")
    return ok("git", found[0])


def python(case: Case) -> Check:
    """This interpreter holds our package and not the one with the same import name."""
    said = f"{sys.version.split()[0]} at {sys.executable}"
    try:
        importlib.metadata.distribution(TWIN)
    except importlib.metadata.PackageNotFoundError:
        return ok("python", said)
    fix = f"pip uninstall {TWIN}, then: pip install --force-reinstall memory-skill-pack"
    what = f"the distribution {TWIN!r} of another project is installed too; both write into memory_skill/"
    return warning("python", what, fix)


def command(case: Case) -> Check:
    """`memory-skill` can be called by its name."""
    found = on_path("memory-skill", case.env)
    if found:
        return ok("command", str(found))
    other = Setup(case.home, interpreter(), case.env).commands[0]
    return ok("command", f"memory-skill is not on PATH; hosts are told to call {other}")


CHECKS = (git, python, command)
