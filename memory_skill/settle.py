"""What a host's own file tool, an editor or `git pull` changed: checked, filed where it belongs, committed.

Needs no daemon: the stop hook, session start, `watch` and a person call it. Claude Code writes flat files at
the tree's root; they are filed by their type, into the project of the session that wrote them.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from . import gate, inbox
from .damage import damage_of, is_conflict_copy
from .errors import GitTrouble, MemorySkillError, NoteError, NotFound, PathRefused, Refused
from .history import Origin
from .note import TYPES, Note, decode, parse, scope_of, skim
from .pending import MAX_DUE
from .salvage import advice
from .sessions import Sessions
from .tree import HOST_FOLDERS, INDEX, MAX_FILE, NOTE_FOLDERS, Tree, digest, sweep_litter, write_atomic
from .write import Message, Writer, group_of, kept_stamps, message, stamp, stamps

ROOT_FILES = ("AGENTS.md", INDEX, "config.toml", "tombstones", ".gitignore", ".gitattributes")
IDENTITY = ".identity.json"
# What keeps a host's new file out until a person decides; the other rules only ask for better words.
HELD = frozenset(
    {"secret", "instruction", "imperative", "temporary", "tool-output", "low-confidence", "unconfirmed"}
)
_DAY = re.compile(r"journal/\d{4}-\d{2}-\d{2}\.md")


@dataclass(frozen=True)
class Settled:
    """What settling did. *filed*: (from, to); *held*: (path in the inbox, reason); *masked*: (path,
    rules); *damaged*: (path, why it cannot be read); *warning*: why there is no commit although one was due.
    """

    changed: tuple[str, ...] = ()
    filed: tuple[tuple[str, str], ...] = ()
    held: tuple[tuple[str, str], ...] = ()
    masked: tuple[tuple[str, str], ...] = ()
    damaged: tuple[tuple[str, str], ...] = ()
    commits: tuple[str, ...] = ()
    warning: str | None = None


@dataclass(frozen=True)
class Writing:
    """Who wrote a file, as far as anybody saw: host and session, and the slug of the session's project."""

    origin: Origin
    project: str = ""


NOBODY = Writing(Origin())


@dataclass
class Report:
    """What is found on the way; becomes a `Settled`."""

    filed: list[tuple[str, str]] = field(default_factory=list)
    held: list[tuple[str, str]] = field(default_factory=list)
    masked: list[tuple[str, str]] = field(default_factory=list)
    damaged: list[tuple[str, str]] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    by: dict[str, Writing] = field(default_factory=dict)

    def damage(self, path: str, reason: str) -> None:
        self.damaged.append((path, gate.redact(reason).text))  # YAML quotes the line that it cannot read


def unsettled(tree: Tree, sessions: Sessions) -> bool:
    """Whether anything changed since the last verb or settle; standard library only."""
    if any(True for _ in tree.loose()) or sessions.writers():
        return True
    from .search import IndexTrouble, Search

    try:
        manifest = Search(tree.state / "search.sqlite").manifest()
    except IndexTrouble:
        return True
    for found in tree.walk():
        if manifest.pop(found.path, (-1, 0))[:2] != (found.size, found.mtime_ns):
            return True
    return bool(manifest) or stamps(tree) != kept_stamps(tree)


def run(writer: Writer, sessions: Sessions) -> Settled:
    """Take up everything; for use inside `Writer.hold`."""
    tree, report = writer.tree, Report()
    swept = _sweep(writer)
    sweep_litter(tree.state)
    writers = {path: Writing(Origin(h, s), p) for path, (h, s, p) in sessions.writers().items()}
    for stat in list(tree.loose()):
        _file(writer, sessions, stat.path, writers.get(stat.path, NOBODY), report)
    for path in [path for path in writers if _misplaced(writer, path)]:
        _hold(writer, path, path, "a host wrote it into a folder that is not its own", writers[path], report)
    for path in [path for path in writers if path != "AGENTS.md" and _is_for_a_person(writer, path)]:
        _set_aside_for_a_person(writer, path, writers[path], report)
    changed = _changed(writer)
    for path in changed:
        report.by.setdefault(path, writers.get(path) or _stamped(writer, sessions, path))
        _check(writer, path, report)
    _mask_others(writer, report)
    report.touched += changed
    groups = {group_of(path) for path in [*report.touched, *_changed_stamps(tree)]}
    indexes = writer.reindex(groups | {""})
    writer.search.refresh(tree)
    commits, warning = _commit(writer, report, indexes)
    stamp(tree, stamps(tree))
    sessions.settled(list(writers))
    for origin in {report.by[path].origin for path in report.touched if path in report.by}:
        if origin.host and origin.session:
            sessions.saved(origin.host, origin.session)
    return Settled(
        tuple(dict.fromkeys(report.touched)),
        tuple(report.filed),
        tuple(report.held),
        tuple(report.masked),
        tuple(report.damaged),
        (*swept, *commits),
        warning,
    )


def _sweep(writer: Writer) -> list[str]:
    """Due commits first: what a verb wrote is not taken for an edit by hand."""
    with contextlib.suppress(GitTrouble, NotFound):
        return writer.sweep(limit=MAX_DUE)
    return []


# --- what changed


def _changed(writer: Writer) -> list[str]:
    """Notes that differ from the search index's manifest or from the last commit, and AGENTS.md."""
    from .search import IndexTrouble

    try:
        manifest = writer.search.manifest()
    except IndexTrouble:
        manifest = {}
    digests = {path: found[2] for path, found in manifest.items()}
    differs = [
        found.path
        for found in writer.tree.walk()
        if manifest.pop(found.path, (-1, 0))[:2] != (found.size, found.mtime_ns)
    ]
    agents = [path for path in _changed_stamps(writer.tree) if path == "AGENTS.md"]
    uncommitted = _uncommitted(writer)
    for path in set(uncommitted) - set(differs):
        _touch(writer.tree, path, digests.get(path))
    return list(dict.fromkeys([*differs, *manifest, *agents, *uncommitted]))


def _touch(tree: Tree, path: str, known: str | None) -> None:
    """Date a file anew whose text is another though size and time are the same: no cache may keep the old."""
    with contextlib.suppress(OSError):
        place = tree.home / path
        if digest(place.read_bytes()) != known:
            os.utime(place)


def _changed_stamps(tree: Tree) -> list[str]:
    """AGENTS.md and the index files that somebody changed or removed."""
    now, kept = stamps(tree), kept_stamps(tree)
    return [path for path in {**kept, **now} if now.get(path) != kept.get(path)]


def _uncommitted(writer: Writer) -> list[str]:
    """Notes that the search index knows and no commit holds: a commit failed, or the index was built anew."""
    return [path for path in _dirty(writer) if path.split("/", 1)[0] in NOTE_FOLDERS and INDEX not in path]


def _stamped(writer: Writer, sessions: Sessions, path: str) -> Writing:
    """The session that Claude Code stamped into a new note's header; a later edit of it may be anybody's."""
    note = writer.note(path)
    who = _by_stamp(note, sessions) if note else NOBODY
    is_old = who != NOBODY and writer.history.exists() and writer.history.content("HEAD", path) is not None
    return NOBODY if is_old else who


def _by_stamp(note: Note, sessions: Sessions) -> Writing:
    session = note.meta.get("originSessionId", "")
    if not session:
        return NOBODY
    record = sessions.read("claude-code", session)
    return Writing(Origin("claude-code", session), record.project)


# --- one file


def _file(writer: Writer, sessions: Sessions, path: str, who: Writing, report: Report) -> None:
    """File a flat note of the tree's root by type and project; what cannot be filed goes to the inbox."""
    try:
        note = parse(writer.tree.read(path), path)
    except NoteError as error:
        return _hold(writer, path, path, error.what, who, report)
    except MemorySkillError as error:
        report.damage(path, error.what)
        return None
    stamped = _by_stamp(note, sessions)
    who = Writing(who.origin if who.origin.host else stamped.origin, who.project or stamped.project)
    root = sessions.read(who.origin.host or "", who.origin.session or "").root if who.origin.host else ""
    kind = note.type if note.headed and _says_type(note) else ""
    if not kind:
        return _hold(writer, path, path, f"its header names no type ({', '.join(TYPES)})", who, report)
    if kind in ("user", "feedback"):
        folder = f"knowledge/{kind}"
    elif who.project:
        folder = f"knowledge/projects/{who.project}"
        claimed = writer.claim_project(Path(root))[1] if root else []
        report.touched += claimed
        report.by |= dict.fromkeys(claimed, who)
    else:
        return _hold(writer, path, path, f"a {kind} note of an unknown project", who, report)
    target = _filed_before(writer, folder, path) or f"{folder}/{path}"
    try:
        gate.check(note.raw, writer.config.gate, where=path)
        _admit(note, who, writer)
    except Refused as error:
        return _hold(writer, path, path, error.what, who, report)
    _mask(writer, path, report)
    writer.tree.write(target, writer.tree.read(path))
    writer.tree.remove(path)
    report.filed.append((path, target))
    report.touched.append(target)
    report.by[target] = who
    return None


def _says_type(note: Note) -> bool:
    return re.search(rf"^\s*type:\s*[\"']?{note.type}\b", note.raw, re.MULTILINE) is not None


def _filed_before(writer: Writer, folder: str, name: str) -> str | None:
    """Where a note of that file name was filed already: names are links, so it is the same note."""
    places = [folder]
    if not folder.startswith("knowledge/projects/"):
        places += [f"knowledge/{kind}" for kind in TYPES]
    return next((f"{p}/{name}" for p in places if (writer.tree.home / p / name).is_file()), None)


def _is_for_a_person(writer: Writer, path: str) -> bool:
    """A host's tool changed the settings, the tombstones or what waits: DESIGN.md decision 7."""
    if path not in ("config.toml", "tombstones", "AGENTS.md") and not path.startswith("inbox/"):
        return False
    return writer.history.exists() and writer.history.content("HEAD", path) is not None


def _set_aside_for_a_person(writer: Writer, path: str, who: Writing, report: Report) -> None:
    """Put back what was committed last; a new text for it waits in the inbox."""
    before = writer.history.content("HEAD", path)
    place = writer.tree.home / path
    if before is None or (_is_file(writer.tree, path) and place.read_bytes() == before):
        return
    reason = f"a session of {who.origin.host} changed {path}"
    if path.startswith("inbox/"):
        report.held.append((path, f"{reason}; it stands as it was"))
        report.touched.append(path)
    elif place.exists():
        _hold(writer, path, f"{path.removesuffix('.toml')}-of-a-session", reason, who, report)
    write_atomic(place, before)


def _misplaced(writer: Writer, path: str) -> bool:
    """A file that a host's tool made in one of our own folders; what we wrote there ourselves is no news."""
    folder = path.split("/", 1)[0]
    if folder not in HOST_FOLDERS or _DAY.fullmatch(path) or not _is_file(writer.tree, path):
        return False
    return writer.history.content("HEAD", path) is None if writer.history.exists() else True


def _is_file(tree: Tree, path: str) -> bool:
    """Whether it is a regular file that no link leads to: a link would bring in what lies outside."""
    place = tree.home / path
    ways = [place, *place.parents]
    return place.is_file() and not any(way.is_symlink() for way in ways[: len(path.split("/"))])


def _bytes(tree: Tree, path: str) -> bytes:
    """A host's file, wherever it put it: the verbs do not read in `.state`. Raises: PathRefused."""
    place = tree.home / path
    if not _is_file(tree, path) or place.stat().st_size > MAX_FILE:
        raise PathRefused("is no file that can be held", where=path)
    return place.read_bytes()


def _hold(writer: Writer, path: str, name: str, reason: str, who: Writing, report: Report) -> None:
    """Move a file to the inbox with the reason above it; nothing of it is lost."""
    source = writer.tree.home / path
    _mask(writer, path, report)
    try:
        raw = decode(_bytes(writer.tree, path), path)
    except MemorySkillError:
        report.damaged.append((path, reason))
        return
    told = _destination(raw, path, who) | {"found": path, "day": date.today().isoformat()}
    told |= {"host": who.origin.host or "", "session": who.origin.session or ""}
    item = inbox.held(writer.tree, Path(name).stem, reason, raw, own=path, **told)
    writer.tree.write(item.path, inbox.form(item).encode("utf-8"))
    if item.path != path:
        source.unlink()
    report.held.append((item.path, reason))
    report.touched.append(item.path)
    report.by[item.path] = who


def _destination(raw: str, path: str, who: Writing) -> dict[str, str]:
    """Where a held file would go, as far as it says so itself."""
    note = skim(raw, path)
    known = path.split("/", 1)[0] in NOTE_FOLDERS
    scope = scope_of(path) if known else f"project:{who.project}" if who.project else ""
    return {"to": path if known else "", "type": note.type if known or note.typed else "", "scope": scope}


def _check(writer: Writer, path: str, report: Report) -> None:
    """Mask the secrets of a changed file before any commit; name the one that cannot be read."""
    try:
        raw = writer.tree.read_or_none(path)
        if raw is None:
            return
        if reason := damage_of(raw, path):
            _set_aside(writer, path, reason, report)
            _mask(writer, path, report)
            return
        try:
            text = decode(raw, path)
            gate.check(text, writer.config.gate, where=path)
            found = parse(text, path)
            who = report.by.get(path, NOBODY)
            if path == "AGENTS.md" or _is_new(writer, path):
                _admit(found, who, writer)
        finally:
            _mask(writer, path, report)
    except Refused as error:
        if path == "AGENTS.md" and error.rule == "instruction" and _is_for_a_person(writer, path):
            _set_aside_for_a_person(writer, path, report.by.get(path, NOBODY), report)
            return
        if error.rule in HELD:
            _hold(writer, path, path, error.what, report.by.get(path, NOBODY), report)
            return
        report.damage(path, error.what)
    except MemorySkillError as error:
        report.damage(path, error.what)


def _is_new(writer: Writer, path: str) -> bool:
    """A note that no commit holds yet: what a host adds to one that stands is for the review."""
    knowledge = path.startswith("knowledge/") and not path.endswith(f"/{INDEX}")
    return knowledge and writer.history.exists() and writer.history.content("HEAD", path) is None


def _admit(found: Note, who: Writing, writer: Writer) -> None:
    """The rules of quality, for what a host's own tool wrote; what a person wrote stands. Raises: Refused."""
    if not who.origin.host or found.pinned:
        return
    candidate = gate.Candidate(
        found.body,
        type="feedback" if found.path == "AGENTS.md" else found.type,  # that file is made of rules
        source=found.meta.get("source", "agent-inferred"),
        by="assistant",
        confidence=found.meta.get("confidence", "").lower(),
    )
    try:
        gate.admit(candidate, knobs=writer.config.gate)
    except Refused as error:
        if error.rule in HELD:
            raise


def _set_aside(writer: Writer, path: str, reason: str, report: Report) -> None:
    """Say what is wrong with a damaged file and how its last good text comes back."""
    with contextlib.suppress(GitTrouble, NotFound):
        reason = f"{reason}; {advice(writer.history, path)}"
    report.damaged.append((path, reason))


def _damaged(writer: Writer, path: str) -> bool:
    """Whether a commit would put damage over good text, or make a note of a conflict's copy."""
    if not path.endswith(".md") or path.rsplit("/", 1)[-1] == INDEX:
        return False
    try:
        raw = writer.tree.read_or_none(path)
    except MemorySkillError:
        return True
    if raw is None or damage_of(raw, path) is None:
        return False
    before = writer.history.content("HEAD", path)
    return is_conflict_copy(path) or (before is not None and damage_of(before, path) is None)


def _mask(writer: Writer, path: str, report: Report) -> None:
    """Mask the secrets of one file, whatever its encoding; all else byte for byte."""
    place = writer.tree.home / path
    if not _is_file(writer.tree, path) or place.stat().st_size > MAX_FILE:
        return
    passed = gate.redact(place.read_bytes().decode("utf-8", "surrogateescape"))
    if passed.masked:
        write_atomic(place, passed.text.encode("utf-8", "surrogateescape"))
        report.masked.append((path, ", ".join(passed.masked)))


def _mask_others(writer: Writer, report: Report) -> None:
    """Mask what will be committed, or loaded by a host, though it is no note: index files, inbox, config."""
    done = {path for path, _ in report.held} | {target for _, target in report.filed} | report.by.keys()
    for path in dict.fromkeys([*_changed_stamps(writer.tree), *_dirty(writer)]):
        if path not in done:
            _mask(writer, path, report)


# --- commits


def _commit(writer: Writer, report: Report, indexes: list[str]) -> tuple[list[str], str | None]:
    """One commit for each who wrote; the index files go with the last."""
    if not writer.config.commits:
        return [], None
    try:
        ours = [path for path in writer.history.dirty() if _ours(writer.tree, path)]
        dirty = [path for path in ours if not _damaged(writer, path)]
    except MemorySkillError as error:
        return [], f"written, not committed ({error.what}); memory-skill settle commits it later"
    groups: dict[Origin, list[str]] = {}
    for path in dirty:
        if path.rsplit("/", 1)[-1] != INDEX:
            groups.setdefault(report.by.get(path, NOBODY).origin, []).append(path)
    rest = [path for path in dirty if path.rsplit("/", 1)[-1] == INDEX]
    if rest and not groups:
        groups[Origin()] = []
    commits, warning = [], None
    for number, (origin, paths) in enumerate(groups.items(), 1):
        listed = paths + (rest if number == len(groups) else [])
        made, trouble = writer.commit(listed, _message(listed, paths, origin, report))
        commits += [made] if made else []
        warning = warning or trouble
    return commits, warning


def _dirty(writer: Writer) -> list[str]:
    """What a commit of ours would take, [] where none is made."""
    try:
        found = writer.history.dirty() if writer.config.commits else []
    except MemorySkillError:
        return []
    return [path for path in found if _ours(writer.tree, path)]


def _ours(tree: Tree, path: str) -> bool:
    """Whether we commit it: no editor's litter, no link, nothing huge, no unspeakable name."""
    parts = path.split("/")
    hidden = any(part.startswith(".") for part in parts) and parts[-1] != IDENTITY
    inside = parts[0] in (*NOTE_FOLDERS, "inbox", "archive", "journal") and path.endswith((".md", IDENTITY))
    if path not in ROOT_FILES and (hidden or not inside):
        return False
    if not _speakable(path):
        return False
    place = tree.home / path
    return not os.path.lexists(place) or (_is_file(tree, path) and place.stat().st_size <= MAX_FILE)


def _speakable(path: str) -> bool:
    return not any(0xD800 <= ord(c) < 0xE000 for c in path)  # bytes that are no UTF-8


def _message(listed: list[str], paths: list[str], origin: Origin, report: Report) -> Message:
    notes = [path for path in paths if not path.endswith(IDENTITY)] or paths or listed
    address = notes[0] if len(notes) == 1 else f"{len(notes)} files"
    who = f"written by a tool of {origin.host}" if origin.host else "edited by hand"
    filed = [f"{source} -> {target}" for source, target in report.filed if target in paths]
    body = "\n".join([who, *(filed or (notes if len(notes) > 1 else []))])
    return message("settle", address, body, origin, "" if origin.host else "hand")


def summary(settled: Settled) -> Iterable[str]:
    """Lines for people, in the order of what matters."""
    for path, reason in settled.damaged:
        yield f"! {path}: {reason}"
    for path, rules in settled.masked:
        yield f"! {path}: a secret was masked ({rules})"
    for path, reason in settled.held:
        yield f"? {path}: waits for you: {reason}"
    for source, target in settled.filed:
        yield f"> {source} filed as {target}"
    for path in settled.changed:
        if path not in [p for _, p in settled.filed] and path not in [p for p, _ in settled.held]:
            yield f"~ {path}"
