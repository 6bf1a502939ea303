"""What a host sends becomes an event of ours, what we answer is in its form, its transcript becomes turns.

Transcripts and payloads were recorded from Claude Code 2.1.332 and Kimi Code 2.1.0 with a scripted model;
long values are cut, prompt snapshots left out but for two.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_skill.errors import UsageError
from memory_skill.hosts import HOSTS, claude_code, kimi_code
from memory_skill.hosts.base import KINDS, Event, Heard, registered, units

RECORDED = Path(__file__).parent / "fixtures" / "transcripts"
PAYLOADS = json.loads((RECORDED / "payloads.json").read_text(encoding="utf-8"))
SAID = tuple[str, str, bool]


def said(turns: list[Heard]) -> list[SAID]:
    return [(turn.user, turn.assistant, turn.answered) for turn in turns]


def payload(host: str, event: str, **wanted: object) -> tuple[dict[str, Any], dict[str, str]]:
    """The recorded payload of that event, and the environment of its hook."""
    for found in PAYLOADS:
        value = found["payload"]
        if (found["host"], value["hook_event_name"]) == (host, event) and wanted.items() <= value.items():
            return dict(value), dict(found["env"])
    raise LookupError(event)


# --- transcripts


def test_claude_print_session() -> None:
    """Talk before a tool call is no reply, and what follows the stop hook's word is not part of the turn."""
    turns, _ = claude_code.turns(RECORDED / "claude-print.jsonl")

    assert said(turns) == [
        ("What is in notes.txt?", "It says alpha beta.", False),
        ("What is the rate limit?\n## heading\nsecond line", "The limit is 100 a minute.", True),
        ("and a third: naïve 日本", "Third answer ✓", False),
    ]


def test_claude_screen_session() -> None:
    """A shell command, the end of a background agent and the summary of a compaction are no turns."""
    turns, _ = claude_code.turns(RECORDED / "claude-screen.jsonl")

    assert said(turns) == [
        ("hello screen", "Hello from the screen.", False),
        ("use an agent", "sub says hi", False),
        ("/compact", "", False),
        ("go on", "After compaction.", False),
    ]


def test_kimi_session() -> None:
    """Each message is taken once though the wire holds it twice; sub-agents have a wire of their own."""
    turns, _ = kimi_code.turns(RECORDED / "kimi-wire.jsonl")

    assert said(turns) == [
        ("What is in notes.txt?", "It says alpha beta.", False),
        ("What is the rate limit?\n## heading", "The limit is 100 a minute.", True),
        ("use an agent", "Main final after agent.", False),
        ("write x", "Written.", False),
    ]
    assert {turn.ended for turn in turns} == {"completed"}


def test_kimi_turn_of_a_running_subagent_has_no_reply(tmp_path: Path) -> None:
    """At a sub-agent's Stop the main wire stands at an open tool call: nothing to count, nothing to hold."""
    lines = (RECORDED / "kimi-wire.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    spawned = next(i for i, line in enumerate(lines) if '"type":"subagent.started"' in line)
    path = tmp_path / "wire.jsonl"
    path.write_text("".join(lines[: spawned + 1]), encoding="utf-8")

    last = kimi_code.turns(path)[0][-1]

    assert (last.user, last.assistant, last.ended) == ("use an agent", "", "")


@pytest.mark.parametrize(
    ("host", "name"),
    [("claude-code", "claude-print"), ("claude-code", "claude-screen"), ("kimi-code", "kimi-wire")],
)
def test_reading_on_finds_the_same_turns(host: str, name: str, tmp_path: Path) -> None:
    """However the file grows, reading from the last offset on gives each turn whole in the end."""
    data = (RECORDED / f"{name}.jsonl").read_bytes()
    whole, _ = HOSTS[host].turns(RECORDED / f"{name}.jsonl")
    path = tmp_path / "t.jsonl"
    found: dict[str, Heard] = {}
    offset = 0

    for end in range(0, len(data) + 700, 700):
        path.write_bytes(data[:end])
        turns, offset = HOSTS[host].turns(path, offset)
        found |= {turn.id: turn for turn in turns}

    assert list(found.values()) == whole


def test_a_giant_line_is_passed_over(tmp_path: Path) -> None:
    """A line of 20 MB costs no memory and no turn."""
    data = (RECORDED / "claude-print.jsonl").read_bytes()
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"type":"user","x":"' + b"a" * 20_000_000 + b'"}\n' + data + b'{"type":"user","mess')

    assert claude_code.turns(path)[0] == claude_code.turns(RECORDED / "claude-print.jsonl")[0]


@pytest.mark.parametrize("host", HOSTS)
def test_a_hostile_transcript_gives_what_it_can(host: str, tmp_path: Path) -> None:
    """Lines of any other shape are left out; none is an error."""
    odd = ["null", "[]", "7", '{"type":"user"}', '{"type":"user","message":7}', "{", '{"type":"turn.prompt"}']
    odd += [
        '{"type":"user","message":{"content":[1,{"type":"text","text":5}]}}',
        '{"type":"assistant"}',
        "\x00",
    ]
    odd += ['{"type":"turn.ended","reason":5}', '{"type":"context.append_loop_event","event":[]}']
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(odd) + "\n", encoding="utf-8")

    turns, _ = HOSTS[host].turns(path)

    assert not any(turn.assistant for turn in turns)


# --- payloads


def test_claude_prompt_and_stop_share_the_turn() -> None:
    """The turn's key, the prompt, the reply and who attends come from the payload and the environment."""
    prompt = claude_code.parse(*args("claude-code", "UserPromptSubmit", "prompt"))
    stop = claude_code.parse(*args("claude-code", "Stop", "stop", stop_hook_active=False))

    assert prompt.turn == stop.turn != ""
    assert (prompt.prompt, stop.reply) == ("What is in notes.txt?", "It says alpha beta.")
    assert prompt.attended is False and not stop.again and not stop.subagent


def args(host: str, event: str, kind: str, **wanted: object) -> tuple[dict[str, Any], str, dict[str, str]]:
    value, env = payload(host, event, **wanted)
    return value, kind, env


def test_claude_says_when_a_hook_held_the_turn_already() -> None:
    """The host's own flag is passed on."""
    assert claude_code.parse(*args("claude-code", "Stop", "stop", stop_hook_active=True)).again


def test_claude_root_is_the_start_folder() -> None:
    """The shell's folder follows a cd; the project is that of the session's start."""
    value, env = payload("claude-code", "Stop")
    event = claude_code.parse(value | {"cwd": "/elsewhere"}, "stop", env)

    assert event.root == env["CLAUDE_PROJECT_DIR"] != event.cwd


def test_claude_subagents_are_told_apart() -> None:
    """A sub-agent's stop, the summariser's, and a sub-agent's own tools."""
    value, env = payload("claude-code", "SubagentStop")
    assert claude_code.parse(value, "stop", env).subagent

    value, env = payload("claude-code", "UserPromptSubmit")
    assert claude_code.parse(value | {"agent_id": "a1"}, "prompt", env).subagent


def test_claude_task_notification_is_no_prompt() -> None:
    """The end of a background task comes as a prompt that nobody typed."""
    notes = [p["payload"] for p in PAYLOADS if p["payload"].get("prompt", "")[:6] == "<task-"]

    assert [claude_code.parse(note, "prompt", {}).prompt for note in notes] == [""]


def test_kimi_prompt_is_joined_from_its_parts() -> None:
    """Kimi sends content parts; it cannot tell whether a person attends."""
    value, env = payload("kimi-code", "UserPromptSubmit")
    value["prompt"] = [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]

    event = kimi_code.parse(value, "prompt", env)

    assert (event.prompt, event.attended, event.root) == ("one\ntwo", None, value["cwd"])


@pytest.mark.parametrize("host", HOSTS)
def test_swapped_payloads_are_refused(host: str) -> None:
    """Another host's payload, another event's, and one without a session are errors of the caller."""
    other = "kimi-code" if host == "claude-code" else "claude-code"
    own, env = payload(host, "Stop")

    for value in (
        payload(other, "Stop")[0],
        payload(host, "UserPromptSubmit")[0],
        own | {"session_id": 7},
        {},
    ):
        with pytest.raises(UsageError):
            HOSTS[host].parse(value, "stop", env)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("odd", [None, 7, [], {}, [[]], "\ud800", {"file_path": 3}])
def test_odd_fields_are_empty(host: str, odd: object) -> None:
    """A field of another form than expected counts as not sent, and all text can be written."""
    own, env = payload(host, "UserPromptSubmit")
    fields = ("prompt", "cwd", "prompt_id", "tool_input", "transcript_path", "source", "agent_type")
    if host == "kimi-code":
        fields = ("prompt", "cwd", "tool_input", "source")

    event = HOSTS[host].parse(own | dict.fromkeys(fields, odd), "prompt", env)

    assert json.dumps(event.prompt + event.cwd).encode()


# --- answers


def test_claude_context_is_one_json_object() -> None:
    """Anything else on stdout would reach the model as it stands."""
    reply = claude_code.context("prompt", "Ada’s tabs ✓")

    assert json.loads(reply.stdout) == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "Ada’s tabs ✓"}
    }
    assert (reply.code, reply.stderr) == (0, "")


def test_claude_hold_is_context_of_the_stop() -> None:
    """Exit 0 with additional context continues the turn without an error on the screen."""
    reply = claude_code.hold("brief")

    assert json.loads(reply.stdout)["hookSpecificOutput"] == {
        "hookEventName": "Stop",
        "additionalContext": "brief",
    }
    assert reply.code == 0


def test_kimi_answers_are_plain() -> None:
    """Kimi takes text before a prompt, and exit 2 with a reason at the stop."""
    assert kimi_code.context("prompt", "text").stdout == "text"
    assert (kimi_code.hold("brief").code, kimi_code.hold("brief").stderr) == (2, "brief")


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_say_is_no_output(host: str, kind: str) -> None:
    """An empty text is silence, whatever the event."""
    reply = HOSTS[host].context(kind, "")

    assert (reply.stdout, reply.stderr, reply.code) == ("", "", 0)


def test_units_count_as_the_host_does() -> None:
    """An emoji is two of Claude Code's 10,000 units."""
    assert [units(text) for text in ("abc", "日本", "🐍")] == [3, 2, 2]


# --- places


def test_registration_runs_the_module() -> None:
    """A hook is a module of an interpreter, no script path, and imports nothing from the project."""
    words = registered("/opt/my env/python3", "kimi-code", "stop")

    assert words[0] == "/opt/my env/python3" and "-P" in words
    assert words[words.index("-m") :] == ["-m", "memory_skill", "hook", "kimi-code", "stop"]


@pytest.mark.parametrize("host", HOSTS)
def test_each_registration_is_one_event(host: str) -> None:
    """Every event of ours is registered at most once, and under a name of the host's own."""
    module = HOSTS[host]
    kinds = [hook.kind for hook in module.HOOKS]

    assert host == module.NAME
    assert len(set(kinds)) == len(kinds) and set(kinds) <= set(KINDS)
    assert all(hook.timeout > 0 and hook.event[0].isupper() for hook in module.HOOKS)


def test_folders_follow_the_environment(home: Path) -> None:
    """Both hosts can be moved by a variable; the shared skills folder stays."""
    env = {"HOME": str(home)}

    assert claude_code.registry(env) == home / ".claude" / "settings.json"
    assert claude_code.registry(env | {"CLAUDE_CONFIG_DIR": "/c"}) == Path("/c/settings.json")
    assert kimi_code.registry(env) == home / ".kimi-code" / "config.toml"
    assert kimi_code.registry(env | {"KIMI_CODE_HOME": "/k"}) == Path("/k/config.toml")
    assert kimi_code.skills(env | {"KIMI_CODE_HOME": "/k"}) == home / ".agents" / "skills"


def put(path: Path, **settings: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(settings), encoding="utf-8")


def test_claude_reads_the_index_when_it_adopted_the_tree(home: Path, tmp_path: Path) -> None:
    """Only with auto-memory on and pointing at this very tree; the project's settings outrank the user's."""
    env = {"HOME": str(home)}
    tree = home / ".memory-skill"
    assert not claude_code.reads_index(env, str(tmp_path), tree)

    put(home / ".claude" / "settings.json", autoMemoryDirectory="~/.memory-skill")
    assert claude_code.reads_index(env, str(tmp_path), tree)
    assert not claude_code.reads_index(env | {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}, str(tmp_path), tree)
    assert not claude_code.reads_index(env, str(tmp_path), home / "other")

    put(tmp_path / ".claude" / "settings.local.json", autoMemoryEnabled=False)
    assert not claude_code.reads_index(env, str(tmp_path), tree)


def test_kimi_wire_is_found_by_session(home: Path) -> None:
    """The payload has no path; a session id that is none leads nowhere."""
    wire = home / ".kimi-code" / "sessions" / "wd_x_1" / "session_1" / "agents" / "main" / "wire.jsonl"
    wire.parent.mkdir(parents=True)
    wire.touch()
    env = {"HOME": str(home)}

    assert kimi_code.transcript(Event("stop", "kimi-code", "session_1", "", ""), env) == wire
    assert kimi_code.transcript(Event("stop", "kimi-code", "session_2", "", ""), env) is None
    assert kimi_code.transcript(Event("stop", "kimi-code", "../*", "", ""), env) is None


def test_kimi_session_skill_is_a_skill() -> None:
    """A quoted header, the law, and the index fenced as reference."""
    text = kimi_code.session_skill("The law.", "Ada.", "- [Tabs](tabs.md) — indent")

    assert text.startswith('---\nname: memory-skill-session\ndescription: "')
    assert "The law.\n" in text and "reference, not instruction" in text
    assert text == kimi_code.session_skill("The law.", "Ada.", "- [Tabs](tabs.md) — indent")
