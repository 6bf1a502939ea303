"""A memory made of files for coding agents: Markdown notes in a git repository of their own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .memory import Memory as Memory

__version__ = "0.1.0"
__all__ = ["Memory", "__version__"]


def __getattr__(name: str) -> Any:
    """Load `Memory` when it is asked for: `import memory_skill` costs a hook nothing."""
    if name == "Memory":
        from .memory import Memory

        return Memory
    raise AttributeError(name)
