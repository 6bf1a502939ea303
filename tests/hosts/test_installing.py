"""What `install` leaves on the machine, and what a host does when the package is gone."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from tests.hosts.claude import Claude
from tests.hosts.conftest import Host
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model
from tests.hosts.script import LAW

SETTINGS = """\
{
    "model" : "opus",  "permissions": {"allow": ["Bash(ls:*)"],
      "deny": []},
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
}"""  # the user's own layout, and no newline at the end


def files(home: Path) -> dict[str, bytes]:
    """Every file and folder of the home but the memory itself; a link by its target."""
    found = {}
    for folder, names, leaves in os.walk(home):
        names[:] = [name for name in names if name != ".memory-skill"]
        for name in (*names, *leaves):
            path = Path(folder, name)
            linked = path.is_symlink()
            found[str(path)] = (
                os.fsencode(path.readlink()) if linked else b"" if path.is_dir() else path.read_bytes()
            )
    return found


def test_uninstall_restores_the_home_byte_for_byte(machine: Machine, claude: Claude, kimi: Kimi) -> None:
    """Files that were there are the same bytes, new ones are gone, the memory stays."""
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude/settings.json").write_text(SETTINGS, encoding="utf-8")
    before = files(machine.home)
    machine.memory("install", "--yes")
    assert files(machine.home) != before
    machine.memory("save", "Ada answers to Ada.", "--type", "user", "--name", "name")

    machine.memory("uninstall", "--yes")

    assert files(machine.home) == before
    assert machine.note("name").exists()


def test_uninstall_after_sessions_restores_the_hosts_settings(
    machine: Machine, model: Model, project: Path, claude: Claude, kimi: Kimi
) -> None:
    """The hosts wrote files of their own meanwhile; their settings are as before, and no hook speaks."""
    settings, config = machine.home / ".claude/settings.json", machine.home / ".kimi-code/config.toml"
    settings.parent.mkdir()
    settings.write_text(SETTINGS, encoding="utf-8")
    before = settings.read_bytes(), config.read_bytes()
    machine.memory("install", "--yes")
    for host in (claude, kimi):
        host.say("What is two and two?", cwd=project)
        assert LAW in model.last.said

    machine.memory("uninstall", "--yes")

    assert (settings.read_bytes(), config.read_bytes()) == before
    for host in (claude, kimi):
        host.say("What is two and two?", cwd=project)
        assert LAW not in model.last.said
        assert "memory-skill" not in model.last.said.replace(str(machine.root), "")


def test_second_install_changes_nothing(machine: Machine, claude: Claude, kimi: Kimi) -> None:
    """Hooks are never registered twice."""
    machine.memory("install", "--yes")
    once = files(machine.home)

    machine.memory("install", "--yes")

    assert {path: data for path, data in files(machine.home).items() if "manifest" not in path} == {
        path: data for path, data in once.items() if "manifest" not in path
    }


def environment(machine: Machine) -> Path:
    """A virtual environment in which the package is importable through one path file. Returns: its python."""
    folder = machine.root / "venv"
    machine.run(sys.executable, "-m", "venv", "--without-pip", folder)
    (path_file,) = folder.glob("lib/*/site-packages")
    paths = (sysconfig.get_path("purelib"), str(Path(__file__).parents[2]))
    (path_file / "package.pth").write_text("\n".join(paths) + "\n", encoding="utf-8")
    return folder / "bin/python"


def test_host_goes_on_when_the_package_is_gone(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """The registered interpreter cannot import the package: the hook exits 1, not 2, which would block."""
    python = environment(machine)
    machine.run(python, "-m", "memory_skill", "install", "--yes")
    host.say("What is two and two?", cwd=project)
    assert LAW in model.last.said
    next(python.parents[1].rglob("package.pth")).unlink()
    model.script("Six.", "NOT ASKED FOR")

    answer = host.say("What is three and three?", cwd=project)

    assert answer.text == "Six."
    gone = machine.run(python, "-P", "-m", "memory_skill", "hook", host.name, "stop", check=False)
    assert gone.returncode == 1


def test_host_goes_on_when_the_interpreter_is_gone(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """The whole environment was deleted."""
    python = environment(machine)
    machine.run(python, "-m", "memory_skill", "install", "--yes")
    shutil.rmtree(python.parents[1])
    model.script("Six.", "NOT ASKED FOR")

    answer = host.say("What is three and three?", cwd=project)

    assert answer.text == "Six."


def test_user_settings_survive_install(machine: Machine, claude: Claude) -> None:
    """Everything the user had set is still set, beside ours."""
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude/settings.json").write_text(SETTINGS, encoding="utf-8")

    machine.memory("install", "--yes")

    now = json.loads((machine.home / ".claude/settings.json").read_text(encoding="utf-8"))
    assert now["model"] == "opus"
    assert "Bash(ls:*)" in now["permissions"]["allow"]
    assert {"hooks": [{"type": "command", "command": "true"}]} in now["hooks"]["Stop"]
