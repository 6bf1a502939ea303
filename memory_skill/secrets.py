"""Find what must not be remembered: keys, passwords, private spans; and mask it whole, no tail left.

Standard library only, since every hook runs it. A pattern is compiled when a text holds its literal; each is
linear, and so is the whole.
"""

# ruff: noqa: E501  (a pattern is read as one line)
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from math import log2

from .light import NamedTuple, sha256
from .secret_forms import (
    EXAMPLES,
    FORMS,
    KEY_WORDS,
    LEAST,
    NOT_KEY_AFTER,
    PASSWORD_WORDS,
    PLACEHOLDERS,
    PRODUCTS,
    UNKNOWN_FORM,
    WEAK_WORDS,
    Form,
)


class Finding(NamedTuple):
    """Where a secret stands, what kind it is, and its sha256, by whose first digits a person allows it."""

    start: int
    end: int
    name: str
    hash: str


class Redacted(NamedTuple):
    """The text without its secrets, and the names of what was masked."""

    text: str
    masked: tuple[str, ...]


LEAST_DIGITS = 8  # of a hash in `gate.allow`
_allowed: frozenset[str] = frozenset(EXAMPLES)


def allow(hashes: Iterable[str]) -> None:
    """Let pass, in this process, what has one of these sha256 prefixes; the vendors' examples always pass.

    The one global of the package: masking happens in places that know no config, and last.
    """
    global _allowed
    _allowed = frozenset(EXAMPLES) | {prefix.casefold() for prefix in hashes if len(prefix) >= LEAST_DIGITS}


def redact(text: str) -> Redacted:
    """*text* with every secret replaced by `[secret: name]`."""
    parts: list[str] = []
    names: list[str] = []
    at = 0
    for found in find(text):
        mask = "[private]" if found.name == "private" else f"[secret: {found.name}]"
        parts += [text[at : found.start], mask]
        names.append(found.name)
        at = found.end
    if not names:
        return Redacted(text, ())
    return Redacted("".join([*parts, text[at:]]), tuple(dict.fromkeys(names)))


def find(text: str) -> list[Finding]:
    """The secrets of *text* in order; none overlaps another."""
    spans = [
        *_private(text),
        *_blocks(text),
        *_forms(text),
        *_addresses(text),
        *_headers(text),
        *_pairs(text),
        *_announced(text),
    ]
    merged: list[tuple[int, int, str]] = []
    for rank, (start, end, name) in sorted(enumerate(spans), key=lambda item: (item[1][0], item[0])):
        if merged and start < merged[-1][1]:
            last = merged[-1]
            kept = last[2] if rank >= _rank(spans, last) or name == last[2] else name
            merged[-1] = (last[0], max(last[1], end), kept)
        else:
            merged.append((start, end, name))
    found = [Finding(a, b, name, _hash(text[a:b])) for a, b, name in merged]
    return [one for one in found if not any(one.hash.startswith(prefix) for prefix in _allowed)]


def _rank(spans: list[tuple[int, int, str]], span: tuple[int, int, str]) -> int:
    return next(
        (i for i, (start, _, name) in enumerate(spans) if (start, name) == (span[0], span[2])), len(spans)
    )


def _hash(value: str) -> str:
    return sha256(value.encode("utf-8", "replace")).hexdigest()


Span = tuple[int, int, str]


@cache
def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern, flags)


# --- what has a form of its own

_PRIVATE = r"(?<![`\w])<private>[\s\S]*?(?:</private>|\Z)"
_BLOCK = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:(?!-----BEGIN)[\s\S]){1,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:(?:\s*\n[ \t>]*|\\r?\\n|\\n)(?:[A-Za-z0-9+/=]{4,}(?=\s|\\|[\"']|\Z)|[A-Z][A-Za-z-]+: [^\n\\]*))+\s*)"
)
_PUTTY = r"PuTTY-User-Key-File-\d: [^\n]*\n(?:[^\n]*\n){1,60}?Private-MAC: [0-9a-f]+"


def _private(text: str) -> Iterator[Span]:
    if "<private>" in _caseless(text):
        for match in _compiled(_PRIVATE, re.IGNORECASE).finditer(text):
            yield *match.span(), "private"


def _blocks(text: str) -> Iterator[Span]:
    if "PRIVATE KEY" in text and "-----BEGIN" in text:
        for match in _compiled(_BLOCK).finditer(text):
            yield *match.span(), "private-key"
    if "PuTTY-User-Key-File" in text:
        for match in _compiled(_PUTTY).finditer(text):
            yield *match.span(), "private-key"


LEAST_RUN, LEAST_NAMED = 20, 32  # letters and digits in a row of a key whose form nobody told us
_SIGNS = dict.fromkeys(map(ord, "-_./:+=#?&,;()[]{}<>|`'\"@"), " ")


def _forms(text: str) -> Iterator[Span]:
    longer = [word for word in text.split() if len(word) >= LEAST]
    if not longer:
        return
    whole, longest = "\n".join(longer), max(map(len, longer))
    for form in FORMS:
        if longest >= form.least and _holds(whole, form.hints):
            for match in _compiled(f"(?<![A-Za-z0-9])(?:{form.pattern})").finditer(text):
                if _is_key(form, match.group()):
                    yield *match.span(), form.name
    run = max(map(len, whole.translate(_SIGNS).split()), default=0)
    if run >= LEAST_RUN and ("_" in whole or "-" in whole):
        for match in _compiled(f"(?<![A-Za-z0-9_.-]){UNKNOWN_FORM}", re.IGNORECASE).finditer(text):
            if _looks_random(match.group(1), 20) and not _is_hash(match.group(1)):
                yield *match.span(), "key"
    if run >= LEAST_NAMED and "_" in whole:
        for match in _compiled(
            r"(?<![A-Za-z0-9_./-])[a-z]{2,6}_([A-Za-z0-9]{32,120})(?![A-Za-z0-9_])"
        ).finditer(text):
            tail = match.group(1)
            if _very_random(tail) and all(
                any(map(kind, tail)) for kind in (str.isupper, str.islower, str.isdigit)
            ):
                yield *match.span(), "key"


def _hint_of(form: Form, value: str) -> str:
    return next((hint for hint in form.hints.split() if value.startswith(hint)), "")


def _holds(text: str, literals: str) -> bool:
    """Whether one of the *literals*, parted by blanks, stands in *text*."""
    if " " not in literals:
        return literals in text
    return any(map(text.__contains__, literals.split()))


def _is_key(form: Form, value: str) -> bool:
    if "example" in value.casefold() or len(set(value[len(_hint_of(form, value)) :])) <= 3:
        return False
    return form.plain or (not _is_wordy(value) and any(c.isdigit() for c in value))


# --- addresses and headers: the words around them stay

_URL = r"[a-z][a-z0-9+.-]{1,20}://([^\s/:@\"'`<>]{0,100}):([^\s/\"'`<>]{2,300})@(?=[\w\[$.-])"
_URL_TOKEN = r"[a-z][a-z0-9+.-]{1,20}://([A-Za-z0-9_~.-]{16,300})@(?=[\w-]+\.)"
_HEADER = (
    r"(?:authorization|x-[a-z-]{0,30}(?:key|token|secret|auth)|api-?key|private-token|cookie)[\"']?\s?[:=]\s?"
    r"[\"']?(?:(?:bearer|basic|token|apikey|digest|key|negotiate)\s+)?([A-Za-z0-9._~+/=%-]{12,4096})"
)
_BEARER = r"(?<![a-z])(?:bearer|basic|ssws|genie-?key|splunk)\s+([A-Za-z0-9._~+/=-]{16,4096})"
_ARGUMENT = (
    r"(?:\b(?:curl|wget|http|https)\b[^\n]{0,160}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'@/]{1,60}:"
    r"|\b(?:mysql\w*|mariadb\w*|sshpass|(?:docker|podman|helm|oras) (?:registry )?login)\b[^\n]{0,120}?\s-p ?[\"']?"
    r"|\bnet user \S{1,60} )([^\s\"'`]{4,100})"
)


_LOGIN_WORDS = ("login", "log in", "signin", "sign in", "cred", "zugangsdaten", "anmeldung", "账号", "账户")
_LOGIN = (
    r"(?<![a-z])(?:log ?in|sign ?in|logins?|credentials?|creds|zugangsdaten|anmeldung|账号|账户)(?![a-z])[^\n/]{0,24}?"
    r"(?<![\w.@/:-])[\w.@-]{2,40}\s?[/:|]\s?([^\s\"'`<>,]{6,60})"
)
_PGPASS = r"^[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w.*-]{1,60}:(\S{4,100})$"
_SEED = (
    r"(?:seed|mnemonic|recovery phrase|recovery words|wallet|助记词|wiederherstellungs)[^\n]{0,40}?"
    r"((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"
)


def _pairs(text: str) -> Iterator[Span]:
    """Name and password side by side, lines of a .pgpass, the words of a wallet."""
    low = _caseless(text)
    if ("/" in text or ":" in text or "|" in text) and any(map(low.__contains__, _LOGIN_WORDS)):
        for match in _compiled(_LOGIN, re.IGNORECASE).finditer(text):
            value = match.group(1).rstrip(".,;:!?)")
            if _has_both(value) and _is_password(value, sure=True) and not value.startswith("/"):
                yield match.start(1), match.start(1) + len(value), "password"
    if any(word.count(":") >= 4 for word in text.split()):
        for match in _compiled(_PGPASS, re.MULTILINE).finditer(text):
            if _is_password(match.group(1), sure=True):
                yield *match.span(1), "password"
    if any(word in low for word in ("seed", "mnemonic", "recovery", "wallet", "助记词", "wiederherst")):
        for match in _compiled(_SEED, re.IGNORECASE).finditer(text):
            yield *match.span(1), "seed-phrase"


def _addresses(text: str) -> Iterator[Span]:
    if "://" not in text or "@" not in text:
        return
    for match in _compiled(_URL, re.IGNORECASE).finditer(text):
        user, value = match.groups()
        if (
            not _is_placeholder(value)
            and not value.startswith("[")
            and not (value.isdigit() and len(value) < 6 and not user)
        ):
            yield *match.span(2), "url-password"
    for match in _compiled(_URL_TOKEN, re.IGNORECASE).finditer(text):
        if _looks_random(match.group(1), 16):
            yield *match.span(1), "url-password"


def _headers(text: str) -> Iterator[Span]:
    low = _caseless(text)
    if any(word in low for word in ("authorization", "x-", "api-key", "apikey", "private-token", "cookie")):
        for match in _compiled(_HEADER, re.IGNORECASE).finditer(text):
            if not _is_placeholder(match.group(1)) and any(map(str.isdigit, match.group(1))):
                yield *match.span(1), "bearer"
    if any(word in low for word in ("bearer", "basic", "ssws", "geniekey", "splunk")):
        for match in _compiled(_BEARER, re.IGNORECASE).finditer(text):
            if not _is_placeholder(match.group(1)) and _has_both(match.group(1)):
                yield *match.span(1), "bearer"
    calls = ("-u" in low or "--user" in low) and ("curl" in low or "http" in low or "wget" in low)
    if calls or "-p" in low or "net user" in low:
        for match in _compiled(_ARGUMENT, re.IGNORECASE).finditer(text):
            if _is_password(match.group(1), sure=True):
                yield *match.span(1), "password"


# --- what a word announces

LEAST_TOKEN = 8  # characters of a key that only a word announces
_KINDS = {"password": PASSWORD_WORDS, "key": KEY_WORDS, "weak": WEAK_WORDS}
_QUOTED = r"(?P<open>[\"'`]|[“„«「『])(?P<quoted>[^\n\"`“”»「」『』]{1,400}?)(?P<close>[\"'`”“»」』])"
_BARE = r"(?P<bare>(?:[^\s\"'`，。；、！？：（）「」『』【】\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af]|[\"'](?=\w)){4,2048})"
_TAIL = r"[\w-]{0,24}(?:\[[^\]\n]{0,20}\])?[\"'`*_)\]”」]{0,4}"
_MIDDLE = (
    r"(?:\s+\(?(?:for|of|to|on|in|at|from|für|von|zu|vom|zum|im|pour|du|de|à|para|del|en)\s[^\n;:=?]{1,60}?)?"
)
_VERB = (
    r"(?:changed from|is|was|are|be|set to|changed to|reset to|equals|reads|ist|war|sind|lautet|lauten|heißt|est|sont|es|era|son|è|é"
    r"|является|это|—|–|->|→)(?:\s(?:now|still|currently|just|simply|jetzt|nun|aktuell|set to|auf|maintenant|ahora))?"
)
_ASSIGNED = rf"{_TAIL}(?:\s?\([^()\n]{{1,30}}\))?[*_]{{0,2}}\s{{0,4}}(?:(?<=\w)>|=>|:=|={{1,3}}|[:：＝]|\||->|→)\s{{0,6}}(?:[*_]{{1,2}}\s?)?"
_SAID = rf"{_TAIL}{_MIDDLE}(?:['’]s|\s{{1,3}}{_VERB})\s?:?\s{{1,4}}"
_SAID_CJK = r"[^\n。，；]{0,24}?(?:是|为|為|改成|は|が|を|는|은|이|가|을|를|:|：|=)\s{0,3}[:：]?\s{0,3}"
_VALUE = r"[\w-]{0,24}[\"'\s{,(]{1,8}(?:default|value)[\"']?\s?[=:]\s?"
_FLAG = r"[= ]\s?"
_NEAR = r"(?<![A-Za-z0-9+/_=~.-])[A-Za-z0-9+/_~-]{20,}={0,2}"
_LEADS = frozenset(
    [
        "the",
        "our",
        "my",
        "your",
        "das",
        "der",
        "mein",
        "unser",
        "le",
        "la",
        "el",
        "as",
        "als",
        "comme",
        "como",
    ]
)
_LINKS = frozenset(["is", "was", "ist", "war", "est", "es", "=", "–", "—", "as", "als", "comme", "como"])
_HASH_WORDS = (
    r"(?i)sha-?\d|hash|commit|digest|checksum|integrity|uuid|revision|fingerprint|etag|public|version|build"
)


def _announced(text: str) -> Iterator[Span]:
    """Values that stand beside a word like password, token, Schlüssel or 密码."""
    words = _words_of(text)
    if words is None:
        return
    may_be_key = _may_hold_key(text)
    at = 0
    while match := words.search(text, at):
        at = match.end()
        kind = match.lastgroup or "weak"
        if text.startswith("[secret: ", match.start() - 1):
            at = max(at, text.find("]", at))
            continue
        if (
            (kind != "password" and not may_be_key)
            or _inside_blob(text, match.start())
            or _compiled(NOT_KEY_AFTER, re.IGNORECASE).match(text, at)
            or text[max(0, match.start() - 7) : match.start()].casefold().endswith("public ")
        ):
            continue
        spans = list(_after(text, match, kind)) or list(_before(text, match, kind))
        yield from spans
        at = max([at, *(end for _, end, _ in spans)])
        if not spans:
            yield from _near(text, match)


def _words_of(text: str) -> re.Pattern[str] | None:
    """The pattern of the words that *text* may hold, by their literals; None if there can be none."""
    low = _caseless(text)
    groups = []
    for kind, listed in _KINDS.items():
        held = [pattern for literals, pattern in listed if _holds(low, literals)]
        if held:
            groups.append(f"(?P<{kind}>{'|'.join(held)})")
    return _compiled("|".join(groups), re.IGNORECASE) if groups else None


def _caseless(text: str) -> str:
    """*text* so that a literal stands in it wherever a pattern that ignores case may find one (ı, İ and ſ)."""
    return text.lower() if text.isascii() else text.casefold().replace("i\u0307", "i").replace("ı", "i")


def _may_hold_key(text: str) -> bool:
    """Whether a word of *text*, or a part of it, could be a key to those who judge: most prompts have none."""
    for word in text.replace("\n", " ").split(" "):
        if len(word) < LEAST_TOKEN:
            continue
        if any(map(str.isdigit, word)) or any(map(_is_capital_inside, word, word[1:])):
            parts = _parts(word)
            whole = [part for part in parts if len(part) >= LEAST_TOKEN]
            if not _is_wordy(word) or any(any(map(str.isdigit, part)) or part.isupper() for part in whole):
                return True
    return False


def _is_capital_inside(before: str, sign: str) -> bool:
    return sign.isupper() and before not in "-_./:+~"


def _inside_blob(text: str, at: int) -> bool:
    """Whether a word is only letters that happen to stand so in a long run of base64."""
    run = _compiled(r"[A-Za-z0-9+/]*\Z").search(text[max(0, at - 24) : at])
    return run is not None and len(run.group()) >= 20


def _after(text: str, word: re.Match[str], kind: str) -> Iterator[Span]:
    """The value that follows *word* by a sign, a verb, in quotes or as an argument."""
    ascii_word = word.group().isascii()
    links = [(_ASSIGNED, True), (_SAID if ascii_word or word.group()[-1].isascii() else _SAID_CJK, True)]
    if text[max(0, word.start() - 2) : word.start()] == "--" or word.group().casefold() == "-p":
        links.append((_TAIL + _FLAG, True))
    links += [(_VALUE, True), (_TAIL + r"\s{1,3}", False), (r"\(\s?(?=[\"'])", kind != "password")]
    for link, sure in links:
        head = _compiled(link, re.IGNORECASE).match(text, word.end())
        if head is None:
            continue
        value = _compiled(f"{_QUOTED}|{_BARE}").match(text, head.end())
        if value is None:
            continue
        span = _judged(text, word, head, value, kind, sure=sure)
        if span:
            yield *span, "password" if kind == "password" else "key"
            return


def _judged(
    text: str, word: re.Match[str], head: re.Match[str], value: re.Match[str], kind: str, *, sure: bool
) -> tuple[int, int] | None:
    """Where the secret stands in *value*, which follows *word* after *head*; None if it is none."""
    quoted = value["quoted"] is not None
    start, end = value.span("quoted" if quoted else "bare")
    if not quoted:
        before = text[max(0, start - 200) : start]
        end = start + len(_trimmed(text[start:end], before, head.group().endswith("=")))
    found = text[start:end]
    if kind == "password":
        good = _fits_password(word.group(), found, "=" in head.group(), sure=sure, quoted=quoted)
    else:
        said = kind == "key" and sure and _is_token(found)
        good = _very_random(found) or said or (sure and _of_every_kind(found) and _looks_random(found, 16))
    if not good:
        return None
    while not quoted and text[end : end + 1] in ("!", "?"):
        end += 1  # a password may end so; a sentence does without its mark
    return start, end


def _fits_password(word: str, found: str, assigned: bool, *, sure: bool, quoted: bool) -> bool:
    folded = word.casefold()
    if found.isdigit() and folded.startswith(("pin", "暗証", "geheimzahl", "passcode")):
        return 4 <= len(found) <= 12 and sure
    if folded.startswith("pin"):
        return False  # a pin of a board, or to pin a version
    if folded == "identified by" and quoted:
        return not _is_placeholder(found)
    phrase, shouted = "phrase" in folded, word.isupper() and assigned
    if sure or not quoted:
        return _is_password(found, sure=sure, quoted=quoted, shouted=shouted, phrase=phrase)
    return not found.islower() and _is_password(found, sure=True)


def _trimmed(value: str, before: str, tight: bool) -> str:
    """*value* up to where the text around it goes on."""
    cuts = [r"</?[a-z]", r",[\"']", r",\w+\s?[:=]", r"\\[nrt\"]", r"\[/"]
    if tight:
        cuts += [r"&\w+=", r";(?:\s|\w[\w ]{0,30}=|$)"]
    cut = _compiled("|".join(cuts), re.IGNORECASE).search(value)
    value = value[: cut.start()] if cut else value
    line = before.rsplit("\n", 1)[-1]
    value = value.rstrip(".,;:!?*_|\\\"'")
    for opener, closer in (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">")):
        if value.endswith(closer) and opener not in value and opener in line:
            value = value.rstrip(closer + ".,;:!?\"'")
    return value


def _before(text: str, word: re.Match[str], kind: str) -> Iterator[Span]:
    """The value of "hunter2 is the password", "use Ab3… as our API key"."""
    if text[word.start() - 1 : word.start()] != " " or not _compiled(r"[\s.,;!)`\"']|\Z").match(
        text, word.end()
    ):
        return
    start = max(text.rfind("\n", 0, word.start()) + 1, word.start() - 240)
    said = list(_compiled(r"\S+").finditer(text, start, word.start()))[-7:]
    names = [one.group().casefold() for one in said]
    lead = next((i for i in range(len(said) - 1, 0, -1) if names[i] in _LEADS | _LINKS), 0)
    at = lead
    while at > 0 and names[at] in _LEADS | _LINKS:
        at -= 1
    if any(name in _LINKS for name in names[at + 1 : lead + 1]):
        yield from _named_after(said[at], kind)


def _named_after(said: re.Match[str], kind: str) -> Iterator[Span]:
    value = said.group().strip("\"'`“”.,;:()")
    good = (
        len(value) >= 6 and _has_both(value) and not (_is_wordy(value) or _is_plain(value) or _is_hash(value))
    )
    if good and (kind == "password" or _looks_random(value, 12)):
        start = said.start() + said.group().index(value)
        yield start, start + len(value), "password" if kind == "password" else "key"


def _near(text: str, word: re.Match[str]) -> Iterator[Span]:
    """What looks very random within a few words of *word*, in its line."""
    start = max(text.rfind("\n", 0, word.start()) + 1, word.start() - 60)
    end = text.find("\n", word.end())
    end = min(len(text) if end < 0 else end, word.end() + 100)
    if _compiled(_HASH_WORDS).search(text, start, end):
        return
    for match in _compiled(_NEAR).finditer(text, start, end):
        whole = _compiled(_NEAR).match(text, match.start())
        if whole and _very_random(whole.group()):
            yield *whole.span(), "key"


# --- what a value looks like

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_AMOUNT = (
    r"v?\d+(?:[.,:/–-]\d+)+[a-z]{0,4}|\d{1,5}|\d+[.,]?\d*[+%]"
    r"|\d+[ -]?(?:ms|s|m|min|h|d|kb|mb|gb|x|st|nd|rd|th|bits?|bytes?|chars?|characters?|digits?|letters?|words?|days?"
    r"|hours?|minutes?|seconds?|weeks?|months?|years?|times|zeichen|tage|stunden|caract\w+|jours?)\b.*"
)
_LOOKED_UP = (
    r"[<$%{\[*#]|os\.|process\.|getenv|env[.\[(]|ENV\[|System\.|config[.\[]|settings[.\[]|self\.|this\.|args\.|vault[:.]"
    r"|secrets?[.:\[]|op://|ref\+|file:|https?:|ssh:|keyring|pass(?:word)?\(|get_?\w*\(|[A-Za-z_][\w.]*[(\[]|[A-Za-z_]\w*(?:::|->)|@\w+\."
    r"|[A-Z]:\\|[.~]{1,2}/|--|\\|(?:your|my|the|some|insert|enter|put|replace|ihr|dein)[-_ ]"
)
_CAMEL = r"[a-z]*(?:[A-Z][a-z](?![a-z])|[AEIOUY][a-z]+|[A-Z][a-z]*[aeiouy][a-z]*|[A-Z]{2,5}(?=[A-Z][a-z]|s?$|\d))*s?\d{0,4}"
_JOINTS = dict.fromkeys(map(ord, "-_./:+"), " ")
_SEGMENT = r"[^\W\d_]+\d{0,3}|\d{1,4}[A-Za-z]{0,2}|v\d+"


def _is_placeholder(value: str) -> bool:
    low = value.casefold().strip("'\"`.,;:!?")
    if low in PLACEHOLDERS or "example" in low or "…" in value or "..." in value or "****" in value:
        return True
    if len(set(low)) <= 2 or re.fullmatch(r"[x*•_.-]{3,}|.{0,12}x{4,}.{0,4}", low):
        return True
    return _compiled(_LOOKED_UP).match(value) is not None


def _is_plain(value: str) -> bool:
    """Whether *value* is what people write in prose beside these words: a place, an amount, a program."""
    low = value.casefold()
    if _is_placeholder(value) or low in PRODUCTS or low.rstrip("s") in PRODUCTS:
        return True
    if _compiled(_AMOUNT, re.IGNORECASE).fullmatch(value):
        return not (value.isdigit() and len(value) >= 6)
    return (
        re.fullmatch(
            r"[\w.+-]{2,}@[\w-]+(?:\.[A-Za-z]{2,8})+|#\d+|[\w.-]+\.(?:md|py|js|ts|json|ya?ml|toml|env|txt|pem|key|go|rs|com|org|net|io|dev)(?:[/:].*)?",
            value,
        )
        is not None
    )


def _is_wordy(value: str) -> bool:
    """Whether *value* is words and small numbers joined by signs: `my-app-token-2`, `config.db.password`."""
    parts = _parts(value)
    return len(parts) > 1 and all(_compiled(_SEGMENT).fullmatch(part) and not _mixed(part) for part in parts)


def _parts(value: str) -> list[str]:
    return [part for part in value.translate(_JOINTS).split(" ") if part]


def _mixed(part: str) -> bool:
    """Whether the case of *part* changes as in no word and no CamelCase name."""
    if len(part) < 6 or not any(c.islower() for c in part) or not any(c.isupper() for c in part[1:]):
        return False
    return _turns(part) >= 2 and _compiled(_CAMEL).fullmatch(part) is None


def _turns(value: str) -> int:
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" if c.isalpha() else "s" for c in value]
    return sum(a != b for a, b in pairwise(kinds))


def _has_both(value: str) -> bool:
    return (any(c.isdigit() for c in value) and any(c.isalpha() for c in value)) or _mixed(value)


def _entropy(value: str) -> float:
    counts = [value.count(c) for c in set(value)]
    return -sum(n / len(value) * log2(n / len(value)) for n in counts)


def _is_hash(value: str) -> bool:
    """Git and file hashes, and UUIDs: secrets only where a word says so."""
    return (
        _compiled(
            rf"(?:sha\d+[-:])?(?:[0-9a-f]{{32}}|[0-9a-f]{{40}}|[0-9a-f]{{64}}|[0-9a-f]{{128}})|{_UUID}"
        ).fullmatch(value)
        is not None
    )


def _is_password(
    value: str, *, sure: bool, quoted: bool = False, shouted: bool = False, phrase: bool = False
) -> bool:
    """Whether *value* may be a password. *sure*: a sign or a verb links it to the word; *quoted*, *shouted*:
    as in `password = "swordfish"` or `DB_PASSWORD=swordfish`, where a mere word will do."""
    if phrase and (
        value.count(" ") >= 2 if quoted else re.fullmatch(r"(?:[a-z]{3,12}-){3,}[a-z]{3,12}", value)
    ):
        return True
    if len(value) < 4 or (" " in value and not quoted) or value.count(" ") > 1 or _is_plain(value):
        return False
    letters = sum(c.isalpha() for c in value)
    symbols = sum(not c.isalnum() and c not in "-_./:, '" for c in value)
    digits = sum(c.isdigit() for c in value)
    if not sure:
        both = (letters > 0 and digits > 0) or _mixed(value)
        both = both and not any(c in value for c in "=(")
        return len(value) >= 6 and both and not (_is_wordy(value) or _is_hash(value))
    if " " in value:
        return digits > 0 and symbols > 0
    if quoted or shouted:
        return (len(value) >= 6 or digits > 0) and not (_is_wordy(value) and value.count(".") and not digits)
    if _is_wordy(value):
        return False
    return len(value) >= 5 and (digits > 0 or (symbols > 0 and letters > 2) or _mixed(value))


def _is_token(value: str) -> bool:
    """Whether *value*, linked to a word for a key, may be one."""
    if len(value) < LEAST_TOKEN or " " in value or _is_plain(value) or _is_wordy(value):
        return False
    if _compiled(_UUID).fullmatch(value) or re.fullmatch(r"[0-9a-fA-F]{16,}", value):
        return not value.isdigit()
    if value.isdigit():
        return len(value) >= 12
    both = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if both:
        return len(value) >= 10 or _turns(value) >= 4
    return len(value) >= 12 and (_mixed(value) or bool(re.fullmatch(r"[A-Z2-7]{16,}=*", value)))


def _looks_random(value: str, least: int) -> bool:
    if len(value) < least or _is_placeholder(value) or _is_wordy(value):
        return False
    return _has_both(value) and _entropy(value) >= 3.0 and _turns(value) >= 4


def _of_every_kind(value: str) -> bool:
    """Whether *value* has small letters, capitals and digits, and nothing but what keys are made of."""
    kinds = (str.islower, str.isupper, str.isdigit)
    return all(any(map(kind, value)) for kind in kinds) and re.fullmatch(r"[\w+/=~-]+", value) is not None


def _very_random(value: str) -> bool:
    """Whether nobody would have made up *value*: no hash, no path, no name."""
    bare = value.rstrip("=")
    if len(bare) < 20 or " " in value or _is_hash(bare) or _is_plain(value) or _is_wordy(value):
        return False
    best = max(re.split(r"[-_./:~+]+", bare), key=len)
    if len(best) < 12 or not (any(c.isdigit() for c in bare) or _mixed(best)):
        return False
    return _entropy(bare) >= 3.5 and _turns(best) >= 5
