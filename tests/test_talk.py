"""Ranking turns of a conversation: the answer counts, not the words alone."""

from __future__ import annotations

from memory_skill.talk import Spoken, Talk

TURNS = [
    Spoken("a", "Ada", "Did you find out who maintains the relay?", "8 May 2026"),
    Spoken("a", "Ben", "Yes, that is Petra.", "8 May 2026"),
    Spoken("a", "Ada", "Thanks! The weather is lovely.", "8 May 2026"),
    Spoken("b", "Ben", "The pump broke again.", "9 June 2026"),
    Spoken("b", "Ada", "It was repaired yesterday by the pump people.", "9 June 2026"),
]


def best(query: str) -> list[str]:
    return [TURNS[at].text for at, _ in Talk(TURNS).rank(query)]


def test_answer_beside_its_question_is_found_by_the_question_s_words() -> None:
    """The turn that answers shares no word with the query; the one before it does."""
    assert "Yes, that is Petra." in best("who maintains the relay")[:2]


def test_question_for_a_time_prefers_turns_that_name_one() -> None:
    """`when` is answered by yesterday."""
    assert best("when was the pump repaired")[0] == "It was repaired yesterday by the pump people."


def test_neighbours_end_at_the_session() -> None:
    """What was said in another session does not lend its words."""
    assert "The pump broke again." not in best("weather")


def test_odd_queries_find_nothing_and_break_nothing() -> None:
    """No words, no turns."""
    assert best("") == best("the of") == best("\x00 😀") == []
    assert Talk([]).rank("relay") == []
