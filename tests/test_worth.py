"""What people say when something is to be kept, and what asks for no look back."""

from __future__ import annotations

import pytest

from memory_skill.config import GateKnobs
from memory_skill.worth import LITTLE, MUCH, NOTHING, of_turn

REPLY = "I changed the function and ran the tests of the module; all of them pass again."
ANTWORT = "Ich habe die Funktion geändert und die Tests laufen lassen; sie sind alle wieder grün."
回答 = "我已经修改了这个函数，并且重新运行了整个模块的测试，现在全部都通过了，没有再改动别的文件。"


@pytest.mark.parametrize(
    ("sign", "said"),
    [
        ("remember", "Remember: we pay in euros."),
        ("remember", "Remember that the staging box restarts at four."),
        ("remember", "For next time: the port is 8081."),
        ("remember", "Merk dir bitte, dass der Port 8081 ist."),
        ("remember", "Ab jetzt nur noch über den Proxy."),
        ("remember", "记住，测试库的端口是 8081。"),
        ("remember", "以后都走代理。"),
        ("correction", "No, not the second column."),
        ("correction", "I meant the invoice date, not the due date."),
        ("correction", "Nein, ich meinte das Rechnungsdatum."),
        ("correction", "Das stimmt nicht, es sind Cent."),
        ("correction", "不对，应该用分而不是元。"),
        ("correction", "我的意思是发票日期。"),
        ("decision", "We decided to drop Python 3.10."),
        ("decision", "Let's go with the second design."),
        ("decision", "Wir haben beschlossen, 3.10 fallen zu lassen."),
        ("decision", "Wir nehmen den zweiten Entwurf."),
        ("decision", "我们决定不再支持 3.10。"),
        ("decision", "那就用第二个方案。"),
        ("name", "My name is Ada, by the way."),
        ("name", "Call me Ada."),
        ("name", "Ich heiße Ada."),
        ("name", "我叫小林。"),
    ],
)
def test_signs_are_heard_in_three_languages(sign: str, said: str) -> None:
    """However short the turn is."""
    assert of_turn(said, "ok", GateKnobs()) == (MUCH, sign)


@pytest.mark.parametrize(
    ("user", "reply"),
    [
        ("Run the tests again.", REPLY),
        ("Now add a flag for it, please.", REPLY),
        ("Thanks, looks good.", REPLY),
        ("Can you explain what this does?", REPLY),
        ("Should I remember to use tabs?", REPLY),
        ("Schreibe jetzt bitte auch einen Test dafür und führe ihn aus.", ANTWORT),
        ("Danke, sieht gut aus.", ANTWORT),
        ("Was macht die Funktion genau?", ANTWORT),
        ("帮我再运行一次全部的测试用例，看看结果。", 回答),
        ("谢谢，很好。", 回答),
        ("这个函数是做什么的？", 回答),
    ],
)
def test_orders_questions_and_nods_are_little(user: str, reply: str) -> None:
    """The gate would take such a turn, but nobody is interrupted for it."""
    assert of_turn(user, reply, GateKnobs()) == (LITTLE, "")


@pytest.mark.parametrize(
    ("user", "reply"), [("ok", "Done."), ("ok", "```py\n" + "x = 1\n" * 60 + "```"), ("好", "完成了。")]
)
def test_what_the_gate_refuses_is_nothing(user: str, reply: str) -> None:
    """A turn too short to be understood, or of code alone."""
    assert of_turn(user, reply, GateKnobs()).level == NOTHING


@pytest.mark.parametrize(
    ("user", "reply"),
    [
        ("Write the migration. Production runs Postgres 15 behind pgbouncer.", REPLY),
        ("Schreibe die Migration. In Produktion läuft Postgres 15 hinter pgbouncer.", ANTWORT),
        ("写一个迁移脚本。生产环境用的是 Postgres 15，前面有 pgbouncer。", 回答),
    ],
)
def test_a_statement_beside_an_order_is_much(user: str, reply: str) -> None:
    """What a user states in passing is what is lost most easily."""
    assert of_turn(user, reply, GateKnobs()) == (MUCH, "")


def test_a_cause_that_the_agent_found_is_much() -> None:
    """A lesson stands in the reply, not in the question; it asks for nothing early."""
    reply = "It fails because the pool is closed before the last worker has given its connection back."

    assert of_turn("Why does it fail?", reply, GateKnobs()) == (MUCH, "cause")


def test_signs_in_code_and_quotations_are_not_heard() -> None:
    """What is quoted was said by somebody else."""
    assert of_turn('Translate `remember that` and "we decided to go" for me.', "ok", GateKnobs()).sign == ""
