"""A model of the memory beside the memory: random verbs and hand edits must leave both alike (D7)."""

from __future__ import annotations

import shutil
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from .trees import check_order, copied, opened, sentence

FACT = st.integers(0, 60).map(lambda n: sentence(f"m{n}x"))
KINDS = st.sampled_from(["user", "feedback", "reference"])


class Model(RuleBasedStateMachine):
    """*texts* is what each note must say, *stack* the changes that `undo` takes back, the newest last."""

    source: Path
    work: Path

    @initialize()
    def begin(self) -> None:
        folder = self.work / "machine"
        if folder.exists():
            shutil.rmtree(folder)
        self.home = copied(self.source, folder / "memory")
        self.memory = opened(self.home)
        self.texts: dict[str, str] = {}
        self.forgotten: set[str] = set()
        self.dirty = False
        self.last: tuple[str, str, str | None] | None = None  # verb, path, the text before

    @rule(text=FACT, kind=KINDS)
    def save(self, text: str, kind: str) -> None:
        self.settle()
        saved = self.memory.save(text, type=kind)
        if text in self.forgotten:
            assert saved.outcome == "refused"
        elif text in self.texts.values():
            assert saved.outcome == "unchanged"
            assert self.texts[saved.address or ""] == text
        else:
            assert saved.outcome == "saved" and saved.commit
            assert saved.address and saved.address not in self.texts
            self.last = ("save", saved.address, None)
            self.texts[saved.address] = text

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), new=FACT)
    def edit(self, data: st.DataObject, new: str) -> None:
        self.settle()
        path = data.draw(st.sampled_from(sorted(self.texts)))
        if new in self.texts.values() or new in self.forgotten:
            return
        before = self.texts[path]
        body = "---\n{}"  # it stands in the description too
        assert self.memory.edit(path, body.format(before), body.format(new)).outcome == "edited"
        self.last = ("edit", path, before)
        self.texts[path] = new

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), new=FACT)
    def edit_by_hand(self, data: st.DataObject, new: str) -> None:
        path = data.draw(st.sampled_from(sorted(self.texts)))
        if new in self.texts.values() or new in self.forgotten:
            return
        note = self.home / path
        note.write_text(note.read_text().replace(self.texts[path], new))
        self.texts[path], self.dirty, self.last = new, True, None

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        self.settle()
        path = data.draw(st.sampled_from(sorted(self.texts)))
        assert self.memory.forget(path).outcome == "forgotten"
        text = self.texts.pop(path)
        self.forgotten.add(text)
        self.last = ("forget", path, text)

    @precondition(lambda self: self.last and not self.dirty)
    @rule()
    def undo(self) -> None:
        assert self.last
        verb, path, before = self.last
        assert self.memory.undo().kept == ()
        if verb == "save":
            del self.texts[path]
        else:
            assert before is not None
            self.texts[path] = before
            if verb == "forget":
                self.forgotten.discard(before)
        self.last = None

    @rule()
    def settle(self) -> None:
        if self.dirty:
            assert self.memory.settle().damaged == ()
        self.dirty = False

    @rule()
    def rebuild(self) -> None:
        shutil.rmtree(self.home / ".state" / "index", ignore_errors=True)
        self.memory.rebuild_search()
        self.memory.reindex()

    @rule()
    def restart(self) -> None:
        self.memory = opened(self.home)

    @invariant()
    def files_say_what_the_model_says(self) -> None:
        if not hasattr(self, "memory"):
            return
        for path, text in self.texts.items():
            assert text in (self.home / path).read_text(), path
        for text in self.forgotten - set(self.texts.values()):
            assert not any(text in path.read_text() for path in (self.home / "knowledge").rglob("*.md")), text

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.settle()
            check_order(self.memory, deep=False)


def play(source: Path, work: Path, runs: int, steps: int) -> None:
    """*runs* random sequences of *steps* rules. Raises: AssertionError with the shortest that differs."""

    class Here(Model):
        pass

    Here.source, Here.work = source, work
    how = settings(
        max_examples=runs,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Here, settings=how)
