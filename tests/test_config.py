"""Every knob: its default, where it is read from, and what is said when it is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memory_skill import config
from memory_skill import config as settings
from memory_skill.config import Config, load, load_for_hook, user_file
from memory_skill.errors import ConfigError


@pytest.fixture
def place(home: Path) -> Path:
    """The folder of the default tree, without any file."""
    folder = home / ".memory-skill"
    (folder / ".state").mkdir(parents=True)
    return folder


def env(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": os.fspath(home), **more}


def write_user_file(home: Path, text: str) -> None:
    path = user_file(env(home))
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_no_file_at_all_gives_the_defaults(home: Path) -> None:
    """Without any config file and variable, each knob has its documented default."""
    config = load(env(home))

    assert config == Config(home=home / ".memory-skill")
    assert (config.distil.every_turns, config.recall.limit, config.history.commit) == (3, 5, "auto")


def test_the_template_names_the_defaults(place: Path, home: Path) -> None:
    """The config.toml that `init` writes says what holds without it."""
    from memory_skill import pack

    (place / "config.toml").write_bytes(pack.tree_files()["config.toml"])

    assert load(env(home)) == Config(home=place)


def test_later_places_win(place: Path, home: Path) -> None:
    """The environment outranks the user's own file, which outranks the tree's."""
    (place / "config.toml").write_text("[recall]\nlimit = 7\nmax_chars = 700\nnote_chars = 701\n")
    write_user_file(home, "[recall]\nlimit = 8\nmax_chars = 800\n")

    config = load(env(home, MEMORY_SKILL_RECALL_LIMIT="9"))

    assert (config.recall.limit, config.recall.max_chars, config.recall.note_chars) == (9, 800, 701)


def test_home_variable_moves_the_tree(home: Path, tmp_path: Path) -> None:
    """`MEMORY_SKILL_HOME` names the tree; a tilde in it is the home folder."""
    assert load(env(home, MEMORY_SKILL_HOME=os.fspath(tmp_path / "m"))).home == tmp_path / "m"
    assert load(env(home, MEMORY_SKILL_HOME="~/m")).home == home / "m"


def test_local_variable_puts_the_tree_into_the_repository(home: Path, tmp_path: Path) -> None:
    """`MEMORY_SKILL_LOCAL` finds the repository's root from a folder inside it, and never commits."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()

    config = load(env(home, MEMORY_SKILL_LOCAL="1"), cwd=tmp_path / "src")

    assert (config.home, config.local, config.commits) == (tmp_path / ".memory-skill", True, False)


@pytest.mark.parametrize("off", ["0", ""])
def test_local_variable_can_be_off(home: Path, off: str) -> None:
    """`MEMORY_SKILL_LOCAL=0` and an empty one mean the tree of the home folder."""
    assert not load(env(home, MEMORY_SKILL_LOCAL=off)).local


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[recal]\nlimit = 5\n", "recal: no such key"),
        ("[recall]\nlimits = 5\n", "recall.limits: no such key"),
        ("recall = 5\n", "recall: no such key"),
        ("[recall]\nlimit = '5'\n", "recall.limit: expected a whole number, found '5'"),
        ("[recall]\nlimit = true\n", "recall.limit: expected a whole number, found True"),
        ("[recall]\nlimit = 0\n", "recall.limit: expected 1 to 100, found 0"),
        ("[index]\nmax_lines = 201\n", "index.max_lines: expected 20 to 200, found 201"),
        ("[history]\ncommit = 'never'\n", "history.commit: expected 'auto' or 'manual', found 'never'"),
        ("[history]\ncommit = ['auto']\n", "history.commit: expected 'auto' or 'manual', found ['auto']"),
        ("format = 'one'\n", "format: expected a whole number from 1, found 'one'"),
        ("format = true\n", "format: expected a whole number from 1, found True"),
        ("format = \n", "is not TOML"),
    ],
)
def test_wrong_key_names_expected_and_found(place: Path, home: Path, text: str, said: str) -> None:
    """An unknown key, group or choice, or a wrong number, is named with the file and a hint; exit code 2."""
    (place / "config.toml").write_text(text)

    with pytest.raises(ConfigError) as caught:
        load(env(home))

    assert said in caught.value.what
    assert caught.value.where == os.fspath(place / "config.toml")
    assert caught.value.hint
    assert caught.value.exit == 2


@pytest.mark.parametrize("given", ["many", "--5", "²", "5.0", "9999"])
def test_wrong_variable_is_named(home: Path, given: str) -> None:
    """A variable of the environment is checked like a key of a file."""
    with pytest.raises(ConfigError, match=r"recall\.limit: expected"):
        load(env(home, MEMORY_SKILL_RECALL_LIMIT=given))


def test_file_of_other_encoding_is_named(place: Path, home: Path) -> None:
    """A config that is no UTF-8 is an error of its own, not a crash."""
    (place / "config.toml").write_bytes(b"[history]\ncommit = '\xff'\n")

    with pytest.raises(ConfigError, match="is not TOML"):
        load(env(home))


def test_byte_order_mark_is_read_over(place: Path, home: Path) -> None:
    """An editor's mark at the start of the file changes nothing."""
    (place / "config.toml").write_bytes(b"\xef\xbb\xbf[recall]\nlimit = 7\n")

    assert load(env(home)).recall.limit == 7


def test_newer_format_is_read_only_whatever_its_keys(place: Path, home: Path) -> None:
    """A tree of a later version stays readable: keys that we do not know yet are left out."""
    (place / "config.toml").write_text(
        "format = 2\n[recall]\nlimit = 7\nfuture = 'x'\n[future]\nkey = 1\n[history]\ncommit = 'hourly'\n"
    )

    config = load(env(home))

    assert (config.writable, config.recall.limit, config.history.commit) == (False, 7, "auto")


def test_only_the_tree_says_its_format(place: Path, home: Path) -> None:
    """The user's own file cannot make a newer tree writable."""
    (place / "config.toml").write_text("format = 2\n")
    write_user_file(home, "format = 1\n")

    with pytest.raises(ConfigError, match="format: no such key"):
        load(env(home))


def test_hook_reads_the_compiled_config(place: Path, home: Path) -> None:
    """The first hook compiles the TOML; the next ones read that, until a file changes."""
    (place / "config.toml").write_text("[recall]\nlimit = 7\n")
    assert load_for_hook(env(home))[0].recall.limit == 7

    compiled = place / ".state" / "config.json"
    found = json.loads(compiled.read_text())
    found["config"]["recall"]["limit"] = 11  # nobody writes this; it shows which file was read
    compiled.write_text(json.dumps(found))
    assert load_for_hook(env(home))[0].recall.limit == 7  # its check does not fit: a bit was flipped

    found["config"]["recall"]["limit"] = 11
    found["check"] = settings._crc(found["stamps"], found["config"])
    compiled.write_text(json.dumps(found))
    assert load_for_hook(env(home))[0].recall.limit == 11

    (place / "config.toml").write_text("[recall]\nlimit = 13\n")
    assert load_for_hook(env(home)) == (load(env(home)), None)


def test_hook_keeps_the_last_valid_config(place: Path, home: Path) -> None:
    """A config that breaks later leaves the last valid one in force, and says what is wrong."""
    (place / "config.toml").write_text("[recall]\nlimit = 7\n")
    load_for_hook(env(home))
    (place / "config.toml").write_text("[recall]\nlimit = 'seven'\n")

    config, trouble = load_for_hook(env(home))

    assert config.recall.limit == 7
    assert trouble is not None
    assert "recall.limit" in trouble


@pytest.mark.parametrize("text", ["", "{", "[]", '{"config": 1}', '{"stamps": [[], []], "config": {"x": 1}}'])
def test_hook_survives_a_torn_compiled_config(place: Path, home: Path, text: str) -> None:
    """Whatever stands in .state/config.json, the hook has a config."""
    (place / ".state" / "config.json").write_text(text)

    assert load_for_hook(env(home))[0] == Config(home=place)


def test_hook_applies_variables_without_compiling_them(place: Path, home: Path) -> None:
    """A variable counts for the hook that has it, and not for the next one."""
    assert load_for_hook(env(home, MEMORY_SKILL_RECALL_LIMIT="9"))[0].recall.limit == 9
    assert load_for_hook(env(home, MEMORY_SKILL_RECALL_LIMIT="9"))[0].recall.limit == 9
    assert load_for_hook(env(home))[0].recall.limit == 5
    config, trouble = load_for_hook(env(home, MEMORY_SKILL_RECALL_LIMIT="no"))
    assert config.recall.limit == 5
    assert trouble


def test_hook_in_a_repository_of_its_own_tree_is_local(home: Path, tmp_path: Path) -> None:
    """A hook told `MEMORY_SKILL_LOCAL` and its folder finds the same tree as the command line."""
    (tmp_path / ".git").mkdir()
    variables = env(home, MEMORY_SKILL_LOCAL="1", PWD=os.fspath(tmp_path))

    config, trouble = load_for_hook(variables)

    assert (config, trouble) == (load(variables, cwd=tmp_path), None)
    assert config.local


@pytest.mark.parametrize("key", sorted(config.OWN))
def test_a_tree_cannot_weaken_the_gate(key: str, home: Path) -> None:
    """Each key of the gate is refused in a tree's own file and read from the user's."""
    group, knob = key.split(".")
    allowed = config.ALLOWED[key]
    lists = (config.HASHES, config.GLOBS)
    value = (
        '["0123456789abcdef"]' if allowed in lists else json.dumps(allowed[-1])
    )  # of words the last letter
    text = f"[{group}]\n{knob} = {value}\n"
    tree, own = home / "tree", home / ".config" / "memory-skill"
    tree.mkdir()
    own.mkdir(parents=True)

    (tree / "config.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=f"{key}: a tree cannot set it"):
        config.load({"HOME": str(home)}, tree)

    (tree / "config.toml").unlink()
    (own / "config.toml").write_text(text, encoding="utf-8")
    found = getattr(getattr(config.load({"HOME": str(home)}, tree), group), knob)
    assert found == (("0123456789abcdef",) if allowed in lists else json.loads(value))
