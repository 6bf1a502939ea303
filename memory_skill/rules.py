"""What the quality rules of the gate look at: pure tests of one text, in the languages that people write here.

Patterns are few and plain on purpose: a false refusal costs a person more than a note too many.
"""

# ruff: noqa: E501  (a pattern is read as one line)
from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from .text import alike, normalise

_CODE = re.compile(r"(?ms)^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)|\Z)")
# What only looks like a statement: quotations, and names of code such as date.today() or for_now.
_ASIDE = re.compile(
    r"[\w.]{1,80}\([^()\n]{0,80}\)|\b\w{1,40}(?:[._/:]\w{1,40}){1,8}\b|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|„[^“\n]*“|「[^」\n]*」|«[^»\n]*»|'[^'\n]{0,80}'(?!\w)"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def units(text: str) -> int:
    """The length of *text* in Latin characters: a Chinese, Japanese or Korean one says as much as two."""
    bare = " ".join(text.split())
    return len(bare) + sum("\u3040" <= c <= "\ud7af" or "\uf900" <= c <= "\ufaff" for c in bare)


def is_question(text: str) -> bool:
    """Whether *text* is nothing but questions."""
    said = [
        part for part in re.split(r"(?<=[.!?。！？])\s*|\n+", _CODE.sub("", text).strip()) if part.strip()
    ]
    return bool(said) and all(part.rstrip().endswith(("?", "？")) for part in said)


_TEMPORARY = (
    r"\b(?:right now|at the moment|for now|for the time being|temporarily|today|tonight|tomorrow|yesterday"
    r"|this (?:morning|afternoon|evening|session|week)|just now|in progress|later on"
    r"|currently (?:working|debugging|fixing|looking|running|trying|waiting|broken|down|failing)"
    r"|heute|gestern|morgen (?:früh|abend|mittag)|momentan|im moment|vorübergehend|vorläufig|gerade (?:dabei|eben|am)"
    r"|zur ?zeit|derzeit|fürs erste|aujourd['’]hui|actuellement|en ce moment|pour l['’]instant|temporairement|demain)\b"
    r"|现在|今天|目前|暂时|当前(?!目录|用户|版本|项目|分支|文件)|刚刚|正在|明天|昨天|眼下"
    r"|今日|いま|今のところ|一時的に|現在|明日|지금|오늘|현재|당분간|일시적으로|내일"
)
# Words of a decision; and words that name a cause, which a lesson needs.
DECIDED = r"\b(?:decided|agreed|switched (?:to|from)|chose|beschlossen|entschieden|vereinbart|décidé)\b|决定|決定|改用|결정"
CAUSED = re.compile(
    r"\b(because|caused?|due to|since|reason|turned out|weil|wegen|ursache|grund|parce|raison)\b"
    r"|因为|由于|原因|ため|から|때문",
    re.IGNORECASE,
)
_ANCHORED = (
    r"\d{4}-\d\d(?:-\d\d)?|\d{4}年|\b20\d\d\b|\blearned\b|until today|bis heute|as of today|used to|"
    + DECIDED
)


def prose(text: str) -> str:
    """*text* without code, quotations and names of code."""
    return _ASIDE.sub("", _CODE.sub("", text))


def temporary(text: str) -> str | None:
    """The words by which *text* will soon be untrue; None if it names a date or a decision."""
    plain = prose(text)
    found = _compiled(_TEMPORARY).search(plain)
    return found.group() if found and not _compiled(_ANCHORED).search(plain) else None


_FOOTNOTE = r"^\s*(?:[-*+]\s+)?(?:\[\^?[\w.-]{1,20}\]:?|\(\d{1,3}\)|\d{1,3}[.)]\s*(?=https?:)|<?https?:|(?:source|quelle|see|来源|参考)\s*[:：])"


def footnote_share(text: str) -> float:
    """How much of *text* stands in lines that only cite, 0..1 of its characters."""
    lines = [line for line in text.splitlines() if line.strip()]
    return _share(sum(len(line) for line in lines if _compiled(_FOOTNOTE).match(line)), sum(map(len, lines)))


def code_share(text: str) -> float:
    """How much of *text* stands in fenced or indented code, 0..1 of its characters."""
    rest = _CODE.sub("", text)
    plain = [line for line in rest.splitlines() if line.strip() and not re.match(r"    |\t", line)]
    return 1 - _share(sum(map(len, plain)), sum(len(line) for line in text.splitlines() if line.strip()))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


# --- orders

_TAKEOVER = {
    "set its rules aside": (
        r"\b(?:ignore|disregard|forget|override|bypass|discard|drop)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any"
        r"|other|system|safety|your|these|existing)\b[^.\n]{0,30}\b(?:instructions?|rules?|prompts?|guidelines?|messages?"
        r"|context|polic(?:y|ies)|restrictions?|guardrails?)"
        r"|\b(?:ignoriere|missachte|vergiss|umgehe)\b[^.\n]{0,40}(?:anweisung|regel|vorgabe|richtlinie|einschränkung)"
        r"|\b(?:ignore[zr]?|oublie[zr]?)\b[^.\n]{0,30}(?:instructions|règles|consignes)"
        r"|(?:忽略|无视|忘记|绕过)[^。\n]{0,20}(?:指令|规则|提示|指示|限制|要求)"
        r"|(?:以前の|これまでの)?(?:指示|ルール)を(?:無視|忘れ)|이전\s?(?:지시|명령)[^.\n]{0,10}(?:무시|잊)"
    ),
    "be somebody else": (
        r"\byou are (?:now|no longer)\b|\bfrom now on,? you\b|\b(?:act|behave|respond) as (?:if|though|an?) ?(?:unrestricted"
        r"|root|admin\w*|system|dan\b|you (?:have|had) no)|\bpretend (?:to be|that you|you)\b|\bdeveloper mode\b|jailbreak"
        r"|\bnew (?:system )?(?:instructions?|prompt)\s*:|^\s*(?:#+\s*)?\[?(?:system|developer|assistant)\]?\s*(?:prompt|message"
        r"|note|override)?\s*:|<\|?/?(?:im_start|im_end|system|inst)\b|\[/?inst\]"
        r"|\bdu bist (?:jetzt|ab sofort|nun)\b|\btu so,? als\b|你现在是|从现在(?:开始|起)[,，]?你|假装(?:你|成)|あなたは今から"
    ),
    "keep something from the user": (
        r"\b(?:do not|don['’]t|never|without)\s+(?:tell|telling|mention\w*|inform\w*|notify\w*|alert\w*|warn\w*|show\w*|reveal\w*"
        r"|disclos\w*)\b[^.\n]{0,40}\b(?:the )?(?:user|human|owner|person|anyone|operator)\b"
        r"|\b(?:keep|hide)\b[^.\n]{0,30}\b(?:secret|hidden|from the (?:user|human|owner))\b|\b(?:secretly|silently|covertly)\b"
        r"[^.\n]{0,20}\b(?:send|run|add|execute|upload|delete|copy|append|install|forward|include|commit)"
        r"|\b(?:sag|erzähl|verrate|zeige?|melde|erwähne)\w*\b[^.\n]{0,30}\b(?:nutzer|benutzer|anwender)\w*\b[^.\n]{0,20}\bnicht"
        r"|\bheimlich\b|ohne (?:den|dem) (?:nutzer|benutzer)|不要(?:告诉|通知|提醒|让)用户|瞒着用户|偷偷|ユーザーに(?:は)?(?:知らせ|言わ|伝え)な"
    ),
    "hand out what is private": (
        r"\b(?:send|post|upload|forward|e-?mail|exfiltrate|transmit|leak|paste|report|submit|mail|pipe|attach|share)\b[^.\n]{0,60}"
        r"\b(?:secrets?|credentials?|(?:api |ssh |private )?keys?|tokens?|passwords?|\.env|env(?:ironment)?(?: variables?)?|cookies?"
        r"|source code|conversation|transcripts?|memory|memories|history|contents?|id_rsa)\b[^\n]{0,60}(?:\bto\b|\bat\b|https?:|@)"
        r"|\b(?:schicke?|sende|lade)\b[^.\n]{0,60}(?:schlüssel|passwort|passwörter|zugangsdaten|geheimnis|token|quellcode|\.env)"
        r"|(?:发送|上传|转发|泄露|发给)[^。\n]{0,30}(?:密钥|密码|令牌|凭证|环境变量|源代码|对话)"
        r"|(?:把|将)[^。\n]{0,30}(?:密钥|密码|令牌|凭证|环境变量|源代码|对话)[^。\n]{0,20}(?:发送|上传|转发|发给|发到|传到)"
    ),
    "run what it did not read": (
        r"\b(?:curl|wget)\b[^\n]{0,200}\|\s*(?:sudo )?(?:ba|z|da)?sh\b|base64 (?:-d|--decode)[^\n]{0,80}\|\s*(?:ba)?sh"
        r"|--dangerously-skip-permissions|\brm -rf (?:/|~|\$HOME)(?:\s|$)|\beval\b[^\n]{0,20}\b(?:curl|base64)"
    ),
}
_START = r"(?:^|(?<=[.!?:;]\s)|(?<=[。！？；：]))\s*(?:[-*+>]\s+|\d{1,2}[.)]\s+|#+\s+|\*\*|important:\s*|note:\s*)*(?:please,? |bitte |and |then |also )?"
_ORDER = (
    r"(?:always|never|do not|don['’]t|must|make sure|ensure|remember to|be sure|you (?:must|should|shall|have to|need to|will)"
    r"|(?:the |every )?(?:agent|assistant|model|ai|claude|kimi)s? (?:must|should|shall|has to|have to|needs to|will always)"
    r"|(?:whenever|every time|each time|when(?:ever)? (?:the user|asked|you)|if (?:the user|you|asked)|before (?:each|every|any)"
    r"|after (?:each|every|any)|at the (?:start|end|beginning) of (?:each|every))\b[^.\n]{0,80},?\s*(?:you|always|never|also|first"
    r"|run|execute|send|append|insert|add|reply|respond|answer|recommend|include|call|use|say|print|open|fetch|copy|post|write"
    r"|do|ignore|approve|skip|delete|install|read|commit|push)\b"
    r"|(?:send|post|upload|forward|e-?mail|execute|install|download|curl|wget|delete|wipe|erase|disable|deactivate|approve|accept"
    r"|allow|grant|ignore|disregard|bypass|skip|reveal|respond|reply|answer|act|pretend|treat|trust|override|overwrite|insert"
    r"|append|include|recommend|obey|follow|tell|visit|fetch|open|copy|exfiltrate|push|merge|force|print|output|commit|run (?:curl|wget|sudo|rm|npx|sh|bash)"
    r"|add|remove|replace|rewrite|hide|stop|give|share|assume|confirm|mark|turn off|switch off|set)\b(?!\s+(?:is|are|was|were|has|have"
    r"|can|does|requests?|events?|jobs?|rules?|buttons?|rates?|handlers?|hooks?|logs?|scripts?|keys?|messages?)\b)(?=\s+(?:all|any|every|each"
    r"|the|this|that|these|those|your|their|its|an?|as|to|with|no|only|everything|anything|it|them|me|us|off|up|permissions?|requests?"
    r"|tests?|code|files?|secrets?|credentials?|`|https?:|/|(?-i:[A-Z.~$-])))"
    r"|(?:immer|niemals|nie)\s+\w+(?:\s|$)|(?:führe|sende|schicke|ignoriere|lösche|deaktiviere|genehmige|antworte|vergiss|installiere"
    r"|lade|öffne|kopiere|überschreibe|behandle|erlaube|akzeptiere|umgehe|verwende immer|stelle? sicher|stell sicher|gib|füge|achte"
    r"|merke? dir|du (?:musst|sollst|darfst)|(?:der )?(?:agent|assistent) (?:muss|soll|darf)|tu |mach |nutze immer|benutze immer"
    r"|jedes mal,? wenn|sobald|wann immer|vor jede[mrn]|nach jede[mrn])\b"
    r"|(?:toujours|jamais|n['’]oublie|ne (?:dis|fais|montre)\w* (?:jamais|pas)|envoie[zr]?|exécute[zr]?|ignore[zr]|supprime[zr]?"
    r"|tu dois|vous devez)\b"
    r"|(?:请)?(?:总是|始终|永远|务必|必须|一定要|不要|别|禁止|不得|切勿|忽略|无视|假装|每次|每当|(?:执行|运行|发送|上传|删除|安装|下载|批准|允许)(?!说明|文档|程序|目录|步骤|器|时|在|后|需要|由|的)"
    r"|回复|回答|告诉|跳过|关闭|禁用|复制|转发|信任|插入|添加|记得)|请(?!求|假|教)"
    r"|(?:常に|必ず|絶対に|決して)|(?:항상|반드시|절대))"
)


def takeover(text: str) -> str | None:
    """What *text* tells an agent to do against its user, in a few words; None for honest text."""
    return next((what for what, pattern in _TAKEOVER.items() if _compiled(pattern).search(text)), None)


def is_imperative(text: str) -> bool:
    """Whether a sentence of *text* begins as an order."""
    return takeover(text) is not None or _compiled(_START + _ORDER).search(_CODE.sub("", text)) is not None


_PROPOSAL = (
    r"\b(?:we|you|i) (?:could|might|may want to|should (?:probably|perhaps|maybe|consider))\b|\bi(?:['’]d| would)? (?:suggest|propose"
    r"|recommend)\b|\b(?:maybe|perhaps) (?:we|you|it)\b|\bit (?:might|may|could) be (?:worth|better|good|nice)\b|\bone option\b"
    r"|\b(?:wir|man|du|sie) (?:könnten?|könntest|sollten? (?:vielleicht|eventuell))\b|\bich (?:schlage vor|würde vorschlagen|empfehle)\b"
    r"|\bvielleicht (?:sollten|könnten|wäre)\b|(?:可以考虑|也许(?:可以|应该)|或许(?:可以|应该)|我建议|建议(?:我们|你|您)|不妨)"
)


def is_proposal(text: str) -> bool:
    """Whether *text* is what an assistant would like, not what was decided."""
    return _compiled(_PROPOSAL).search(_ASIDE.sub("", text)) is not None


# --- what is there already

_TOKEN = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*|[\u3400-\u9fff]")
_NEGATION = re.compile(
    r"(?i)\b(?:not?|never|none|without|cannot|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans)\b|不|没|無|非|别|勿|ない|않|안 "
)


# Words that add nothing to a sentence; "other", "only" or "until" would.
_EMPTY = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "on",
        "at",
        "for",
        "and",
        "so",
        "too",
        "also",
        "is",
        "are",
        "it",
        "its",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "ein",
        "eine",
        "und",
        "auch",
        "ist",
    ]
)


def nearest_repeat(text: str, others: Sequence[str], least: float) -> int | None:
    """Which of *others* says all that *text* says, at *least* so much alike (0..1); None if none does.

    Another number, name or negation is another statement, however alike the letters are.
    """
    found = [i for i, ratio in alike(text, others) if ratio > least and _says_nothing_new(text, others[i])]
    return found[0] if found else None


def stands_in(text: str, whole: str) -> bool:
    """Whether *whole* holds *text* word for word, blanks and case aside; never for a few words."""
    said = normalise(text).rstrip(".。")
    return units(said) >= 25 and said in normalise(whole)


def _says_nothing_new(new: str, old: str) -> bool:
    if len(_NEGATION.findall(new)) != len(_NEGATION.findall(old)):
        return False
    before = {normalise(token) for token in _TOKEN.findall(old)}
    stems = {token[:-1] for token in before if len(token) > 4} | {f"{token}s" for token in before}
    fresh = {normalise(token) for token in _TOKEN.findall(new)} - before - stems
    return all(token in _EMPTY for token in fresh)


# --- what nobody sees

_TAGS = re.compile("[\U000e0001-\U000e007f]")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f")
_RUN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u180e\u034f\u115f\u1160\u3164\uffa0]{6,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}")
_OVERRIDE = re.compile("[\u202d\u202e]")


def hidden(text: str) -> str | None:
    """What *text* holds that no honest text has and no reader sees; None for honest text.

    Joiners, direction marks, flags and single variation selectors are honest.
    """
    if text.isascii():
        return None
    if _TAGS.search(text) and _TAGS.search(_FLAG.sub("", text)):
        return "tag characters"
    if _RUN.search(text) or _SELECTORS.search(text):
        return "a run of invisible characters"
    return "direction overrides" if _OVERRIDE.search(text) else None
