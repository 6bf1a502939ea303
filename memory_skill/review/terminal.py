"""The review at a terminal: one change at a time, one key each. Nothing is decided before the end.

Keeps and drops are applied when the person has seen the last change or says `q`; Ctrl-C leaves all as it was.
An edit is saved at once, and `u` takes that back too.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MemorySkillError
from ..note import scope_of, skim
from ..text import one_line, safe, shorten
from .words import Row, Span, rows, telling

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from ..blame import Difference
    from ..changes import Change, Reviewed
    from ..memory import Memory

KEYS = "y keep · n drop · e edit · s skip · u undo · o page · q quit · ?"
HELP = (
    ("y", "keep: it counts as reviewed"),
    ("n", "drop: back to what was reviewed last, by a commit that undo takes back"),
    ("e", "edit the file in $EDITOR, then look at it again"),
    ("s", "skip: it waits for the next review"),
    ("u", "undo the last answer"),
    ("o", "open all changes as a page in the browser"),
    ("q", "quit: what was answered so far is done, the rest waits"),
    ("Ctrl-C", "leave everything as it was"),
)
MAX_ROWS = 60  # lines of one change; the page shows the rest


@dataclass
class Session:
    """One sitting. *answers*: path -> y, n or s, in order; *edits*: the commit of an edit, by path."""

    changes: list[Change]
    answers: dict[str, str] = field(default_factory=dict)
    past: list[tuple[int, str, str]] = field(default_factory=list)  # (place, key, commit of an edit)
    at: int = 0

    @property
    def change(self) -> Change:
        return self.changes[self.at]

    def answered(self, key: str) -> list[str]:
        return [path for path, answer in self.answers.items() if answer == key]


class Keys:
    """The keyboard, a key at a time, for the length of a `with`: what is typed ahead is not lost.

    `click.getchar` would throw it away, since it changes the terminal's mode for each key anew.
    """

    def __enter__(self) -> Keys:
        self.mode: list[Any] | None = None
        with contextlib.suppress(ImportError):  # Windows
            import termios
            import tty

            self.mode = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        return self

    def __exit__(self, *_: object) -> None:
        if self.mode:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self.mode)

    def __call__(self) -> str:
        """The next key in lower case; "" at the end of the input."""
        if self.mode is None:
            import click

            return click.getchar().lower()
        pressed = os.read(sys.stdin.fileno(), 1)
        if pressed == b"\x1b":
            os.read(sys.stdin.fileno(), 8)  # an arrow or a function key
            return "\x1b"
        return pressed.decode("ascii", "replace").lower()

    @contextlib.contextmanager
    def resting(self) -> Iterator[None]:
        """Hand the terminal to another program."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()


def review(memory: Memory, *, open_page: Callable[[], str]) -> Reviewed | None:
    """Ask about every change that waits. *open_page* shows the page, and says where.

    Returns: what was decided, None if nothing waits. Raises: KeyboardInterrupt, with nothing decided.
    """
    with Keys() as key:
        console = _console()
        session = Session(memory.review())
        if not session.changes:
            return None
        console.print(_headline(session.changes))
        while session.at < len(session.changes):
            _show(console, session)
            if not _answer(console, memory, session, key, open_page):
                break
    seen = {change.path: change.after for change in session.changes}
    return memory.decide(session.answered("y"), session.answered("n"), seen)


def _console() -> Console:
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False, soft_wrap=False)


def _answer(
    console: Console, memory: Memory, session: Session, key: Keys, open_page: Callable[[], str]
) -> bool:
    """Take keys until one of them moves on. Returns: False to quit."""
    while True:
        pressed = key()
        if pressed in ("q", "\x04", ""):
            return False
        if pressed in ("y", "n", "s"):
            said = {"y": "kept", "n": "dropped", "s": "skipped"}[pressed]
            console.print(f"  {said}", style={"y": "green", "n": "red", "s": "dim"}[pressed])
            session.answers[session.change.path] = pressed
            session.past.append((session.at, pressed, ""))
            session.at += 1
            return True
        if pressed == "u" and _undo(console, memory, session):
            return True
        if pressed == "e" and _edit(console, memory, session, key):
            return True
        if pressed == "o":
            console.print(f"  {open_page()}", style="dim")
        if pressed == "?":
            console.print(_help())


def _undo(console: Console, memory: Memory, session: Session) -> bool:
    """Go back to the change that was answered last; an edit of it is taken back."""
    if not session.past:
        console.print("  nothing to undo", style="dim")
        return False
    session.at, _, commit = session.past.pop()
    session.answers.pop(session.change.path, None)
    if commit:
        memory.undo(commit)
        _look_again(memory, session)
    return True


def _edit(console: Console, memory: Memory, session: Session, key: Keys) -> bool:
    """Let the person rewrite the note in their editor. Returns: False if nothing came of it."""
    import click

    change = session.change
    if change.kind == "gone":
        console.print("  there is no file to edit: n brings it back", style="dim")
        return False
    try:
        with key.resting():
            text = click.edit(change.after, extension=Path(change.path).suffix, require_save=True)
        if text is None or text == change.after:
            console.print("  not changed", style="dim")
            return False
        edited = memory.rewrite(change.path, text)
    except (MemorySkillError, click.ClickException) as error:
        console.print(f"  not saved: {safe(str(error))}", style="red")
        return False
    session.past.append((session.at, "e", edited.commit or ""))
    _look_again(memory, session)
    return True


def _look_again(memory: Memory, session: Session) -> None:
    """Put the change as it is now in its place; one that is none any more is stepped over."""
    path = session.change.path
    now = next((change for change in memory.review() if change.path == path), None)
    if now:
        session.changes[session.at] = now
    else:
        session.at += 1


# --- what is shown


def _headline(changes: Sequence[Change]) -> str:
    kinds = [change.kind for change in changes]
    parts = [f"{kinds.count(kind)} {kind}" for kind in ("new", "changed", "gone") if kind in kinds]
    sessions = {change.session for change in changes if change.session}
    origin = f" · from {len(sessions)} {'session' if len(sessions) == 1 else 'sessions'}" if sessions else ""
    what = "1 change waits" if len(changes) == 1 else f"{len(changes)} changes wait"
    return f"{what}: {', '.join(parts)}{origin}"


def _show(console: Console, session: Session) -> None:
    from rich.text import Text

    change = session.change
    console.print()
    title = Text(f"{session.at + 1}/{len(session.changes)}  ", style="dim")
    title.append(safe(change.path), style="bold")
    console.print(title.append(f"  {change.kind}", style=_STYLES[change.kind]))
    console.print(_labelled("", " · ".join(_facts(change)), "dim"))
    for badge in change.badges:
        console.print(_labelled("!", badge.text, "bold yellow"))
    if change.asked:
        console.print(_labelled("asked", change.asked, "italic"))
    why = one_line(change.why)
    if why and why not in one_line(change.after):  # the commit of a save only repeats what it saved
        console.print(_labelled("why", shorten(why, 300), "italic"))
    for line in difference(change, plain=console.no_color or not console.is_terminal):
        console.print(line)
    console.print(f"  [{KEYS}]", style="dim")


_STYLES = {"new": "green", "changed": "cyan", "gone": "red", "=": "", "-": "red", "+": "green"}


def _facts(change: Change) -> Iterator[str]:
    note = skim(change.after or change.before, change.path)
    yield note.type
    yield scope_of(change.path)
    yield from (one_line(part) for part in (note.meta.get("source", ""), change.host) if part)
    if len(change.commits) > 1:
        yield f"{len(change.commits)} commits"


def _labelled(label: str, text: str, style: str) -> Any:
    """One paragraph after a label, its further lines indented like the first."""
    from rich.padding import Padding
    from rich.text import Text

    lead = f"{label}  " if label else ""
    return Padding(Text(f"{lead}{safe(text)}", style=style), (0, 0, 0, 2))


def show(change: Change | Difference) -> None:
    """Print one difference under its path, in colour where there is a terminal."""
    console = _console()
    console.print(f"{safe(change.path)}  {change.kind}", style="bold")
    for line in difference(change, plain=console.no_color or not console.is_terminal):
        console.print(line)


def difference(change: Change | Difference, *, plain: bool) -> Iterator[Any]:
    """The header's changed values, then the body's lines."""
    for item in telling(change.before, change.after, change.path):
        spans = [Span(mark, text) for mark, text in (("-", item.old), ("+", item.new)) if text]
        yield _row(Row("~" if len(spans) > 1 else spans[0].mark, tuple(spans)), plain, f"{item.key}: ")
    found = rows(change.before, change.after, change.path)
    for row in found[:MAX_ROWS]:
        yield _row(row, plain)
    if len(found) > MAX_ROWS:
        yield _labelled("", f"… {len(found) - MAX_ROWS} more lines: o shows them all", "dim")


def _row(row: Row, plain: bool, lead: str = "") -> Any:
    from rich.padding import Padding
    from rich.text import Text

    text = Text(f"{' ' if row.mark == '=' else row.mark} {lead}", style="dim" if row.mark in "=…" else "")
    for number, span in enumerate(row.spans):
        if lead and number:
            text.append(" → ")
        _append(text, span, plain and row.mark == "~" and not lead)
    return Padding(text, (0, 0, 0, 2))


def _append(text: Text, span: Span, plain: bool) -> None:
    """One span; without colour a word's mark is written out, as git's word diff does."""
    if plain and span.mark != "=":
        text.append(f"[-{span.text}-]" if span.mark == "-" else "{+" + span.text + "+}")
        return
    strike = " strike" if span.mark == "-" else ""
    text.append(span.text, style=_STYLES[span.mark] + strike if span.mark != "=" else "")


def _help() -> str:
    return "\n".join(f"  {key:<8}{what}" for key, what in HELP)


def closing(done: Reviewed) -> Iterator[str]:
    """What was kept and dropped, and how to take it back, a line each."""
    count = f"{len(done.kept)} kept, {len(done.dropped)} dropped"
    yield f"{count}, {done.waiting} still wait." if done.waiting else f"{count}. Nothing waits."
    for path in done.moved:
        yield f"left to wait, it changed meanwhile: {safe(path)}"
    for path, commit in zip(done.dropped, done.commits, strict=False):
        yield f"dropped {safe(path)}; memory-skill undo {commit} brings it back"


def can_ask() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
