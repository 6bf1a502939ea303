"""What the tests of the verbs share: real git beside the package, host sessions, and hand-written notes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from memory_skill.memory import Memory

KEY = "sk-ant-api03-" + "Ab3dEf6hIj9kLmN0pQrS"  # no real key


def git(home: Path, *args: str, stdin: bytes | None = None, **env: str) -> str:
    """The answer of git in *home*, run with nobody's settings. Raises: CalledProcessError."""
    settings = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(
        ["git", *who, *args],
        cwd=home,
        input=stdin or b"",
        env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **settings, **env},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def subjects(memory: Memory) -> list[str]:
    """The subjects of all commits but the first, newest first."""
    return git(memory.tree.home, "log", "--format=%s").splitlines()[:-1]


def last_message(memory: Memory) -> str:
    return git(memory.tree.home, "log", "-1", "--format=%B").strip()


def in_history(memory: Memory, text: str) -> bool:
    """Whether any object of the repository, reachable or not, holds *text*."""
    return text in git(memory.tree.home, "cat-file", "--batch-all-objects", "--batch")


def put(memory: Memory, rel: str, text: str | bytes) -> Path:
    """Write a file of the tree as an editor does, past every verb."""
    path = memory.tree.home / rel
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(memory: Memory, rel: str) -> str:
    return (memory.tree.home / rel).read_bytes().decode()


def note(kind: str, body: str, *, name: str = "a-note", session: str = "") -> str:
    """A note as Claude Code writes it."""
    stamp = f"  originSessionId: {session}\n" if session else ""
    return f"---\nname: {name}\ndescription: {body}\nmetadata:\n  type: {kind}\n{stamp}---\n{body}\n"


def in_session(memory: Memory, session: str, root: Path | None = None) -> Memory:
    """The same tree as a command sees it that Claude Code runs in *session*, started in *root*."""
    with memory.sessions.change("claude-code", session) as record:
        if root:
            root.mkdir(parents=True, exist_ok=True)
            record.root = os.fspath(root)
            record.project = Memory.open(cwd=root).project
    env = dict(os.environ) | {"CLAUDE_CODE_SESSION_ID": session}
    return Memory.open(memory.tree.home, env=env, cwd=root or memory.cwd)


def by_tool(memory: Memory, session: str, rel: str, text: str) -> None:
    """Write a file as a tool of that Claude Code session does: the edited hook marks the path."""
    put(memory, rel, text)
    memory.sessions.edited(rel, memory.sessions.read("claude-code", session))


def project(folder: Path, origin: str) -> Path:
    """A code repository whose origin is *origin*, made without git."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {origin}\n')
    return folder
