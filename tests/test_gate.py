"""What may enter the memory, and what is masked on the way."""

from __future__ import annotations

import pytest

from memory_skill.config import GateKnobs
from memory_skill.errors import Refused
from memory_skill.gate import check, redact

KNOBS = GateKnobs(max_chars=200)

# Forms that their providers document, filled with made-up letters; put together so that no scanner of this
# repository takes them for keys.
A20, A36, A40 = "Ab3dEf6hIj9kLmN0pQrS", "Ab3dEf6hIj9kLmN0pQrSAb3dEf6hIj9kLmN0", "Ab3dEf6hIj9kLmN0pQrS" * 2
SECRETS = {
    "anthropic": "sk-ant-" + A40,
    "openai": "sk-proj-" + A40,
    "github": "ghp_" + A36,
    "gitlab": "glpat-" + A20,
    "aws": "AKIA" + "IOSFODNN7EXAMPL2",
    "google": "AIza" + A20 + "Ab3dEf6hIj9kLmN",
    "slack": "xoxb-" + "123456789012-" + A20,
    "slack-hook": "https://hooks.slack.com/" + "services/T00000000/B00000000/" + A20,
    "stripe": "sk_live_" + A20,
    "npm": "npm_" + A36,
    "pypi": "pypi-AgEIcHlwaS" + A40,
    "huggingface": "hf_" + A36,
    "sendgrid": "SG." + A20 + "." + A40,
    "twilio": "SK" + "0123456789abcdef" * 2,
    "telegram": "123456789:AA" + A20 + "Ab3dEf6hIj9kL",
    "digitalocean": "dop_v1_" + "0123456789abcdef" * 4,
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
    "jwt": "eyJhbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0." + A20,
}


@pytest.mark.parametrize("name", SECRETS)
def test_secret_of_a_known_form_is_masked_whole(name: str) -> None:
    """Only the key goes, with no tail of it left; the sentence around it stays."""
    found = redact(f"The token is `{SECRETS[name]}`, ask Ada for it.")

    assert found.text == f"The token is `[secret: {name}]`, ask Ada for it."
    assert found.masked == (name,)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (
            "curl -H 'Authorization: Bearer abcdefgh12345678'",
            "curl -H 'Authorization: Bearer [secret: bearer]'",
        ),
        (
            "postgres://ada:hunter22@db.example.org/x",
            "postgres://ada:[secret: url-password]@db.example.org/x",
        ),
        ("https://ada:p%40ss@example.org", "https://ada:[secret: url-password]@example.org"),
    ],
)
def test_secret_in_a_header_or_an_address_is_masked(text: str, masked: str) -> None:
    """Of a bearer header and of an address with a password only the secret part goes."""
    assert redact(text).text == masked


@pytest.mark.parametrize(
    "text",
    [
        "Passwords are kept in 1Password, never in the repository.",
        "The field is called api_key; read it with os.environ['API_KEY'].",
        "password: ask Ada",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "sha512-Ab3dEf6hIj9kLmN0pQrSAb3dEf6hIj9kLmN0pQrS== in the lock file",
        "ask-ant-colony-simulation-parameters-are-long-words",
        "risk-assessment-of-the-quarterly-report",
        "see https://example.org:8080/a/b@c and git@github.com:acme/billing.git",
        "http://localhost:3000/user@example.org",
        "Use task-runner-with-a-very-long-hyphenated-name here",
        "The header `Authorization: Bearer <token>` is needed",
    ],
)
def test_harmless_text_is_not_touched(text: str) -> None:
    """The mere word, hashes, UUIDs, lock files and placeholders stay (G64)."""
    assert redact(text) == (text, ())


def test_several_secrets_are_all_masked() -> None:
    """Two of one kind and one of another are masked; each kind is named once."""
    found = redact(f"{SECRETS['npm']} {SECRETS['npm']} {SECRETS['aws']}")

    assert found == ("[secret: npm] [secret: npm] [secret: aws]", ("npm", "aws"))


def test_unfinished_private_key_is_masked_to_the_end() -> None:
    """A key whose end was cut off leaves nothing behind."""
    assert redact("key:\n-----BEGIN PRIVATE KEY-----\nMIIEabc\n").text == "key:\n[secret: private-key]"


@pytest.mark.parametrize("text", ["", "  \n\t ", "\u3000"])
def test_empty_text_is_refused(text: str) -> None:
    """Nothing to remember is refused by the rule `empty`, with exit code 5 and a hint."""
    with pytest.raises(Refused) as caught:
        check(text, KNOBS, where="x.md")

    assert (caught.value.rule, caught.value.where, caught.value.exit) == ("empty", "x.md", 5)
    assert caught.value.hint


@pytest.mark.parametrize("text", ["caf\udce9 au lait", "a\x00b, and more"])
def test_what_is_no_text_is_refused(text: str) -> None:
    """Bytes of another encoding, as a shell passes them, and NUL would make a note that nobody can read."""
    with pytest.raises(Refused) as caught:
        check(text, KNOBS)

    assert (caught.value.rule, bool(caught.value.hint)) == ("text", True)


def test_text_over_the_limit_is_refused() -> None:
    """The limit counts characters; at it the text passes, over it the rule `size` refuses."""
    assert check("\U0001f600" * 200, KNOBS).text == "\U0001f600" * 200
    with pytest.raises(Refused, match="201 characters, at most 200") as caught:
        check("x" * 201, KNOBS)
    assert caught.value.rule == "size"


def test_secret_alone_is_refused() -> None:
    """What would be nothing but a mask is not worth a note."""
    with pytest.raises(Refused, match="anthropic") as caught:
        check(f"key: {SECRETS['anthropic']}", KNOBS)

    assert caught.value.rule == "secret"
    assert SECRETS["anthropic"] not in f"{caught.value} {caught.value.hint}"


def test_long_hostile_text_is_read_once() -> None:
    """Prefixes repeated many thousand times are no work: every form is linear (L14)."""
    assert redact("sk-ant-" * 20_000).masked
    assert not redact("eyJ." * 20_000 + "://" * 20_000 + "a:" * 20_000).masked
