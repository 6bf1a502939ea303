"""The pack is found, read and rendered the same from a checkout and from a wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest

from memory_skill import config, pack
from memory_skill.errors import NotFound

LONG_COMMAND = "/home/ada.lovelace/.local/share/pipx/venvs/memory-skill/bin/memory-skill"
LONG_HOME = "/home/ada.lovelace/.memory-skill"


@pytest.fixture
def fresh_root() -> Iterator[None]:
    pack.root.cache_clear()
    yield
    pack.root.cache_clear()


def brief(**changed: object) -> str:
    values: dict[str, object] = {
        "home": LONG_HOME,
        "command": LONG_COMMAND,
        "turns": [{"user": "use tabs\nalways", "assistant": "Done."}],
        "more": 0,
        "nearest": [{"address": "knowledge/feedback/tabs.md", "description": "tabs"}],
        "scope": "project:ada-engine",
        "rest": "",
        "summary": 0,
        "tokens": 500,
    }
    return pack.render("templates/brief.md", **values | changed)


def test_checkout_is_the_root() -> None:
    """In a checkout the pack is the repository itself."""
    assert (pack.root() / "pyproject.toml").is_file()


def test_wheel_layout_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_root: None) -> None:
    """An installed package finds the copy inside itself, whatever lies beside it."""
    packed = tmp_path / "site" / "memory_skill" / "_pack"
    packed.mkdir(parents=True)
    (packed / "SKILL.md").write_text("packed")
    (tmp_path / "site" / "SKILL.md").write_text("a stranger's")
    monkeypatch.setattr(pack, "__file__", str(packed.parent / "pack.py"))

    assert pack.read("SKILL.md") == "packed"


def test_missing_pack_says_how_to_mend_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_root: None
) -> None:
    """Code without its pack names the folder and the command that mends it."""
    monkeypatch.setattr(pack, "__file__", str(tmp_path / "memory_skill" / "pack.py"))

    with pytest.raises(NotFound) as caught:
        pack.root()

    assert caught.value.where == str(tmp_path / "memory_skill")
    assert "pip install" in (caught.value.hint or "")


def test_unknown_name_is_not_found() -> None:
    """A file that the pack does not have is an error that names it."""
    with pytest.raises(NotFound, match=r"templates/none\.md"):
        pack.read("templates/none.md")


def test_import_needs_only_the_standard_library() -> None:
    """Reading the law in a hook must not cost the import of jinja2."""
    code = (
        "import sys; from memory_skill import pack; pack.law(command='m', home='h');"
        "print(sorted({'jinja2', 'yaml', 'git', 'click'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_tree_files_are_the_template_folder() -> None:
    """`init` gets each file of templates/tree, hidden ones included, under its path in the new tree."""
    files = pack.tree_files()

    assert list(files) == sorted(
        [
            ".gitattributes",
            ".gitignore",
            "AGENTS.md",
            "config.toml",
            "skills/code-review/SKILL.md",
            "skills/task-planning/SKILL.md",
        ]
    )
    assert files["AGENTS.md"] == (pack.root() / "templates/tree/AGENTS.md").read_bytes()


def test_agents_template_leaves_room_for_the_user() -> None:
    """AGENTS.md may hold 2,500 characters; what we write into it takes a fifth at most."""
    assert len(pack.tree_files()["AGENTS.md"].decode()) <= 500


def test_config_template_is_read_as_the_defaults(home: Path) -> None:
    """A new tree's config.toml changes nothing."""
    tree = home / ".memory-skill"
    tree.mkdir()
    before = config.load({}, tree)
    (tree / "config.toml").write_bytes(pack.tree_files()["config.toml"])

    assert config.load({}, tree) == before


def test_config_template_shows_every_knob_with_its_default(home: Path) -> None:
    """Each knob that a tree may set stands in config.toml behind a `#`, with the value that the code uses."""
    lines = pack.tree_files()["config.toml"].decode().splitlines()
    live = [line.removeprefix("# ") if " = " in line else line for line in lines]
    shown = tomllib.loads("\n".join(line for line in live if not line.startswith("#")))
    defaults = config.Config(home=home)

    open_to_trees = {
        group: {
            knob: getattr(getattr(defaults, group), knob)
            for knob in kind._fields
            if f"{group}.{knob}" not in config.OWN
        }
        for group, kind in config.GROUPS.items()
    }
    assert shown == {"format": config.FORMAT} | {
        group: knobs for group, knobs in open_to_trees.items() if knobs
    }


def test_tree_keeps_turns_and_derived_files_out_of_git(tmp_path: Path) -> None:
    """Journal, working memory and state of a new tree are invisible to its git."""
    for name, data in pack.tree_files().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    for name in ("journal/2026-11-30.md", "working/global.md", ".state/lock", "knowledge/user/ada.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    git = [shutil.which("git") or "git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)

    seen = subprocess.run([*git, "add", "-nA"], capture_output=True, text=True, check=True).stdout

    assert "knowledge/user/ada.md" in seen
    assert not [word for word in ("journal/", "working/", ".state/") if word in seen]


def test_law_is_short() -> None:
    """The law and its table fit 1,000 characters even where the command's path is long."""
    assert len(pack.law(command=LONG_COMMAND, home=LONG_HOME)) <= 1000


def test_law_takes_braces_in_a_path() -> None:
    """A home with braces in its name is put in as it is."""
    assert "/home/{x}/m stays" in pack.law(command="memory-skill", home="/home/{x}/m")


def test_brief_with_a_value_missing_is_an_error() -> None:
    """A caller that forgets a value is told so; the model is never shown half a brief."""
    with pytest.raises(jinja2.UndefinedError):
        pack.render("templates/brief.md", command="memory-skill", home="~", turns=[], nearest=[])


def test_brief_frame_leaves_room_for_turns_and_notes() -> None:
    """The brief's own words leave more than half of its 4,000 characters."""
    assert len(brief(turns=[], nearest=[])) <= 1800


def test_brief_keeps_a_turn_on_its_two_lines() -> None:
    """Line breaks in what was said cannot add lines to the brief."""
    assert "- user: use tabs always\n  reply: Done.\n" in brief()


def test_brief_shows_markup_as_it_is() -> None:
    """What the user typed is not escaped for HTML."""
    assert "a < b && c" in brief(turns=[{"user": "a < b && c", "assistant": ""}])


def test_brief_without_near_notes_has_no_list_of_them() -> None:
    """When nothing is near, the brief does not say that something is."""
    assert "nearest" in brief()
    assert "nearest" not in brief(nearest=[])


def test_brief_counts_the_turns_it_does_not_show() -> None:
    """Turns that did not fit are counted, and the command that shows them stands there."""
    told = brief(more=4, rest=" --since t7 --session s1")
    assert "4 more turns are not quoted here" in told
    assert "journal show --since t7 --session s1`" in told
