"""`memory_skill.doctor`: each breakage is found, named, and comes with what helps."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_skill import doctor, install
from memory_skill.cli import main
from memory_skill.doctor import Check, hosts, machine
from memory_skill.events import Events
from memory_skill.hosts import HOSTS
from memory_skill.journal import now
from memory_skill.memory import Memory
from memory_skill.tree import Tree, flock


@pytest.fixture
def env(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin"}


def found(env: dict[str, str], name: str) -> Check:
    """The one check of that name."""
    (check,) = [check for check in doctor.examine(env) if check.name == name]
    return check


def write(memory: Memory, path: str, text: str) -> None:
    target = memory.tree.home / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def config_of_git(memory: Memory, *words: str) -> None:
    path = memory.tree.home / ".git" / "config"
    subprocess.run(["git", "config", "--file", path, *words], check=True)


# --- a sound tree


def test_sound_tree_has_no_error(memory: Memory, env: dict[str, str]) -> None:
    """There are at least a dozen checks, and each says something."""
    memory.save("Ada indents with tabs.", type="user")

    checks = doctor.examine(env)

    assert len(checks) >= 12
    assert all(check.what for check in checks)
    assert [check for check in checks if check.level == "error"] == []


def test_every_problem_comes_with_a_fix(env: dict[str, str]) -> None:
    """Without a tree, without a host."""
    problems = [check for check in doctor.examine(env) if check.level != "ok"]

    assert problems
    assert all(check.fix for check in problems)


def test_exit_code_tells_of_an_error(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """0 with warnings alone; 1 with an error; `--json` lists the problems."""
    assert main(["doctor"]) == 0
    config_of_git(memory, "filter.x.clean", "touch pwned")
    capsys.readouterr()

    assert main(["doctor", "--json"]) == 1

    told = json.loads(capsys.readouterr().out)
    assert told["version"] == 1 and told["ok"] is False
    problem = next(problem for problem in told["problems"] if problem["name"] == "git config")
    assert problem["level"] == "error" and "filter.x.clean" in problem["what"] and problem["fix"]


def test_doctor_changes_nothing(memory: Memory, env: dict[str, str]) -> None:
    """Not a byte of the notes, and no commit."""
    write(memory, "knowledge/user/new.md", "not yet taken up\n")
    files = {path: path.read_bytes() for path in memory.tree.home.rglob("*") if path.is_file()}

    doctor.examine(env)

    after = {path: path.read_bytes() for path in memory.tree.home.rglob("*") if path.is_file()}
    assert {path: data for path, data in after.items() if ".state" not in path.parts} == {
        path: data for path, data in files.items() if ".state" not in path.parts
    }


# --- the tree


def test_missing_tree_is_an_error(env: dict[str, str]) -> None:
    """`init` helps."""
    check = found(env, "tree")

    assert check.level == "error" and check.fix == "memory-skill init"


def test_tree_without_a_repository_is_an_error(memory: Memory, env: dict[str, str]) -> None:
    """There would be no undo."""
    shutil.rmtree(memory.tree.home / ".git")

    assert found(env, "tree").level == "error"


def test_missing_object_is_found_by_fsck(memory: Memory, env: dict[str, str]) -> None:
    """A disk fault, or a sync tool that left something out."""
    memory.save("Ada indents with tabs.", type="user")
    for path in (memory.tree.home / ".git" / "objects").glob("??/*"):
        path.unlink()

    assert found(env, "git fsck").level == "error"


@pytest.mark.parametrize(
    "key", ["filter.x.smudge", "diff.x.textconv", "merge.x.driver", "include.path", "core.sshCommand"]
)
def test_program_in_the_git_config_is_an_error(memory: Memory, env: dict[str, str], key: str) -> None:
    """A tree that comes from somebody else must not run anything."""
    config_of_git(memory, key, "touch pwned")

    check = found(env, "git config")

    assert check.level == "error" and key.lower() in check.what


def test_filter_in_the_attributes_is_an_error(memory: Memory, env: dict[str, str]) -> None:
    """The other half of a filter."""
    write(memory, ".gitattributes", "* -text\n*.md filter=x\n")

    assert found(env, "git config").level == "error"


def test_unfinished_merge_is_an_error(memory: Memory, env: dict[str, str]) -> None:
    """git refuses every commit until it is ended."""
    write(memory, ".git/MERGE_HEAD", "0" * 40 + "\n")

    assert found(env, "merge").level == "error"


def test_old_index_lock_is_an_error(memory: Memory, env: dict[str, str]) -> None:
    """A killed git leaves it; a young one may be at work."""
    left = memory.tree.home / ".git" / "index.lock"
    left.touch()
    assert found(env, "lock").level == "ok"

    os.utime(left, (time.time() - 600, time.time() - 600))

    check = found(env, "lock")
    assert check.level == "error" and check.fix == f"rm {left}"


def test_held_lock_is_told(memory: Memory, env: dict[str, str]) -> None:
    """Somebody is writing just now: no fault."""
    with flock(memory.tree.state / "lock"):
        assert found(env, "lock").level == "warning"


def test_world_writable_tree_is_an_error(memory: Memory, env: dict[str, str]) -> None:
    """Any user of the machine could put words into every session."""
    (memory.tree.home / "knowledge").chmod(0o777)

    assert found(env, "permissions").level == "error"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\nname: [\n---\nbody\n", "header"),
        ("<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", "half of a conflict"),
    ],
)
def test_unreadable_note_is_named(memory: Memory, env: dict[str, str], text: str, reason: str) -> None:
    """With what is wrong with it."""
    write(memory, "knowledge/user/bad.md", text)

    check = found(env, "notes")

    assert check.level == "warning"
    assert "knowledge/user/bad.md" in check.what and reason in check.what


def test_link_in_the_tree_is_named(memory: Memory, env: dict[str, str], tmp_path: Path) -> None:
    """It is not read; the person may think that it is."""
    (memory.tree.home / "knowledge" / "out").symlink_to(tmp_path)

    check = found(env, "links")

    assert check.level == "warning" and "knowledge/out" in check.what


def test_two_notes_of_a_name_are_named(memory: Memory, env: dict[str, str]) -> None:
    """`[[tabs]]` would lead to either."""
    write(memory, "knowledge/user/tabs.md", "a\n")
    write(memory, "knowledge/feedback/tabs.md", "b\n")

    check = found(env, "names")

    assert check.level == "warning" and "knowledge/user/tabs.md" in check.what


def test_paths_that_differ_in_case_are_named(memory: Memory, env: dict[str, str]) -> None:
    """On other disks one of them would be gone."""
    write(memory, "knowledge/user/Tabs.md", "a\n")
    write(memory, "knowledge/user/tabs.md", "b\n")

    check = found(env, "names")

    assert check.level == "warning" and "case" in check.what


def test_planted_key_is_named_and_not_shown(memory: Memory, env: dict[str, str]) -> None:
    """By its file and its kind."""
    token = "ghp_" + "a1" * 20
    write(memory, "knowledge/user/token.md", f"the robot's token is {token}\n")

    check = found(env, "secrets")

    assert check.level == "warning"
    assert "knowledge/user/token.md" in check.what and token not in check.what


def test_index_over_its_bounds_is_an_error(memory: Memory, env: dict[str, str]) -> None:
    """A host would cut it."""
    write(memory, "MEMORY.md", "a line of my own\n" * 300)

    assert found(env, "index").level == "error"


def test_pointer_to_nothing_is_a_warning(memory: Memory, env: dict[str, str]) -> None:
    """A note was deleted by hand."""
    memory.save("Ada indents with tabs.", type="user", name="tabs")
    (memory.tree.home / "knowledge/user/tabs.md").unlink()

    check = found(env, "index")

    assert check.level == "warning" and "knowledge/user/tabs.md" in check.what


def test_long_agents_file_is_a_warning(memory: Memory, env: dict[str, str]) -> None:
    """What is over the limit is not loaded."""
    write(memory, "AGENTS.md", "- " + "x" * 2500 + "\n")

    assert found(env, "AGENTS.md").level == "warning"


def test_edit_by_hand_is_told_until_it_is_settled(memory: Memory, env: dict[str, str]) -> None:
    """`settle` helps."""
    write(memory, "knowledge/user/new.md", "not yet taken up\n")
    check = found(env, "edits")
    assert check.level == "warning" and check.fix == "memory-skill settle"

    memory.settle()

    assert found(env, "edits").level == "ok"


def test_broken_search_index_is_a_warning(memory: Memory, env: dict[str, str]) -> None:
    """It is derived: rebuilding loses nothing."""
    write(memory, ".state/search.sqlite", "no database\n" * 100)

    assert found(env, "search index").level == "warning"


def test_wrong_config_key_is_an_error(memory: Memory, env: dict[str, str]) -> None:
    """It is named, and the other checks go on."""
    write(memory, "config.toml", "format = 1\n[recall]\nlimit = 0\n")

    check = found(env, "config")

    assert check.level == "error" and "recall.limit" in check.what
    assert found(env, "tree").level == "ok"


def test_full_disk_is_an_error(memory: Memory, env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be saved."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(1, 1, 0))

    assert found(env, "disk").level == "error"


# --- the machine


def test_missing_git_is_an_error(
    memory: Memory, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes are still written."""
    monkeypatch.setenv("PATH", str(tmp_path))

    assert found(env, "git").level == "error"


def test_old_git_is_an_error(
    memory: Memory, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lacks an option that every commit needs."""
    (tmp_path / "git").write_text("#!/bin/sh\necho git version 2.20.1\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    check = found(env, "git")

    assert check.level == "error" and "2.20.1" in check.what


def test_package_of_the_same_import_name_is_a_warning(
    memory: Memory, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both would write into one folder."""
    assert found(env, "python").level == "ok"
    (tmp_path / "memory_skill-9.dist-info").mkdir()
    (tmp_path / "memory_skill-9.dist-info/METADATA").write_text("Name: memory-skill\nVersion: 9\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert machine.python(doctor.Case(env, memory.config)).level == "warning"


# --- the hosts


@pytest.fixture
def installed(home: Path, env: dict[str, str]) -> dict[str, str]:
    """Both hosts, with the memory in them."""
    for name in (".claude", ".kimi-code"):
        (home / name).mkdir()
    install.install(install.plan(env))
    return env


def heartbeats(home: Path, *, trouble: str = "") -> None:
    events = Events(home / ".memory-skill/.state")
    for name, host in HOSTS.items():
        for hook in host.HOOKS:
            events.heartbeat(name, hook.kind, 20, not trouble, trouble)


def test_fresh_install_warns_of_hooks_never_seen_alone(installed: dict[str, str]) -> None:
    """Everything is in place; the hosts have not been opened yet."""
    problems = [check for check in doctor.examine(installed) if check.level != "ok"]

    assert {check.name for check in problems} == {"claude-code heartbeat", "kimi-code heartbeat"}
    assert {check.level for check in problems} == {"warning"}


def test_hooks_that_ran_are_told_with_their_time(installed: dict[str, str], home: Path) -> None:
    """Then nothing is left to complain of."""
    heartbeats(home)

    assert {check.level for check in doctor.examine(installed)} == {"ok"}


def without_stop(home: Path) -> None:
    path = home / ".claude/settings.json"
    settings = json.loads(path.read_bytes())
    del settings["hooks"]["Stop"]
    path.write_text(json.dumps(settings))


def twice(home: Path) -> None:
    path = home / ".kimi-code/config.toml"
    path.write_text(path.read_text() * 2)


def gone(home: Path) -> None:
    path = home / ".claude/settings.json"
    settings = json.loads(path.read_bytes())
    settings["hooks"]["Stop"][0]["hooks"][0]["command"] = "/gone/python"
    path.write_text(json.dumps(settings))


def broken(home: Path) -> None:
    (home / ".claude/settings.json").write_text("{")


def switched_off(home: Path) -> None:
    path = home / ".claude/settings.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"disableAllHooks": True}))


def no_skill(home: Path) -> None:
    (home / ".claude/skills/memory-skill/SKILL.md").unlink()


def no_plugin(home: Path) -> None:
    (home / ".kimi-code/plugins/installed.json").write_text('{"version": 1, "plugins": []}')


def no_session_skill(home: Path) -> None:
    (home / ".kimi-code/plugins/managed/memory-skill/skills/memory-skill-session/SKILL.md").unlink()


@pytest.mark.parametrize(
    ("breakage", "name", "fix"),
    [
        (without_stop, "claude-code hooks", "memory-skill install"),
        (twice, "kimi-code hooks", "memory-skill install"),
        (gone, "claude-code interpreter", "memory-skill install --repair"),
        (broken, "claude-code settings", "mend"),
        (switched_off, "claude-code policy", "settings.json"),
        (no_skill, "claude-code files", "memory-skill install"),
        (no_plugin, "kimi-code plugin", "memory-skill install"),
        (no_session_skill, "kimi-code files", "memory-skill install"),
    ],
)
def test_broken_host_is_an_error(
    installed: dict[str, str], home: Path, breakage: Callable[[Path], None], name: str, fix: str
) -> None:
    """Each comes with the command that mends it."""
    heartbeats(home)
    breakage(home)

    check = found(installed, name)

    assert check.level == "error" and fix in check.fix


@pytest.mark.parametrize("breakage", [without_stop, twice, gone, no_skill, no_plugin, no_session_skill])
def test_install_mends_what_doctor_found(
    installed: dict[str, str], home: Path, breakage: Callable[[Path], None]
) -> None:
    """The fix that is named is one."""
    heartbeats(home)
    breakage(home)

    install.install(install.plan(installed))

    assert [check for check in doctor.examine(installed) if check.level == "error"] == []


def test_failing_hook_is_an_error(installed: dict[str, str], home: Path) -> None:
    """With what it said last."""
    heartbeats(home, trouble="OSError: no space")

    check = found(installed, "claude-code heartbeat")

    assert check.level == "error" and "no space" in check.what


def test_host_used_without_its_hooks_is_an_error(installed: dict[str, str], home: Path) -> None:
    """A transcript of today, a heartbeat of last week."""
    heartbeats(home)
    transcript = home / ".claude/projects/-x/s.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.touch()
    late = time.time() + 3600
    os.utime(transcript, (late, late))

    check = found(installed, "claude-code heartbeat")

    assert check.level == "error" and "last ran" in check.what


def test_failure_in_the_log_is_a_warning(installed: dict[str, str], home: Path) -> None:
    """An old one is not."""
    events = Events(home / ".memory-skill/.state")
    events.log({"host": "claude-code", "event": "stop", "what": "ValueError: torn"})

    check = found(installed, "events log")

    assert check.level == "warning" and "torn" in check.what and now()[:4] not in check.fix


def test_old_host_is_a_warning(installed: dict[str, str], home: Path, tmp_path: Path) -> None:
    """It would run our hooks as a bare interpreter."""
    (tmp_path / "claude").write_text("#!/bin/sh\necho '2.0.1 (Claude Code)'\n")
    (tmp_path / "claude").chmod(0o755)

    check = found(installed | {"PATH": f"{tmp_path}:/usr/bin:/bin"}, "claude-code version")

    assert check.level == "warning" and "2.0.1" in check.what


def test_config_that_kimi_refuses_is_an_error(installed: dict[str, str], home: Path, tmp_path: Path) -> None:
    """One bad hook of the user's own, and the client drops all."""
    (tmp_path / "kimi").write_text("#!/bin/sh\necho 'hooks[0].event: Invalid option'\nexit 1\n")
    (tmp_path / "kimi").chmod(0o755)

    check = found(installed | {"PATH": f"{tmp_path}:/usr/bin:/bin"}, "kimi-code config")

    assert check.level == "error" and "hooks[0].event" in check.what


def test_managed_policy_is_an_error(
    installed: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever administers the machine has switched users' hooks off."""
    (tmp_path / "managed.json").write_text('{"allowManagedHooksOnly": true}')
    monkeypatch.setattr(hosts, "MANAGED", tmp_path / "managed.json")

    assert found(installed, "claude-code policy").level == "error"


def test_hooks_of_another_tree_are_told(installed: dict[str, str], tmp_path: Path) -> None:
    """The tree that is examined is not the one that the hosts use."""
    other = Tree(tmp_path / "other")
    Memory.open(other.home, env=installed, cwd=tmp_path).init()

    checks = doctor.examine(installed, other.home)

    assert {check.level for check in checks if check.name.endswith(" tree")} == {"warning"}


def test_check_that_fails_itself_is_a_finding(
    memory: Memory, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are still told."""

    def burst(home: Path) -> Path:
        raise RuntimeError("boom")

    monkeypatch.setattr("memory_skill.doctor.tree.unsettled", lambda *_: burst(Path()))

    check = found(env, "settled")

    assert check.level == "error" and "boom" in check.what
    assert found(env, "search index").level == "ok"
