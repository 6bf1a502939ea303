"""What may enter: the ordered rules, and the masking of secrets.

Pure; answers with the text or the rule's name.
The safety rules (empty, size, secrets) hold at every entrance, for pinned entries and imports too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .config import GateKnobs
from .errors import Refused


class Passed(NamedTuple):
    """The text as it may be stored, and the names of the rules that masked a part of it."""

    text: str
    masked: tuple[str, ...]


# Known forms of keys: a fixed prefix, then enough of the alphabet they use. Each is public documentation of
# its provider. A bare word such as "password" is no secret; a form that stands here always is.
_KEYS = {
    "anthropic": r"sk-ant-[A-Za-z0-9_-]{20,}",
    "openai": r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}",
    "github": r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
    "gitlab": r"gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,}",
    "aws": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    "google": r"(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{28})",
    "slack": r"(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,})",
    "slack-hook": r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}",
    "stripe": r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,}",
    "npm": r"npm_[A-Za-z0-9]{36}",
    "pypi": r"pypi-AgEIcHlwaS[A-Za-z0-9_-]{40,}",
    "huggingface": r"hf_[A-Za-z0-9]{30,}",
    "sendgrid": r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}",
    "twilio": r"(?:SK|AC)[0-9a-f]{32}",
    "telegram": r"\d{8,10}:AA[A-Za-z0-9_-]{33}",
    "digitalocean": r"do[oprt]_v1_[0-9a-f]{64}",
    "private-key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    "jwt": r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
}
_SECRET = re.compile("|".join(rf"(?P<{name.replace('-', '_')}>{form})" for name, form in _KEYS.items()))
# The value after a bearer header and the password of a URL: the words around them stay.
_BEARER = re.compile(r"(?i)(authorization:\s*(?:bearer|basic|token)\s+)([A-Za-z0-9._~+/=-]{16,})")
_URL_PASSWORD = re.compile(r"([a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:)([^\s/@]{3,200})(@)", re.IGNORECASE)
_LEFT = re.compile(r"(?<![A-Za-z0-9])$")


def redact(text: str) -> Passed:
    """*text* with every secret of a known form masked whole, no tail left."""
    masked: list[str] = []

    def mask(name: str) -> str:
        masked.append(name)
        return f"[secret: {name}]"

    def key(match: re.Match[str]) -> str:
        if not _LEFT.search(text, 0, match.start()):
            return match.group()  # the middle of a longer word is no prefix
        return mask((match.lastgroup or "key").replace("_", "-"))

    text = _SECRET.sub(key, text)
    text = _BEARER.sub(lambda m: m.group(1) + mask("bearer"), text)
    text = _URL_PASSWORD.sub(lambda m: m.group(1) + mask("url-password") + m.group(3), text)
    return Passed(text, tuple(dict.fromkeys(masked)))


def check(text: str, knobs: GateKnobs, *, where: str | None = None) -> Passed:
    """*text* if it may enter, its secrets masked.

    Raises: Refused with the rule's name: `empty`, `size`, `secret` (when nothing but a secret was given).
    """
    if not text.strip():
        raise Refused("there is no text", rule="empty", where=where, hint='say what to remember: save "…"')
    if len(text) > knobs.max_chars:
        raise Refused(
            f"{len(text):,} characters, at most {knobs.max_chars:,}",
            rule="size",
            where=where,
            hint="save what matters of it, or split it into several notes",
        )
    passed = redact(text)
    if passed.masked and not _says_anything(passed.text):
        raise Refused(
            f"holds a secret ({', '.join(passed.masked)}) and little else",
            rule="secret",
            where=where,
            hint="say where the secret is kept, not what it is",
        )
    return passed


def _says_anything(text: str) -> bool:
    rest = re.sub(r"\[secret: [a-z-]+\]", "", text)
    return sum(c.isalnum() for c in rest) >= 8
