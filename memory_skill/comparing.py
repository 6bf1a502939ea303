"""How a new statement stands to one that is remembered already: same, refined, contradicts, or other.

Pure and deterministic, and quick to say `other`: a false alarm holds back what a user said, a miss only leaves
two notes side by side. Two statements about *different* things (fact 17 and fact 18, staging and production)
are `other`, however alike their letters are.
"""

# ruff: noqa: E501, SIM905  (a pattern or a list of words is read as one line)
from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

Relation = Literal["same", "refined", "contradicts", "other"]

MAX_COMPARED = 1_500  # characters of one statement; a longer one is a document
LEAST_SHARED = 2  # words that must stand in both, beside the one that differs
MAX_ADDED = 60  # words that a refinement may add

_HEADING = re.compile(r"\A(?:#{1,6} .*\n\s*)+(?=\S)")
_REASONS = re.compile(r"(?m)^\*\*(?:Why|How to apply):\*\*.*(?:\n(?!\*\*).*)*")
_CJK = "\u3040-\u30ff\u3400-\u9fff"
_TOKEN = re.compile(rf"[^\W_{_CJK}]+(?:[.:'’/@+_-][^\W_{_CJK}]+)*%?|[{_CJK}]|:(?=\s)|=")
_FILLERS = frozenset(
    "the a an of so too also then just really now please do does did that this "
    "der die das den dem des ein eine einen einem auch jetzt bitte le la les un une 了 的 也".split()
)
_NEGATIONS = frozenset(
    "not no never none without cannot nicht kein keine keinen keinem nie niemals ohne ne pas jamais sans 不 没 無 非 别 勿".split()
)
_NUMBER = re.compile(r"v?\d{1,12}(?:[.,:/-]\d{1,6}){0,5}(?:%|[a-zµ]{1,3})?")
# What one of several things is numbered by: another number there is another thing.
_NUMBERED = frozenset(
    "number no nr version fact note item entry task issue ticket bug step part chapter case test writer worker line row id key "
    "sentence message turn record user customer order page sprint phase release build run job story pr mr commit sample "
    "fakt notiz eintrag aufgabe schritt teil kapitel zeile nummer kunde seite 第 号".split()
)
# A number or a word of a class says something about a subject only after one of these.
_CUES = frozenset(
    "is are was were : = has have uses use needs need takes take lasts answers listens runs starts ends costs expires "
    "lives due at on in by until every after within to from limit port timeout last keep retain retains need take run start brauchen bleibt hält wartet 保 留 需 要 allows allowed keeps indents deploys deploy "
    "happens merges merge review closes opens pays with wants prefers ist sind war hat haben braucht nutzt läuft dauert beträgt kostet endet "
    "beginnt um am im bis alle nach mit 是 为 在 有 到 用 限 期 每".split()
)
_CLASSES = [
    frozenset(words.split())
    for words in (
        "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs donnerstags freitags",
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "hourly daily nightly weekly fortnightly monthly quarterly yearly",
        "morning noon afternoon evening night mornings afternoons evenings",

        "tab tabs space spaces", "tabs leerzeichen", "enabled disabled", "enables disables", "on off",
        "allowed forbidden", "required optional", "true false", "public private", "before after", "light dark",
        "sync async", "synchronous asynchronous", "single double", "snake_case camelcase", "open closed",
        "manually automatically", "manual automatic", "local remote", "formal informal", "short long",
        "squash rebase", "squashed rebased", "main master", "vor nach", "hell dunkel", "erlaubt verboten",
        "öffentlich privat", "kurz lang", "一 二 三 四 五 六 七 八 九 十 日 两", "早 晚", "前 后", "开 关", "明 暗",
    )
]  # fmt: skip
_ABSOLUTE = frozenset({"always", "never"}), frozenset({"immer", "nie", "niemals"})
# Where only one value fits: `Ada's editor is …`, `the default branch is …`, `Name: …`, `lives in …`.
_ONE = (
    "editor|ide|branch|name|level|nickname|owner|lead|maintainer|manager|boss|database|framework|language|region|host|server|domain"
    "|version|colou?r|deadline|default|format|time ?zone|shell|browser|system|city|employer|role|licen[cs]e|registry|provider"
    "|pronouns?|birthday|font|theme|formatter|linter|runner|bundler|contact|reviewer|approver|password manager|package manager"
    "|standardbranch|besitzerin?|leiterin?|datenbank|sprache|frist|farbe|zeitzone|stadt|rolle|lizenz|ansprechpartnerin?|编辑器"
    "|分支|名字|负责人|数据库|语言|时区|框架|主题|城市"
)
_SLOT = re.compile(
    rf"(?:{_ONE})(?: (?:of|for|in|on|at|von|für|des|der) .{{1,60}})?\s?(?:is|are|was|ist|sind|heißt|[:=]|是|为|叫)\s*(?:called |the |now )?$"
    r"|\b(?:lives? in|lives? at|works? (?:at|for|as)|moved to|is called|is named|indents? with|hosted (?:on|at|in|by)|stored in|kept in"
    r"|is written in|is owned by|is led by|is maintained by|deploys? to|wohnt in|arbeitet (?:bei|als)|heißt|gehört|liegt (?:in|auf))\s(?:the |der |dem )?$"
    r"|(?:住在|就职于|存放在|部署在|部署到)$",
    re.IGNORECASE,
)
_SWAPS = frozenset({"over", "than", "instead", "before", "after", "rather", "statt", "vor", "nach", "als"})


class _Word(NamedTuple):
    text: str
    start: int


class _Change(NamedTuple):
    """One place where the two differ: what stood there, what stands there now, and what is before it."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    before: tuple[str, ...]
    left: str


def statement(body: str) -> str:
    """What a note says, without its headings, why it holds and how it is applied."""
    return _HEADING.sub("", _REASONS.sub("", body).strip()).strip()


def compare(new: str, old: str) -> Relation:
    """How *new* stands to *old*, both the text of one entry."""
    new, old = (unicodedata.normalize("NFKC", statement(text)).casefold() for text in (new, old))
    if not new or not old or max(len(new), len(old)) > MAX_COMPARED:
        return "other"
    now, was = _words(new), _words(old)
    said, had = ([word.text for word in words] for words in (now, was))
    if said == had:
        return "same"
    if _goes_on(said, had):
        return "refined"
    if _turned(said, had):
        return "contradicts"
    if _denials(said) != _denials(had):
        return "contradicts" if _opposed(said, had) else "other"
    if _swapped(said, had):
        return "contradicts"
    matcher = SequenceMatcher(None, had, said, autojunk=False)
    codes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    shared = sum(block.size for block in matcher.get_matching_blocks())
    if all(code[0] == "insert" for code in codes):
        return "refined" if _extends(said, had) else "other"
    if shared < LEAST_SHARED or shared * 2 < len(had):
        return "other"
    changes = [
        _Change(
            tuple(had[a:b]), tuple(said[c:d]), tuple(said[:c]), new[: now[c].start] if c < len(now) else new
        )
        for kind, a, b, c, d in codes
        if kind == "replace"
    ]
    rest = [code for code in codes if code[0] != "replace"]
    tail = all(kind == "insert" and c > 0 and d == len(said) for kind, _, _, c, d in rest)
    if changes and tail and len(changes) <= 2 and all(_is_another_value(change) for change in changes):
        return "contradicts"
    return "other"


def _words(text: str) -> list[_Word]:
    found = (_Word(match.group().replace("’", "'"), match.start()) for match in _TOKEN.finditer(text))
    return [word for word in found if word.text not in _FILLERS]


def _denies(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _denials(words: list[str]) -> int:
    return sum(map(_denies, words))


def _opposed(said: list[str], had: list[str]) -> bool:
    """Whether the two say the same but for a `not`: the words beside it hardly differ."""
    plain, was = (
        [_stem(w) for w in words if not _denies(w) and w not in ("always", "any")] for words in (said, had)
    )
    return len(was) >= 2 and abs(_denials(said) - _denials(had)) == 1 and set(was) == set(plain)


def _turned(said: list[str], had: list[str]) -> bool:
    """`always` became `never`."""
    differ = [pair for pair in zip(said, had, strict=False) if pair[0] != pair[1]]
    return len(said) == len(had) and len(differ) == 1 and any(set(differ[0]) <= pair for pair in _ABSOLUTE)


def _stem(word: str) -> str:
    if word in ("have", "has"):
        return "has"
    return word[:-1] if len(word) > 3 and word.endswith("s") and word.isascii() else word


def _swapped(said: list[str], had: list[str]) -> bool:
    """`tabs over spaces` and `spaces over tabs`."""
    differ = [i for i, pair in enumerate(zip(said, had, strict=False)) if pair[0] != pair[1]]
    if len(said) != len(had) or len(differ) != 2 or sorted(said) != sorted(had):
        return False
    return any(word in _SWAPS for word in said[differ[0] + 1 : differ[1]])


def _goes_on(said: list[str], had: list[str]) -> bool:
    """Whether *said* is *had* word for word and then goes on; `Ada uses Docker, not any more` does not."""
    more = said[len(had) :]
    return (
        len(had) >= 2
        and said[: len(had)] == had
        and len(more) >= 2 + _denies(more[0])
        and _extends(said, had)
    )


def _extends(said: list[str], had: list[str]) -> bool:
    """Whether *said* tells the same of the same subject, and more."""
    enough = len(had) >= 3 or (len(had) == 2 and had[0] in said[:1])
    return enough and said[:2] == had[:2] and len(said) - len(had) <= MAX_ADDED and not _numbered(said, had)


def _numbered(said: list[str], had: list[str]) -> bool:
    """`release 4` says nothing of `release 4 1`."""
    return any(
        _NUMBER.fullmatch(w) and w not in had and said[max(0, i - 1)] in _NUMBERED for i, w in enumerate(said)
    )


def _is_another_value(change: _Change) -> bool:
    if len(change.old) == len(change.new) == 1:
        old, new = change.old[0], change.new[0]
        has_cue = any(word in _CUES for word in change.before)
        if _NUMBER.fullmatch(old) and _NUMBER.fullmatch(new):
            return has_cue and len(change.before) >= 2 and change.before[-1] not in _NUMBERED
        if any(old in each and new in each for each in _CLASSES):
            return has_cue or len(change.before) >= 2
    if any(_NUMBER.fullmatch(word) for word in change.old[:1] + change.new[:1]):
        return False  # `port 8443` and `port https` are for a person's eye, not for a rule
    longest = max(len(change.old), len(change.new))
    short = longest <= (6 if any("\u3040" <= c <= "\u9fff" for c in "".join(change.new)) else 3)
    return short and _SLOT.search(change.left) is not None
