"""A hook never disturbs its host, whatever it is given and wherever it runs."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_skill import hooks, opening
from memory_skill.events import Events
from memory_skill.hosts import HOSTS
from memory_skill.hosts.base import KINDS, registered
from memory_skill.journal import Journal
from memory_skill.memory import Memory
from memory_skill.sessions import Sessions
from tests.drivers import STATED, Claude, Said


def log_of(memory: Memory) -> list[str]:
    return [line["what"] for line in Events(memory.tree.state).tail(100)]


PAYLOADS: list[bytes] = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"{",
    b"\xff\xfe\x00",
    "{\"session_id\": \"é\"}".encode("latin-1"),
    b'{"hook_event_name": "Stop", "session_id": "s"' + b" " * 100_000 + b"}",
    b"[" * 100_000,
    b'{"session_id": 5, "hook_event_name": []}',
    *(json.dumps({"session_id": odd, "hook_event_name": event, "cwd": odd, "prompt": odd, "prompt_id": odd,
                  "last_assistant_message": odd, "tool_input": odd, "transcript_path": odd}).encode()
      for odd in ("\ud800", "../../../etc/passwd", "\x00", "🐍" * 50_000, 7, None, {"a": []}, [[]])
      for event in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd")),
]  # fmt: skip


@pytest.mark.parametrize("host", [*HOSTS, "codex", ""])
@pytest.mark.parametrize("kind", [*KINDS, "no-such-event", ""])
def test_hostile_payloads_end_with_0(
    memory: Memory, capfd: pytest.CaptureFixture[str], host: str, kind: str
) -> None:
    """Any bytes on stdin: exit 0, stdout empty or one valid answer, and at most one line in the log each."""
    for payload in PAYLOADS:
        before = len(log_of(memory))
        code = hooks.run(host, kind, payload)
        said = Said(code, *capfd.readouterr())

        assert code == 0
        assert said.out == "" or said.context
        assert len(log_of(memory)) - before <= 1


def real(
    *words: str, payload: bytes = b"{}", env: dict[str, str] | None = None, **more: Any
) -> subprocess.CompletedProcess[bytes]:
    """The hook as a process of its own."""
    argv = [*registered(sys.executable, "", "")[:-3], *words]
    return subprocess.run(
        argv, input=payload, env=env or dict(os.environ), capture_output=True, timeout=30, **more
    )


def prompt_of(text: str, session: str = "s") -> bytes:
    base = {"session_id": session, "cwd": "/", "hook_event_name": "UserPromptSubmit", "prompt_id": "p"}
    base["transcript_path"] = "/none"
    return json.dumps(base | {"prompt": text}).encode()


STOP = json.dumps(
    json.loads(prompt_of("")) | {"hook_event_name": "Stop", "last_assistant_message": "x"}
).encode()  # fmt: skip


@pytest.mark.parametrize(
    ("words", "payload", "logged"),
    [
        (("hook",), b"{}", "no such host"),
        (("hook", "claude-code"), b"{}", "no such event"),
        (("hook", "claude-code", "stop", "--no-such-option"), STOP, ""),
        (("hook", "kimi-code", "stop"), STOP, "expected|another host"),
        (("hook", "claude-code", "prompt"), b'{"torn', "JSONDecodeError"),
        (("hook", "claude-code", "prompt"), '{"prompt": "é"}'.encode("cp1252"), "UnicodeDecodeError"),
    ],
)
def test_a_wrong_call_is_logged_and_silent(
    memory: Memory, words: tuple[str, ...], payload: bytes, logged: str
) -> None:
    """Unknown words, swapped hosts, torn and wrongly encoded payloads: 0, nothing said, one line."""
    ran = real(*words, payload=payload)

    assert (ran.returncode, ran.stdout) == (0, b"")
    found = log_of(memory)
    assert len(found) == bool(logged)
    assert not logged or any(part in found[0] for part in logged.split("|"))


def third_turn(memory: Memory) -> tuple[list[str], bytes, dict[str, str]]:
    """A session whose next stop is due; the words, payload and environment of that stop."""
    env = os.environ | {"CLAUDE_CODE_SESSION_ATTENDED": "1"}
    for turn in ("p1", "p2", "p3"):
        value = json.loads(prompt_of(STATED)) | {"prompt_id": turn}
        real("hook", "claude-code", "prompt", payload=json.dumps(value).encode(), env=env)
        payload = json.dumps(json.loads(STOP) | {"prompt_id": turn}).encode()
        if turn != "p3":
            real("hook", "claude-code", "stop", payload=payload, env=env)
    return registered(sys.executable, "claude-code", "stop"), payload, env


def test_parallel_stops_hold_once(memory: Memory) -> None:
    """Four registrations of the hook that run at the same moment: one brief, one turn in the log."""
    words, payload, env = third_turn(memory)
    pipe = subprocess.PIPE
    running = [subprocess.Popen(words, stdin=pipe, stdout=pipe, env=env) for _ in range(4)]
    for process in running:
        assert process.stdin
        process.stdin.write(payload)
        process.stdin.close()

    said = [process.stdout.read() for process in running if process.stdout]

    assert [process.wait() for process in running] == [0] * 4
    assert len([out for out in said if out]) == 1
    assert len(Journal(memory.tree).turns()) == 3


def test_killed_hooks_leave_whole_files(memory: Memory) -> None:
    """Killed at any moment, a stop leaves a record that loads and a log that reads; the next one works."""
    words, payload, env = third_turn(memory)
    dice = random.Random(3)
    for _ in range(12):
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env)
        assert process.stdin
        process.stdin.write(payload)
        process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(dice.uniform(0.02, 0.12))
        process.kill()
        process.wait()
        record = Sessions(memory.tree.state).read("claude-code", "s")
        assert list(record.prompts) == ["p1", "p2", "p3"]

    ran = subprocess.run(words, input=payload, capture_output=True, env=env)

    assert ran.returncode == 0
    assert [turn.id for turn in Journal(memory.tree).turns()] == ["p1", "p2", "p3"]


def test_no_tree_is_no_trouble(home: Path) -> None:
    """Without a tree every hook is silent and makes none."""
    for host, kind in itertools.product(HOSTS, KINDS):
        ran = real("hook", host, kind, payload=prompt_of("hello"))
        assert (ran.returncode, ran.stdout) == (0, b"")

    assert list(home.iterdir()) == []


def test_another_tree_can_be_named(memory: Memory, tmp_path: Path) -> None:
    """`--home DIR hook …`, as a registration for a moved tree has it."""
    other = Memory.open(tmp_path / "other", cwd=tmp_path)
    other.init()
    other.save("Ada indents with tabs in every language.", type="user")

    ran = real("--home", str(tmp_path / "other"), "hook", "claude-code", "prompt",
               payload=prompt_of("How does Ada indent, tabs or spaces?"))  # fmt: skip

    assert "Ada indents with tabs" in json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]
    assert not list((memory.tree.state / "heartbeats").glob("*"))


def test_any_locale_gets_utf_8(memory: Memory) -> None:
    """A console of another code page changes no byte of the answer."""
    memory.save("Ada indents with tabs 🐍 in 日本.", type="user")
    env = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C", "LANG": "C"}

    payload = prompt_of("Ada indents with tabs in 日本?")

    ran = real("hook", "claude-code", "prompt", payload=payload, env=env)

    text = json.loads(ran.stdout.decode("utf-8"))["hookSpecificOutput"]["additionalContext"]
    assert "tabs 🐍 in 日本" in text


def full_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.parametrize("kind", ["prompt", "stop", "session-start"])
def test_a_full_disk_is_no_disturbance(memory: Memory, kind: str) -> None:
    """When nothing can be written any more the host goes on."""
    payload = {"prompt": prompt_of("hello"), "stop": STOP}.get(kind, STOP.replace(b"Stop", b"SessionStart"))

    ran = real("hook", "claude-code", kind, payload=payload, preexec_fn=full_disk)

    assert ran.returncode == 0
    assert ran.stdout == b"" or json.loads(ran.stdout)


def test_state_that_is_no_folder_is_no_disturbance(memory: Memory) -> None:
    """A file in the place of `.state`."""
    shutil.rmtree(memory.tree.state)
    memory.tree.state.write_text("", encoding="utf-8")

    for kind, payload in (("prompt", prompt_of("hello")), ("stop", STOP)):
        ran = real("hook", "claude-code", kind, payload=payload)
        assert (ran.returncode, ran.stdout) == (0, b"")
    memory.tree.state.unlink()


def test_no_git_keeps_the_turn(memory: Memory) -> None:
    """Without git on the path a stop still journals its turn."""
    env = os.environ | {"PATH": "/nowhere", "CLAUDE_CODE_SESSION_ATTENDED": "1"}
    (memory.tree.home / "loose.md").write_text("Ada likes tea.\n", encoding="utf-8")
    real("hook", "claude-code", "prompt", payload=prompt_of("hello there"), env=env)

    ran = real("hook", "claude-code", "stop", payload=STOP, env=env)

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert [turn.user for turn in Journal(memory.tree).turns()] == ["hello there"]


def test_a_closed_stdout_is_no_disturbance(memory: Memory) -> None:
    """A host that no longer listens."""
    memory.save("Ada indents with tabs in every language.", type="user")

    ran = real("hook", "claude-code", "prompt", payload=prompt_of("Does Ada indent with tabs?"),
               preexec_fn=lambda: os.close(1))  # fmt: skip

    assert ran.returncode == 0
    assert "could not be written" in log_of(memory)[-1]


def test_a_held_lock_costs_a_second(memory: Memory) -> None:
    """Another process that holds the session's record is waited for briefly, then the host goes on."""
    sessions = Sessions(memory.tree.state)
    with sessions.change("claude-code", "s"):
        ran = real("hook", "claude-code", "prompt", payload=prompt_of("hello"))

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert "Locked" in log_of(memory)[-1]


def test_our_own_clock_ends_a_hook(
    memory: Memory, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part that hangs is cut off, though it takes every ordinary error for its own."""

    def hang(*_: object) -> str:
        while True:
            try:
                for _ in range(10**9):
                    pass
            except Exception:
                continue

    monkeypatch.setattr(hooks, "OTHER_SECONDS", 0.2)
    monkeypatch.setattr(opening, "notices", hang)

    assert Claude(tmp_path, capfd).prompt("ok") == Said(0, "", "")
    assert "OutOfTime" in log_of(memory)[-1]


def test_a_package_that_is_gone_exits_1() -> None:
    """The registered command without the package: 1, which no host takes for a block."""
    ran = subprocess.run([sys.executable, "-I", "-S", "-m", "memory_skill", "hook"], capture_output=True)

    assert ran.returncode == 1


@pytest.mark.parametrize("session", ["s", "new"])
def test_the_prompt_hook_loads_the_standard_library_only(memory: Memory, session: str) -> None:
    """No yaml, git, click, jinja2 or rapidfuzz, nor a slow part of the standard library, before a prompt."""
    memory.save("Ada indents with tabs, in every language.", type="user")
    code = (
        "import sys, json\nfrom memory_skill import hooks\n"
        "hooks.run('claude-code', 'prompt', sys.stdin.buffer.read())\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    argv, payload = [sys.executable, "-P", "-c", code], prompt_of("How does Ada indent?", session=session)
    subprocess.run(argv, input=prompt_of("Hello"), check=True, capture_output=True)  # compiles the config
    ran = subprocess.run(argv, input=payload, check=True, capture_output=True)
    assert b"tabs" in ran.stdout
    loaded = set(json.loads(ran.stderr))

    outside = {name.split(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    assert outside - {"memory_skill", "__main__", "_distutils_hack", "sitecustomize"} == set()
    slow = {
        "argparse",
        "logging",
        "subprocess",
        "asyncio",
        "tomllib",
        "dataclasses",
        "inspect",
        "shutil",
        "bz2",
        "typing",
        "_hashlib",
        "signal",
    }
    assert not loaded & slow
