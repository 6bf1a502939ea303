"""What a finished turn holds that may be worth keeping: the gate's rules for a turn, and what people say.

Cheap, for the stop hook. A false sign costs one question to the model, a missed one only a delay: a turn that
was passed over stays past the mark, and the next brief shows it.
"""

# ruff: noqa: E501  (a pattern is read as one line)
from __future__ import annotations

import re
from functools import cache

from . import gate, rules
from .config import GateKnobs
from .errors import Refused
from .light import NamedTuple
from .text import fold
from .vocabulary import ORDERS, ORDERS_BEGIN, ORDERS_END

NOTHING, LITTLE, MUCH = range(3)
LEAST_STATEMENT = 25  # characters of a sentence that says something, see `rules.units`
MAX_LOOKED_AT = 4000  # characters of one message; people say what they want at its start

# What people say when something is to be kept, the plainest sign first.
_SIGNS = {
    "remember": (
        r"\b(?:remember (?:that|this|to|for)|remember(?= ?[,:])|keep in mind|don['’]t forget|make a note|note (?:that|for later|down)|for (?:next time|future reference|the record|the future)|from now on|going forward"
        r"|merke? dir|denke? daran|vergiss nicht|behalte? (?:im|das)|ab (?:jetzt|sofort)|künftig|in zukunft|fürs nächste mal|zur erinnerung"
        r"|souviens-toi|n['’]oublie pas|retiens|désormais|à l['’]avenir)\b|记住|记下|记得|别忘|不要忘|(?:^|[\s，,。；;])以后|从现在(?:起|开始)|下次|覚えて|忘れないで|今後は|기억해|앞으로"
    ),
    "correction": (
        r"(?:^|[.!?]\s)\s*(?:(?:no|nope|nein|falsch|wrong|non)\b[,.:;! -]|(?:always|never|immer|nie|niemals|toujours|jamais)\b)|\b(?:that['’]?s (?:wrong|not)|not (?:like that|what i)|i (?:said|meant|told you|asked for|prefer)|you (?:should have|got it wrong)|instead of|rather than|stop \w+ing|please (?:don['’]t|never|always)|we (?:never|always|don['’]t)"
        r"|stimmt (?:so )?nicht|nicht so\b|ich (?:meinte|sagte|hatte gesagt|bevorzuge|möchte lieber|mag lieber)|stattdessen|anstatt|sondern|lieber|bitte (?:nie|niemals|immer|kein\w*)|wir (?:nie|niemals|immer)"
        r"|ce n['’]est pas|je préfère|plutôt que|au lieu de)\b|(?:^|[\s。，])(?:总是|永远|从不)|不对|不是这样|错了|我说的是|我的意思是|应该(?:是|用|改)|而不是|请(?:总是|不要|别|始终)|我(?:更)?喜欢|我习惯|我们(?:从不|总是|不用)|違います|そうじゃな|ではなく|아니요|대신"
    ),
    "decision": (
        rules.DECIDED
        + r"|\b(?:(?:we|i) (?:will|['’]ll) (?:use|go with|keep|stay|ship|move|drop)|we['’]ll (?:use|go with|keep|stay|ship|move|drop)|let['’]s (?:go with|use|keep|stick)|going with|settled on|the (?:plan|rule|deadline|convention|release|owner) is|deadline|due (?:on|by)|freeze"
        r"|wir (?:nehmen|nutzen|verwenden|bleiben bei|gehen mit)|einigen uns|festgelegt|es bleibt bei|stichtag|abgabe(?:termin)?|on (?:utilise|garde|prend))\b|就用|改成|采用|定了|定为|敲定|我们(?:用|选|采用)|截止|にします|することにし|하기로"
    ),
    "name": (
        r"\b(?:my name is|call me|i['’]m called|i work (?:at|for|as|in)|i am (?:an? |the )\w+|i['’]m (?:an? |the )\w+|(?:my|our) (?:team|boss|manager|colleague|company|customer|client|email|time ?zone|pronouns)\b"
        r"|ich heiße|mein name|nenn(?:e|t|en sie)? mich|ich arbeite (?:bei|als|für|in)|ich bin (?:der|die|eine?)\b|(?:mein|unser)e? (?:team|chefin?|kolleg\w+|firma|kund\w+)|je m['’]appelle|je travaille)"
        r"|我叫|我的名字|叫我|我是|我在.{1,12}(?:工作|上班)|我们(?:团队|公司|客户)|私の名前|と申します|제 이름"
    ),
}
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|(?<=[。！？；])|\n+")
_POLITE = re.compile(
    r"(?:(?:ok|okay|now|then|next|and|also|please|bitte|nun|jetzt|dann|und|can you|could you|kannst du|könntest du)\b"
    r"|好的?|那么|现在|然后|接着|再)[,，:]?\s*",
    re.IGNORECASE,
)


class Worth(NamedTuple):
    """*level*: NOTHING (the gate has no use for it), LITTLE, MUCH (somebody says something). *sign*: which of
    `_SIGNS` the user gave, or `cause` for a reply that explains one; "" for none."""

    level: int
    sign: str = ""


def of_turn(user: str, reply: str, knobs: GateKnobs) -> Worth:
    """What the turn may hold."""
    said = rules.prose(user[:MAX_LOOKED_AT])
    sign = sign_of(said)
    if sign:
        return Worth(MUCH, sign)
    try:
        gate.admit(gate.Candidate(f"{user}\n\n{reply}", kind="turn", by="assistant"), knobs=knobs)
    except Refused:
        return Worth(NOTHING)
    if rules.CAUSED.search(rules.prose(reply[:MAX_LOOKED_AT])):
        return Worth(MUCH, "cause")
    return Worth(MUCH if _states(said) else LITTLE)


def sign_of(said: str) -> str:
    """The plainest sign that the user gave; "" for none. A question gives none."""
    told = " ".join(part for part in _sentences(said) if not rules.is_question(part))
    return next((name for name in _SIGNS if _compiled(name).search(told)), "")


@cache
def _compiled(name: str) -> re.Pattern[str]:
    return re.compile(_SIGNS[name], re.IGNORECASE)


def _sentences(said: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.split(said) if part.strip()]


def _states(said: str) -> bool:
    """Whether a sentence of the user is neither a question, nor an order for now, nor a nod."""
    return any(
        rules.units(part) >= LEAST_STATEMENT and not rules.is_question(part) and not _is_order(part)
        for part in _sentences(said)
    )


def _is_order(part: str) -> bool:
    bare = part.rstrip(".!。！ ")
    while match := _POLITE.match(bare):
        bare = bare[match.end() :]
    first = re.match(r"\w+", fold(bare))
    return (
        bool(first and first[0] in ORDERS)
        or rules.is_imperative(bare)
        or bare.startswith(ORDERS_BEGIN)
        or bare.endswith(ORDERS_END)
    )
