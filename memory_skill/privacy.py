"""Where the memory keeps quiet: switched off, in an incognito session, in a folder that is ignored.

There nothing is journalled, saved or recalled. The prompt hook asks here: standard library only at import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from .config import Config, user_file
from .errors import ConfigError, NotFound, UsageError
from .tree import write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HINTS = {
    "off": "the user switched the memory off; memory-skill on",
    "incognito": "the user wants nothing of this session kept; memory-skill incognito --end",
    "ignored": "the user wants nothing of this folder kept; memory-skill ignore --list",
}


def quiet(config: Config, folder: str | Path, *, incognito: bool = False) -> str:
    """Why the memory keeps quiet in *folder*: `off`, `incognito`, `ignored`; "" where it speaks."""
    if config.privacy.memory == "off":
        return "off"
    if incognito:
        return "incognito"
    return "ignored" if any(matches(glob, folder) for glob in config.privacy.ignore) else ""


def matches(glob: str, folder: str | Path) -> bool:
    """Whether *glob* means *folder* or one above it; without a slash it is the name of one of them."""
    from fnmatch import fnmatchcase

    if not str(folder):
        return False
    place, real = Path(folder).absolute(), Path(folder).resolve()
    wanted = str(Path(glob).expanduser())
    for one in (place, *place.parents, real, *real.parents):
        if fnmatchcase(str(one) if "/" in wanted else one.name, wanted):
            return True
    return False


def switch(env: Mapping[str, str], state: str) -> bool:
    """Turn the memory `on` or `off`, for every tree of this user. Returns: whether that changed anything."""

    def changed(group: Any) -> bool:
        before = group.get("memory", "on")
        group["memory"] = state
        return bool(before != state)

    return _change(env, changed)


def ignore(env: Mapping[str, str], glob: str) -> bool:
    """Keep quiet in the folders that *glob* means. Returns: whether it is new. Raises: UsageError."""
    if not glob.strip() or "\n" in glob or "," in glob:
        raise UsageError(f"no glob: {glob!r}", hint='memory-skill ignore "~/work/acme-*"')

    def changed(group: Any) -> bool:
        known = list(group.get("ignore", []))
        group["ignore"] = [*known, glob] if glob not in known else known
        return glob not in known

    return _change(env, changed)


def heed(env: Mapping[str, str], glob: str) -> bool:
    """Take *glob* back. Raises: NotFound when it is not ignored."""

    def changed(group: Any) -> bool:
        known = list(group.get("ignore", []))
        if glob not in known:
            raise NotFound("is not ignored", where=glob, hint="memory-skill ignore --list")
        group["ignore"] = [one for one in known if one != glob]
        return True

    return _change(env, changed)


def _change(env: Mapping[str, str], change: Callable[[Any], bool]) -> bool:
    """Change the group `privacy` of the user's own file; its comments and other keys stay as they are."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    path = user_file(env)
    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8") if path.is_file() else "")
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise ConfigError(f"is not TOML: {error}", where=str(path), hint=f"mend {path}") from error
    if "privacy" not in document:
        document["privacy"] = tomlkit.table()
    changed = change(document["privacy"])
    if changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, tomlkit.dumps(document).encode("utf-8"))
    return changed
