"""The analyser of `text`: what counts as a word, in each language, at each entrance."""

from __future__ import annotations

import pytest

from memory_skill.text import GRAM, estimate_tokens, fold, grams, stem, words


@pytest.mark.parametrize(
    ("written", "folded"),
    [("Straße", "strasse"), ("Déploiement", "deploiement"), ("ＡＢＣ", "abc"), ("が한", "が한"), ("Ω", "ω")],
)
def test_case_and_accents_fold_without_breaking_kana_or_hangul(written: str, folded: str) -> None:
    """Latin marks go, Japanese and Korean signs stay whole, wide letters become plain ones."""
    assert folded == fold(written)


def test_identifier_is_kept_whole_and_in_parts() -> None:
    """`getUserName` is found by its own name and by each of its words; so is a name with underscores."""
    assert words("getUserName") == ["getusername", "user", "name"]  # `get` says nothing
    assert words("snake_case") == ["snake_case", "snake", "case"]
    assert words("MAX_RETRY_COUNT") == ["max_retry_count", "max", "retry", "count"]
    assert {"httpserver", "http", "server"} == set(words("HTTPServer"))


def test_acronyms_digits_and_language_names_are_words() -> None:
    """CI, IT beside lower case, 8080, C++ and C# say something; the pronoun `it` does not."""
    assert words("the CI and IT of 8080 in C++ or C#") == ["ci", "it", "8080", "c++", "c#"]
    assert words("it is on us") == []


def test_function_words_of_five_languages_are_left_out() -> None:
    """Words that every sentence has decide nothing."""
    for sentence in (
        "where is it and who are they",
        "wo ist das und wer sind sie",
        "où est-il et qui sont-elles",
        "这是什么",
        "どこですか",
    ):
        assert words(sentence, query=True) == [], sentence


def test_words_of_two_languages_fall_only_in_their_own() -> None:
    """`die` and `comment` are function words in German and French queries, and content in English ones."""
    assert words("die process comment", query=True) == ["die", "process", "comment"]
    assert words("die Datenbank war kaputt", query=True) == ["datenbank", "kaputt"]
    assert words("comment déployer en production", query=True) == ["deployer", "production"]


def test_cjk_runs_become_pairs_of_characters() -> None:
    """Chinese, Japanese and Korean have no blanks between words: two signs each, without the glue."""
    assert words("数据库的备份") == ["数据", "据库", "备份"]
    assert words("バックアップ") == ["バッ", "ック", "クア", "アッ", "ップ"]
    assert words("백업을") == ["백업"]


def test_grams_mark_the_edges_of_a_word() -> None:
    """Beginning and end of a word weigh of their own; of a CJK pair the single signs are its grams."""
    assert [f"{GRAM}_ret", f"{GRAM}retr", f"{GRAM}etry", f"{GRAM}try_"] == grams("retry")
    assert [f"{GRAM}数", f"{GRAM}据"] == grams("数据")


def test_inflected_words_share_a_stem() -> None:
    """Plural, tense and -ly do not part a question from its answer."""
    for forms in (
        ("retry", "retries", "retried"),
        ("deploy", "deploys", "deploying"),
        ("break", "broke", "broken"),
    ):
        assert len({stem(form) for form in forms}) == 1, forms


@pytest.mark.parametrize("odd", ["", "\x00", "\ud800", "😀😀", "'\"*^:-()", "_ __ ___", "\u200b"])
def test_text_without_letters_has_no_words(odd: str) -> None:
    """Nothing in it can be searched, and nothing of it breaks."""
    assert words(odd) == []


def test_tokens_are_estimated_by_script() -> None:
    """A Chinese sentence costs about a token a sign, an English one about one for five letters."""
    assert 10 <= estimate_tokens("数据库的备份每天凌晨两点") <= 14
    assert 8 <= estimate_tokens("the nightly backup runs at two in the morning") <= 12
