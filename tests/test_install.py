"""`memory_skill.install`: what it writes into the hosts' files, and that it can be taken out again."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_skill import install, pack
from memory_skill.cli import main
from memory_skill.errors import ConfigError, Conflict, MemorySkillError, NotFound, Refused, UsageError
from memory_skill.hosts import HOSTS
from memory_skill.hosts.base import registered
from memory_skill.install import claude_code, jsonfile, kimi_code, manifest, manifests, tomlfile
from memory_skill.install.setup import Setup, interpreter
from memory_skill.memory import Memory

SETTINGS = """\
{
    "model" : "opus",  "permissions": {"allow": ["Bash(ls:*)"],
      "deny": []},
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
}"""  # a person's own layout, and no newline at the end

CONFIG = """\
# The comment must survive.
default_model = "mock"

[[hooks]]
event = "Stop"  # mine
command = "true"

[models.mock]
x = 1
"""


@pytest.fixture
def env(home: Path) -> dict[str, str]:
    """A machine with both hosts, and neither of their commands on PATH."""
    (home / ".claude").mkdir()
    (home / ".kimi-code").mkdir()
    return {"HOME": str(home), "PATH": "/usr/bin:/bin"}


def put_in(env: dict[str, str], **options: Any) -> install.Plan:
    """Install; returns the plan that was carried out."""
    plan = install.plan(env, **options)
    install.install(plan)
    return plan


def take_out(env: dict[str, str], **options: Any) -> install.Removal:
    removal = install.plan_removal(env, **options)
    install.uninstall(removal)
    return removal


def files(home: Path) -> dict[str, bytes]:
    """Every file, folder and link of the home but the memory itself."""
    found = {}
    for place, folders, names in os.walk(home):
        folders[:] = [name for name in folders if name != ".memory-skill"]
        for name in (*folders, *names):
            path = Path(place, name)
            if path.is_symlink():
                found[str(path)] = bytes(path.readlink())
            else:
                found[str(path)] = b"" if path.is_dir() else path.read_bytes()
    return found


def settings_of(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / ".claude/settings.json").read_bytes())
    return found


# --- a plan


def test_plan_writes_nothing(env: dict[str, str], home: Path) -> None:
    """`--dry-run` is the plan alone."""
    before = files(home)

    plan = install.plan(env)

    assert plan.hosts == ("claude-code", "kimi-code")
    assert plan.new_tree
    assert files(home) == before
    assert not (home / ".memory-skill").exists()


def test_dry_run_shows_the_diff_of_each_file(
    env: dict[str, str], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each file that would change has its own header in the output; the allow rules are in it."""
    (home / ".claude/settings.json").write_text('{\n  "model": "opus"\n}\n')

    assert main(["install", "--dry-run"]) == 0

    shown = capsys.readouterr()
    for change in (one for some in install.plan(env).changes.values() for one in some):
        assert str(change.path) in shown.out
    assert '"permissions"' in shown.out
    assert "save, edit and recall without asking" in shown.err
    assert "Nothing was written" in shown.err


def test_no_host_says_how_to_go_on(home: Path) -> None:
    """Without a config folder and without a command on PATH there is nothing to install into."""
    with pytest.raises(NotFound, match="neither") as caught:
        install.plan({"HOME": str(home), "PATH": "/usr/bin:/bin"})

    assert "--host" in (caught.value.hint or "")


def test_host_is_found_by_its_command(home: Path, tmp_path: Path) -> None:
    """A host that was never started has no config folder yet."""
    (tmp_path / "kimi").write_text("#!/bin/sh\n")
    (tmp_path / "kimi").chmod(0o755)

    plan = install.plan({"HOME": str(home), "PATH": f"{tmp_path}:/usr/bin:/bin"})

    assert plan.hosts == ("kimi-code",)


def test_host_option_limits_the_plan(env: dict[str, str], home: Path) -> None:
    """Kimi Code's files stay as they are."""
    put_in(env, hosts=["claude-code"])

    assert list((home / ".kimi-code").iterdir()) == []
    assert not (home / ".agents").exists()


def test_memory_inside_a_repository_is_refused(env: dict[str, str]) -> None:
    """MEMORY_SKILL_LOCAL is a folder of one project; hosts serve all of them."""
    with pytest.raises(UsageError):
        install.plan(env | {"MEMORY_SKILL_LOCAL": "1"})


def test_nobody_at_a_terminal_is_asked(env: dict[str, str], home: Path) -> None:
    """Without --yes and without a terminal nothing happens, and the exit code says so."""
    assert main(["install"]) == 2
    assert not (home / ".memory-skill").exists()


@pytest.mark.parametrize(("answer", "installed"), [("n\n", False), ("y\n", True)])
def test_person_at_a_terminal_decides(
    env: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch, answer: str, installed: bool
) -> None:
    """A no is no error."""

    class Person(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Person(answer))

    assert main(["install", "--host", "claude-code"]) == 0

    assert (home / ".claude/settings.json").exists() == installed


# --- what is in the hosts afterwards


def test_claude_gets_every_hook_in_exec_form(env: dict[str, str], home: Path) -> None:
    """No shell reads the interpreter's path, and `-P` keeps the project's own modules out of the import."""
    put_in(env)

    hooks = settings_of(home)["hooks"]
    for hook in HOSTS["claude-code"].HOOKS:
        ((group,),) = [hooks[hook.event]]
        (command,) = group["hooks"]
        assert command["command"] == interpreter()
        assert [command["command"], *command["args"]] == registered(interpreter(), "claude-code", hook.kind)
        assert "-P" in command["args"]
        assert command["timeout"] == hook.timeout
        assert group.get("matcher", "") == hook.matcher


def test_kimi_gets_every_hook_with_known_keys_only(env: dict[str, str], home: Path) -> None:
    """A fifth key would make the client drop all hooks, the user's own among them."""
    (home / ".kimi-code/config.toml").write_text(CONFIG)

    put_in(env)

    text = (home / ".kimi-code/config.toml").read_text()
    assert text.startswith(CONFIG)
    theirs, *ours = tomllib.loads(text)["hooks"]
    assert theirs == {"event": "Stop", "command": "true"}
    assert [hook["event"] for hook in ours] == [hook.event for hook in HOSTS["kimi-code"].HOOKS]
    assert all(set(hook) <= {"event", "matcher", "command", "timeout"} for hook in ours)
    assert ours[0]["command"] == shlex.join(registered(interpreter(), "kimi-code", "session-start"))


def test_hooks_folder_shows_what_is_registered(home: Path) -> None:
    """`hooks/` in the repository is what install writes, but for the interpreter."""
    setup = Setup(home / ".memory-skill", "/path/to/python", {"HOME": str(home)})

    shown = json.loads(pack.read("hooks/claude-code.json"))["hooks"]
    assert shown == {hook.event: [claude_code.entry(hook, setup)] for hook in HOSTS["claude-code"].HOOKS}
    assert tomllib.loads(pack.read("hooks/kimi-code.toml"))["hooks"] == kimi_code.hooks(setup)


def test_manifests_have_the_version_of_the_package() -> None:
    """The two manifests of the repository are what the code says."""
    checkout = Path(__file__).parents[1]
    claude, kimi = (
        json.loads((checkout / name).read_bytes())
        for name in (".claude-plugin/plugin.json", "kimi.plugin.json")
    )

    assert claude == manifests.claude_plugin()
    assert kimi == manifests.kimi_repository()


def test_user_settings_stay_where_they_are(env: dict[str, str], home: Path) -> None:
    """The text before and between what is ours is the user's, byte for byte."""
    (home / ".claude/settings.json").write_text(SETTINGS)

    put_in(env)

    text = (home / ".claude/settings.json").read_text()
    assert '"model" : "opus",  "permissions": {"allow": ["Bash(ls:*)"' in text
    found = settings_of(home)
    assert found["hooks"]["Stop"][0] == {"hooks": [{"type": "command", "command": "true"}]}
    assert found["permissions"]["deny"] == []


def test_allow_rules_name_three_verbs_only(env: dict[str, str], home: Path) -> None:
    """Never erase, uninstall or serve, and no rule that covers every verb."""
    put_in(env)

    rules = settings_of(home)["permissions"]["allow"]
    assert {rule.rsplit(" ", 2)[1] for rule in rules} == {"save", "edit", "recall"}
    assert all(rule.startswith("Bash(") and rule.endswith(" *)") for rule in rules)


def test_command_on_path_is_allowed_by_its_name(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    """Else only by its path."""
    plain = "Bash(memory-skill save *)"
    put_in(env)
    assert plain not in settings_of(home)["permissions"]["allow"]
    (tmp_path / "memory-skill").write_text("#!/bin/sh\n")
    (tmp_path / "memory-skill").chmod(0o755)

    put_in(env | {"PATH": f"{tmp_path}:/usr/bin:/bin"})

    assert plain in settings_of(home)["permissions"]["allow"]


def test_adopt_points_auto_memory_at_the_tree(env: dict[str, str], home: Path) -> None:
    """The default."""
    put_in(env)

    assert settings_of(home)["autoMemoryDirectory"] == str(home / ".memory-skill")


def test_beside_leaves_auto_memory_alone_and_is_remembered(env: dict[str, str], home: Path) -> None:
    """Also by a second install that does not say it again."""
    put_in(env, mode="beside")
    assert "autoMemoryDirectory" not in settings_of(home)

    assert install.plan(env).empty


def test_moved_tree_is_named_to_every_process(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    """Hooks by an option, the commands of Claude Code's shell by its environment."""
    tree = tmp_path / "elsewhere"

    put_in(env, home=tree)

    found = settings_of(home)
    assert found["env"] == {"MEMORY_SKILL_HOME": str(tree)}
    args = found["hooks"]["Stop"][0]["hooks"][0]["args"]
    assert args[args.index("--home") + 1] == str(tree)


def test_tree_skills_are_behind_one_link_in_each_host(env: dict[str, str], home: Path) -> None:
    """What is learned later is there, too, and no built-in skill of a host is hidden by ours."""
    put_in(env)

    for link in (
        home / ".claude/skills/memory-skill/skills",
        home / ".kimi-code/plugins/managed/memory-skill/skills/learned",
    ):
        assert link.readlink() == home / ".memory-skill/skills"
        assert (link / "task-planning/SKILL.md").is_file()
    assert not (home / ".claude/skills/code-review").exists()


def test_clone_as_skill_folder_keeps_its_files(env: dict[str, str], home: Path) -> None:
    """There is never a second set: the clone is the skill."""
    clone = home / ".claude/skills/memory-skill"
    (clone / ".git").mkdir(parents=True)
    (clone / "SKILL.md").write_text("the clone's own")

    put_in(env)

    assert (clone / "SKILL.md").read_text() == "the clone's own"
    assert not (clone / ".claude-plugin").exists()


def test_kimi_plugin_joins_those_that_are_there(env: dict[str, str], home: Path) -> None:
    """The list of plugins is the user's."""
    registry = home / ".kimi-code/plugins/installed.json"
    registry.parent.mkdir()
    registry.write_text('{"version":1,"plugins":[{"id":"other","root":"/x","enabled":true}]}')

    put_in(env)

    other, ours = json.loads(registry.read_bytes())["plugins"]
    assert other == {"id": "other", "root": "/x", "enabled": True}
    root = Path(ours["root"])
    plugin = json.loads((root / "kimi.plugin.json").read_bytes())
    assert (root / "skills" / plugin["sessionStart"]["skill"] / "SKILL.md").is_file()
    assert {path.name for path in (root / "commands").iterdir()} == {
        "forget.md",
        "memory-status.md",
        "remember.md",
    }


def test_verb_brings_the_session_skill_up_to_date(env: dict[str, str], home: Path) -> None:
    """Kimi Code reads it before any hook runs."""
    put_in(env)
    session = (
        HOSTS["kimi-code"].home(env) / "plugins/managed/memory-skill/skills/memory-skill-session/SKILL.md"
    )
    assert "Ada answers" not in session.read_text()

    assert main(["save", "Ada answers to Ada.", "--type", "user", "--name", "name"]) == 0

    assert "(knowledge/user/name.md)" in session.read_text()


# --- again


def test_second_install_changes_nothing(env: dict[str, str], home: Path) -> None:
    """Not even the time of the manifest."""
    put_in(env)
    before, kept = files(home), manifest.path_of(home / ".memory-skill").read_bytes()

    plan = put_in(env)

    assert plan.empty
    assert files(home) == before
    assert manifest.path_of(home / ".memory-skill").read_bytes() == kept


def test_moved_interpreter_is_mended_in_place(
    env: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--repair` changes the hooks of hosts that have them, and nothing else."""
    put_in(env)
    for name in (".claude/settings.json", ".kimi-code/config.toml"):
        path = home / name
        path.write_text(path.read_text().replace(interpreter(), "/gone/bin/python"))
    before = files(home)

    plan = put_in(env, repair=True)

    assert [str(one.path) for some in plan.changes.values() for one in some] == [
        str(home / ".claude/settings.json"),
        str(home / ".kimi-code/config.toml"),
    ]
    assert "/gone/bin/python" not in json.dumps(settings_of(home)["hooks"])
    assert "/gone/bin/python" not in (home / ".kimi-code/config.toml").read_text()
    assert set(files(home)) == set(before)


def test_repair_leaves_hosts_without_hooks_alone(env: dict[str, str], home: Path) -> None:
    """It mends; it does not install."""
    put_in(env, hosts=["kimi-code"])

    assert install.plan(env, repair=True).hosts == ("kimi-code",)
    take_out(env)
    with pytest.raises(NotFound, match="no host has hooks"):
        install.plan(env, repair=True)


def test_hook_in_a_users_group_is_replaced_there(env: dict[str, str], home: Path) -> None:
    """Whoever merged ours into a group of their own keeps the rest of the group."""
    theirs = {"type": "command", "command": "true"}
    ours = {"type": "command", "command": "/old/python -m memory_skill hook claude-code stop"}
    (home / ".claude/settings.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": [theirs, ours]}]}}))

    put_in(env)

    first, second = settings_of(home)["hooks"]["Stop"]
    assert first == {"hooks": [theirs]}
    assert second["hooks"][0]["command"] == interpreter()


# --- bad input


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        (".claude/settings.json", '{"model": "opus",}', ConfigError),
        (".claude/settings.json", "[]", ConfigError),
        (".claude/settings.json", '{"hooks": []}', ConfigError),
        (".claude/settings.json", '{"hooks": {"Stop": {}}}', ConfigError),
        (".claude/settings.json", '{"permissions": {"allow": "all"}}', ConfigError),
        (".kimi-code/config.toml", "a = \n", ConfigError),
        (".kimi-code/config.toml", 'hooks = "none"\n', ConfigError),
        (".kimi-code/plugins/installed.json", "{", ConfigError),
        (".kimi-code/plugins/installed.json", '{"plugins": {}}', ConfigError),
    ],
)
def test_settings_of_the_wrong_form_stop_everything(
    env: dict[str, str], home: Path, name: str, text: str, error: type[MemorySkillError]
) -> None:
    """The error names the file, and no file of either host is touched."""
    (home / name).parent.mkdir(exist_ok=True)
    (home / name).write_text(text)
    before = files(home)

    with pytest.raises(error) as caught:
        put_in(env)

    assert caught.value.where == str(home / name)
    assert files(home) == before


def test_settings_that_are_a_folder_stop_everything(env: dict[str, str], home: Path) -> None:
    """What cannot be read is not taken for empty."""
    (home / ".claude/settings.json").mkdir()

    with pytest.raises(Refused, match="cannot be read"):
        put_in(env)


def test_blank_settings_count_as_empty(env: dict[str, str], home: Path) -> None:
    """And are blank again afterwards."""
    (home / ".claude/settings.json").write_text("\n")

    put_in(env)
    assert "hooks" in settings_of(home)
    take_out(env)

    assert (home / ".claude/settings.json").read_text() == "\n"


def test_file_that_changed_after_the_plan_is_a_conflict(env: dict[str, str], home: Path) -> None:
    """What the person agreed to is no longer what would happen."""
    plan = install.plan(env)
    (home / ".claude/settings.json").write_text('{"model": "opus"}')

    with pytest.raises(Conflict):
        install.install(plan)

    assert (home / ".claude/settings.json").read_text() == '{"model": "opus"}'
    assert not (home / ".claude/skills").exists()


def test_failure_half_way_puts_everything_back(env: dict[str, str], home: Path) -> None:
    """A file stands where a folder is needed: what was written before it is taken back."""
    (home / ".agents").write_text("a file")
    before = files(home)

    with pytest.raises(Refused, match="nothing was changed"):
        put_in(env)

    assert {path: data for path, data in files(home).items() if Path(path).is_file()} == {
        path: data for path, data in before.items() if Path(path).is_file()
    }


def test_linked_settings_are_written_through(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    """Dotfiles in a repository of their own stay linked, with their mode."""
    real = tmp_path / "settings.json"
    real.write_text('{"model": "opus"}')
    real.chmod(0o640)
    (home / ".claude/settings.json").symlink_to(real)

    put_in(env)

    assert (home / ".claude/settings.json").is_symlink()
    assert "hooks" in json.loads(real.read_bytes())
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    take_out(env)
    assert real.read_text() == '{"model": "opus"}'


# --- out again


@pytest.mark.parametrize("settings", [SETTINGS, '{"a":1}', "{}", '{\r\n\t"a": []\r\n}\r\n', "\ufeff{}"])
def test_uninstall_restores_every_byte(env: dict[str, str], home: Path, settings: str) -> None:
    """Files that were there are as before, new files and folders are gone, the memory stays."""
    (home / ".claude/settings.json").write_bytes(settings.encode())
    (home / ".kimi-code/config.toml").write_text(CONFIG)
    before = files(home)
    put_in(env)
    assert files(home) != before

    removal = take_out(env)

    assert files(home) == before
    assert (home / ".memory-skill/MEMORY.md").is_file()
    assert any(".memory-skill" in line for line in removal.left)


def test_edit_of_the_user_survives_uninstall(env: dict[str, str], home: Path) -> None:
    """Only what is ours goes: hooks, rules, folder; what the user has added since stays where it is."""
    (home / ".claude/settings.json").write_text('{\n  "model": "opus"\n}\n')
    (home / ".kimi-code/config.toml").write_text(CONFIG)
    put_in(env)
    found = settings_of(home)
    found["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "mine"}]})
    found["permissions"]["allow"].append("Bash(ls *)")
    found["model"] = "haiku"
    (home / ".claude/settings.json").write_text(json.dumps(found, indent=2) + "\n")
    config = home / ".kimi-code/config.toml"
    config.write_text(config.read_text() + "\n# later\n[models.other]\nx = 2\n")

    take_out(env)

    assert settings_of(home) == {
        "model": "haiku",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]},
        "permissions": {"allow": ["Bash(ls *)"]},
    }
    assert config.read_text() == CONFIG + "\n# later\n[models.other]\nx = 2\n"


def test_earlier_memory_folder_comes_back(env: dict[str, str], home: Path) -> None:
    """Also when other settings were edited meanwhile."""
    path = home / ".claude/settings.json"
    path.write_text('{"autoMemoryDirectory": "~/notes"}')
    put_in(env)
    path.write_text(json.dumps(settings_of(home) | {"model": "opus"}))

    take_out(env)

    assert settings_of(home) == {"autoMemoryDirectory": "~/notes", "model": "opus"}


def test_memory_folder_that_the_user_has_set_since_stays(env: dict[str, str], home: Path) -> None:
    """It is no longer ours to take away."""
    put_in(env)
    path = home / ".claude/settings.json"
    path.write_text(json.dumps(settings_of(home) | {"autoMemoryDirectory": "~/notes"}))

    take_out(env)

    assert settings_of(home) == {"autoMemoryDirectory": "~/notes"}


def test_edit_between_two_installs_is_kept(env: dict[str, str], home: Path) -> None:
    """The copy of the first install is then no longer what was there before us."""
    path = home / ".claude/settings.json"
    path.write_text('{\n  "model": "opus"\n}\n')
    put_in(env, mode="beside")
    path.write_text(path.read_text().replace("opus", "haiku"))
    put_in(env, mode="adopt")

    take_out(env)

    assert path.read_text() == '{\n  "model": "haiku"\n}\n'


def test_uninstall_works_without_the_tree(env: dict[str, str], home: Path) -> None:
    """The memory was deleted first, and the manifest with it: ours is known by its form."""
    (home / ".claude/settings.json").write_text('{\n  "model": "opus"\n}\n')
    (home / ".kimi-code/config.toml").write_text(CONFIG)
    put_in(env)
    shutil.rmtree(home / ".memory-skill")

    removal = take_out(env)

    assert (home / ".claude/settings.json").read_text() == '{\n  "model": "opus"\n}\n'
    assert (home / ".kimi-code/config.toml").read_text() == CONFIG
    assert not (home / ".claude/skills/memory-skill").exists()
    assert not (home / ".kimi-code/plugins/managed/memory-skill").exists()
    assert not (home / ".memory-skill").exists()
    assert removal.left == ()


def test_uninstall_finds_the_tree_that_the_hooks_name(
    env: dict[str, str], home: Path, tmp_path: Path
) -> None:
    """It was installed with --home, and taken out without."""
    before = files(home)
    put_in(env, home=tmp_path / "elsewhere")

    take_out(env)

    assert files(home) == before


def test_running_watch_is_named(env: dict[str, str], home: Path) -> None:
    """It is no file of a host; the person decides."""
    put_in(env)
    (home / ".memory-skill/.state/watch.json").write_text(json.dumps({"pid": os.getpid()}))

    removal = install.plan_removal(env)

    assert any(f"kill {os.getpid()}" in line for line in removal.left)


def test_uninstall_of_one_host_leaves_the_other(env: dict[str, str], home: Path) -> None:
    """And the manifest with what is left."""
    put_in(env)

    take_out(env, hosts=["kimi-code"])

    assert not (home / ".kimi-code/config.toml").exists()
    assert "hooks" in settings_of(home)
    kept = manifest.read(home / ".memory-skill")
    assert kept and kept.hosts == ["claude-code"]


def test_uninstall_without_install_finds_nothing(env: dict[str, str], home: Path) -> None:
    """And changes nothing."""
    (home / ".claude/settings.json").write_text(SETTINGS)
    before = files(home)

    removal = take_out(env)

    assert removal.changes == ()
    assert files(home) == before


def test_file_of_ours_that_the_user_edited_stays_and_is_named(env: dict[str, str], home: Path) -> None:
    """An edit is the user's, even in a file that we made."""
    put_in(env)
    skill = home / ".claude/skills/memory-skill/SKILL.md"
    skill.write_text(skill.read_text() + "\nMy own line.\n")

    removal = take_out(env)

    assert "My own line." in skill.read_text()
    assert any("you have edited it" in line for line in removal.left)


def test_settings_broken_since_are_left_and_named(env: dict[str, str], home: Path) -> None:
    """The other files are restored all the same."""
    put_in(env)
    (home / ".claude/settings.json").write_text("{")

    removal = take_out(env)

    assert (home / ".claude/settings.json").read_text() == "{"
    assert any("settings.json" in line for line in removal.left)
    assert not (home / ".kimi-code/config.toml").exists()


# --- native notes


def native(home: Path, folder: str, name: str, kind: str, body: str) -> Path:
    path = home / ".claude/projects" / folder / "memory" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = f"name: {name}\ndescription: about {name}\nmetadata:\n  type: {kind}\n  originSessionId: s1"
    path.write_text(f"---\n{head}\n---\n{body}\n")
    return path


def session(home: Path, cwd: Path) -> str:
    """A transcript of a session in *cwd*; returns the name of its folder."""
    folder = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(cwd))
    path = home / ".claude/projects" / folder / "s1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"type":"summary"}\n' + json.dumps({"type": "user", "cwd": str(cwd)}) + "\n")
    return folder


def test_native_notes_are_copied_each_to_its_project(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    """By the path that a transcript tells; user and feedback are global; the originals stay."""
    project = tmp_path / "bil.ling"
    (project / ".git").mkdir(parents=True)
    folder = session(home, project)
    originals = [
        native(home, folder, "rounding", "project", "Amounts are rounded half to even, says the contract."),
        native(home, folder, "tabs", "feedback", "Indent with tabs, in every language."),
    ]
    before = [path.read_bytes() for path in originals]

    plan = put_in(env)

    assert sorted(one.target for one in plan.native) == sorted([str(project), "global"])
    memory = Memory.open(env=env, cwd=project)
    scopes = {item.name: item.scope for item in memory.list(scope="all")}
    assert scopes["tabs"] == "global"
    assert scopes["rounding"] == f"project:{memory.project}"
    raw = (home / ".memory-skill/knowledge/feedback/tabs.md").read_text()
    assert "originSessionId" in raw and str(originals[1]) in raw
    assert [path.read_bytes() for path in originals] == before


def test_native_note_of_an_unknown_project_waits_in_the_inbox(env: dict[str, str], home: Path) -> None:
    """Its project's folder is gone, and no transcript tells where it was."""
    native(home, "-gone-away-somewhere", "rounding", "project", "Amounts are rounded half to even.")

    plan = put_in(env)

    assert [one.target for one in plan.native] == ["inbox"]
    assert [path.name for path in (home / ".memory-skill/inbox").glob("*.md")] == ["rounding.md"]


def test_native_notes_are_copied_once(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    """Also when the copy was forgotten in the meantime: it does not come back."""
    native(home, session(home, tmp_path), "tabs", "feedback", "Indent with tabs, in every language.")
    put_in(env)
    assert Memory.open(env=env).forget("knowledge/feedback/tabs.md").outcome == "forgotten"

    assert install.plan(env).empty


def test_native_notes_stay_untouched_beside(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    """In this mode the client goes on using them."""
    native(home, session(home, tmp_path), "tabs", "feedback", "Indent with tabs, in every language.")

    assert install.plan(env, mode="beside").native == ()


def test_secret_in_a_native_note_is_masked(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    """The gate sees what comes in this way, too."""
    token = "ghp_" + "a1" * 20
    native(
        home,
        session(home, tmp_path),
        "token",
        "reference",
        f"The robot's token for releases is {token} today.",
    )

    put_in(env)

    everything = b"".join(path.read_bytes() for path in (home / ".memory-skill/knowledge").rglob("*.md"))
    assert token.encode() not in everything


# --- the hooks are tried


def test_every_hook_is_run_and_leaves_no_trace(env: dict[str, str], home: Path) -> None:
    """Real processes, in a scratch home: the real tree has seen no session afterwards."""
    plan = put_in(env)
    before = files(home)

    fired = install.fire_hooks(plan)

    assert [(one.host, one.event, one.ok, one.said) for one in fired] == [
        (name, hook.kind, True, "") for name in HOSTS for hook in HOSTS[name].HOOKS
    ]
    assert all(one.ms > 0 for one in fired)
    assert files(home) == before
    assert not (home / ".memory-skill/.state/heartbeats").exists()


def test_interpreter_without_the_package_stops_everything(
    env: dict[str, str], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks that cannot run are not registered."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'No module named memory_skill' >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))

    with pytest.raises(NotFound, match="cannot import"):
        install.plan(env)

    assert not (home / ".memory-skill").exists()


# --- surgical edits

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
LAYOUTS: list[Callable[[Any], str]] = [
    lambda value: json.dumps(value, indent=2) + "\n",
    lambda value: json.dumps(value, indent="\t"),
    lambda value: json.dumps(value),
    lambda value: json.dumps(value, separators=(",", ":")),
    lambda value: json.dumps(value, indent=4).replace("\n", "\r\n"),
]


@given(st.dictionaries(st.text(min_size=1, max_size=4), VALUES, max_size=4), st.sampled_from(LAYOUTS), VALUES)
def test_what_is_put_into_json_can_be_taken_out_again(
    value: dict[str, Any], layout: Callable[[Any], str], new: Any
) -> None:
    """Every other byte stays, whatever the layout."""
    text = layout(value)

    changed = jsonfile.append(jsonfile.put(text, ("new key",), new), ("other key", "list"), new)

    assert jsonfile.load(changed) == {**value, "new key": new, "other key": {"list": [new]}}
    back = jsonfile.drop_items(changed, ("other key", "list"), lambda item: True)
    assert jsonfile.drop(jsonfile.drop(back, ("other key",)), ("new key",)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1\n",
        CONFIG,
        'a = 1\r\n\r\n[[hooks]]\r\nevent = "Stop"\r\ncommand = "x"\r\n',
        '[[hooks]]\nevent = "A"\ncommand = "x"\n\n[m]\nx = 1\n\n[[hooks]]\nevent = "B"\n# end\n',
        'text = """\n[[hooks]]\nevent = "no hook"\n"""\n',
        "hooks = []\n",
    ],
)
def test_hooks_put_into_toml_can_be_taken_out_again(text: str) -> None:
    """Every other byte stays, wherever the user's own hooks stand."""
    new = [{"event": "Stop", "command": "'/a b/python' -m memory_skill hook kimi-code stop", "timeout": 5}]

    changed = tomlfile.add(text, new)

    assert tomlfile.hooks(changed) == [*tomlfile.hooks(text), *new]
    assert tomlfile.remove(changed, lambda hook: hook in new) == text
