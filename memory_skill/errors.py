"""What can go wrong, said so that a person or an agent can act on it.

Every error says what happened and where, and carries a hint: the next command.
The faces print them (`cli`), answer them (`server`) or log them (`hooks`); nothing below a face does.
"""

from __future__ import annotations


class MemorySkillError(Exception):
    """Base of all expected errors. Never raised itself."""

    code = "error"
    exit = 70

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


class UsageError(MemorySkillError):
    """The call itself is wrong: an unknown type, scope or option, or a missing one."""

    code, exit = "usage", 2


class ConfigError(MemorySkillError):
    """A config key is unknown or its value is not of the expected form."""

    code, exit = "config", 2


class NoteError(MemorySkillError):
    """A note whose header cannot be read. Its bytes stay as they are."""

    code, exit = "note", 2


class NotFound(MemorySkillError):
    """No tree, note, entry or commit of that name."""

    code, exit = "not_found", 3


class NoMatch(MemorySkillError):
    """The text to replace stands nowhere in the note."""

    code, exit = "no_match", 4


class SeveralMatches(MemorySkillError):
    """The text to replace stands in the note more than once."""

    code, exit = "several_matches", 4


class Refused(MemorySkillError):
    """The gate does not let the text in; *rule* names the test that it failed."""

    code, exit = "refused", 5

    def __init__(self, what: str, *, rule: str, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what, where=where, hint=hint)
        self.rule = rule


class PathRefused(Refused):
    """A path that leads out of the tree, into its machinery, or to something that is no regular file."""

    code = "path"

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what, rule="path", where=where, hint=hint)


class Locked(MemorySkillError):
    """Somebody else holds the tree's lock for longer than we wait."""

    code, exit = "locked", 6


class Conflict(MemorySkillError):
    """The file is not the one that the caller had read."""

    code, exit = "conflict", 6


class DiskTrouble(MemorySkillError):
    """The disk did not take or give the bytes: full, read-only, failing. What stood there before stands."""

    code, exit = "disk", 6


class GitTrouble(MemorySkillError):
    """Git is missing, too old, or does not accept the commit. The files are written all the same."""

    code, exit = "git", 7


class Unanswered(MemorySkillError):
    """The model that `distil --file` asks gave no answer, or none that can be read."""

    code, exit = "unanswered", 1
