from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..memory import Memory


def page(memory: Memory) -> tuple[str, int]:
    return "", 0
