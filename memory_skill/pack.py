"""The pack: SKILL.md, templates and hooks, wherever this installation keeps them.

Names are relative to the pack's root and use `/`: `SKILL.md`, `templates/brief.md`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .errors import NotFound
from .text import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    import jinja2

TREE = "templates/tree"
LAW = "templates/law.md"


@cache
def root() -> Path:
    """The folder that holds the pack: `_pack` in a wheel, else the checkout.

    Raises: NotFound when neither has a SKILL.md.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "_pack", package.parent):
        if (folder / "SKILL.md").is_file():
            return folder
    raise NotFound(
        "the pack (SKILL.md, templates, hooks) is not beside the code",
        where=str(package),
        hint="install the package again: pip install --force-reinstall memory-skill-pack",
    )


def read(name: str) -> str:
    """The text of one file of the pack. Raises: NotFound."""
    path = root() / name
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotFound(f"the pack has no {name}", where=str(path)) from None


def law(*, command: str, home: str) -> str:
    """The law and the short table of when to save, at most 1,000 characters; standard library only."""
    return read(LAW).format_map({"command": command, "home": home})


def render(template: str, **values: object) -> str:
    """One template of the pack with *values* filled in, as Markdown (nothing is escaped).

    Raises: NotFound for an unknown template, jinja2.UndefinedError for a value that is missing.
    """
    return _environment().from_string(read(template)).render(**values)


def page(template: str, **values: object) -> str:
    """One template of the pack as HTML: every value is made safe to show and escaped, but for *css*.

    Raises: as `render`.
    """
    from markupsafe import Markup

    css = Markup(str(values.pop("css", "")))  # ours, from the pack
    return _html().from_string(read(template)).render(css=css, **values)


def tree_files() -> dict[str, bytes]:
    """What `init` writes, by path inside the new tree, in sorted order."""
    top = root() / TREE
    files = sorted(path for path in top.rglob("*") if path.is_file())
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in files}


@cache
def _environment() -> jinja2.Environment:
    import jinja2  # 40 ms; hooks that render nothing must not pay for it

    return jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # Markdown for a model: `&lt;` would be noise
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def _html() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=lambda value: safe(value) if type(value) is str else value,  # Markup stays as it is
        trim_blocks=True,
        lstrip_blocks=True,
    )
