"""Recorded sessions of four hosts give the turns that were typed and read, wherever the reading begins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_skill.cli import main
from memory_skill.errors import NotFound, UsageError
from memory_skill.hosts.base import Heard
from memory_skill.hosts.transcripts import READERS, Cursor, detect, read

RECORDED = Path(__file__).parent / "fixtures" / "transcripts"
NAMES = sorted(path.stem for path in RECORDED.glob("*.jsonl"))
HOSTS = {"claude": "claude-code", "kimi": "kimi-code", "qwen": "qwen-code", "codex": "codex"}


def recorded(name: str) -> Path:
    return RECORDED / f"{name}.jsonl"


def host_of(name: str) -> str:
    return HOSTS[name.partition("-")[0]]


@pytest.mark.parametrize("name", NAMES)
def test_recording_gives_the_turns_that_were_typed(name: str) -> None:
    """User text and final reply are those of the expected file, exactly; nothing injected is among them."""
    expected = json.loads((RECORDED / f"{name}.turns.json").read_text(encoding="utf-8"))

    turns, _ = read(recorded(name))

    assert [
        {key: getattr(turn, key) for key in ("user", "assistant", "ended", "answered")} for turn in turns
    ] == expected
    assert len({turn.id for turn in turns}) == len(turns)
    assert all(turn.id and turn.time for turn in turns)


@pytest.mark.parametrize("name", NAMES)
def test_host_is_told_from_the_file(name: str) -> None:
    """No name and no folder is needed."""
    assert detect(recorded(name)) == host_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_reading_on_from_the_cursor_finds_the_same_turns(name: str, tmp_path: Path) -> None:
    """However a resume or a compaction lets the file grow, each turn is whole in the end."""
    data = recorded(name).read_bytes()
    whole, _ = read(recorded(name))
    path = tmp_path / "t.jsonl"
    found: dict[str, Heard] = {}
    cursor = Cursor()

    for end in range(0, len(data) + 1500, 1500):
        path.write_bytes(data[:end])
        turns, cursor = read(path, host_of(name), cursor)
        found |= {turn.id: turn for turn in turns}

    assert list(found.values()) == whole


def test_cursor_of_another_file_reads_from_the_start(tmp_path: Path) -> None:
    """A truncated file and a fork, in which other lines stand there, are read whole."""
    path = tmp_path / "t.jsonl"
    lines = recorded("claude-print").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines))
    whole, cursor = read(path)
    assert read(path, "", cursor)[0] == whole[-1:]

    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    assert read(path, "", cursor)[0][0] == whole[0]

    path.write_bytes(b'{"type":"mode","sessionId":"fork"}\n' + b"".join(lines))
    assert read(path, "", cursor)[0] == whole


def test_rewound_turn_is_left_out(tmp_path: Path) -> None:
    """In Qwen Code a record that goes on from an earlier one takes back what came between."""
    path = tmp_path / "t.jsonl"
    lines = [json.loads(line) for line in recorded("qwen-compact").read_text(encoding="utf-8").splitlines()]
    again = {
        **lines[2],
        "uuid": "f" * 36,
        "message": {"role": "user", "parts": [{"text": "rather two and a half"}]},
    }
    path.write_text("".join(json.dumps(line) + "\n" for line in [*lines, again]), encoding="utf-8")

    assert [turn.user for turn in read(path)[0]] == ["tell me one", "rather two and a half"]


@pytest.mark.parametrize("host", READERS)
def test_hostile_lines_break_nothing(host: str, tmp_path: Path) -> None:
    """Lines of any other shape, and of every other host cut anywhere, are left out; none is an error."""
    path = tmp_path / "t.jsonl"
    odd = [b"null", b"[]", b"7", b"{", b"\x00", b'{"type":"user","uuid":7}', b'{"type":[],"payload":[]}']
    odd += [
        b'{"type":"user","uuid":"a","message":{"parts":7}}',
        b'{"type":"event_msg","payload":{"type":"task_complete"}}',
    ]
    odd += [
        b'{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[1]}}}'
    ]
    for name in NAMES:
        odd += [line[: len(line) * 2 // 3] for line in recorded(name).read_bytes().splitlines()]
    path.write_bytes(b"\n".join(odd) + b"\n")

    assert not any(turn.assistant for turn in read(path, host)[0])


def test_file_of_no_host_is_a_wrong_call(tmp_path: Path) -> None:
    """What is no transcript is said so, and a file that is not there too."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\nhello\n', encoding="utf-8")

    with pytest.raises(UsageError, match="no transcript of a known host"):
        read(path)
    with pytest.raises(NotFound):
        read(tmp_path / "gone.jsonl")


def test_read_verb_shows_the_turns_after_a_turn(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It needs no tree; text and JSON tell the same turns, an unfinished one says so."""
    path = str(recorded("codex-interrupt"))
    main(["journal", "read", path, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["host"] == "codex"
    assert [turn["user"] for turn in told["turns"]] == ["first words", "wait for me", "this fails", "go on"]

    assert main(["journal", "read", path, "--since", told["turns"][0]["id"]]) == 0
    shown = capsys.readouterr().out
    assert "first words" not in shown
    assert f"turn={told['turns'][1]['id']} (cancelled)" in shown
    assert not (home / ".memory-skill").exists()
