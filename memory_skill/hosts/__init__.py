"""The hosts: one module each behind `base.Host`, in one literal dict."""

from __future__ import annotations

from . import claude_code, kimi_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base import Host

HOSTS: dict[str, Host] = {
    "claude-code": claude_code,
    "kimi-code": kimi_code,
}
