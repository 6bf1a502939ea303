"""A memory made of files for coding agents: Markdown notes in a git repository of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .memory import Memory as Memory

__version__ = "0.1.0"
__all__ = ["Memory", "__version__"]


def __getattr__(name: str) -> Any:
    """Load `Memory` when it is asked for: `import memory_skill` costs a hook nothing."""
    if name == "Memory":
        from .memory import Memory

        return Memory
    raise AttributeError(name)
