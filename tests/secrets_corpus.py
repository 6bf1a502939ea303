"""Synthetic secrets and what only looks like them, made at run time: no scanner finds a key in this file.

A secret is a kind (what it is) in a shape (how people write it down); values are random, the seed is fixed.
"""

# ruff: noqa: E501  (one kind, one line)
from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
EACH = 5  # of one kind in one shape


class Secret(NamedTuple):
    """A text, the value in it that must go, its kind and shape; *known*: its provider documents its form."""

    text: str
    value: str
    kind: str
    shape: str
    known: bool


class Lookalike(NamedTuple):
    """A text in which nothing is secret."""

    text: str
    kind: str


Maker = Callable[[random.Random], str]


def _of(alphabet: str, n: int) -> Callable[[random.Random], str]:
    return lambda rng: "".join(rng.choices(alphabet, k=n))


def _form(prefix: str, alphabet: str, n: int, *rest: str | int) -> Maker:
    """prefix, then n of alphabet, then (literal, alphabet, n) again and again."""

    def make(rng: random.Random) -> str:
        made = prefix + _of(alphabet, n)(rng)
        for i in range(0, len(rest), 3):
            made += str(rest[i]) + _of(str(rest[i + 1]), int(rest[i + 2]))(rng)
        return made

    return make


def _jwt(rng: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return ".".join(
        [part({"alg": "HS256", "typ": "JWT"}), part({"sub": _of(ALNUM, 12)(rng)}), _of(URLSAFE, 43)(rng)]
    )


def _block(rng: random.Random) -> str:
    lines = "\n".join(_of(BASE64, 64)(rng) for _ in range(4))
    kind = rng.choice(["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "])
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


# Kinds whose form the provider documents. The prefixes are put together from halves.
KNOWN: dict[str, Maker] = {
    "anthropic": _form("sk-" + "ant-api03-", URLSAFE, 93, "", "A", 2),
    "openai": _form("sk-" + "proj-", URLSAFE, 74, "T3Blbk" + "FJ", ALNUM, 20),
    "github": _form("gh" + "p_", ALNUM, 36),
    "github-fine": _form("github" + "_pat_", ALNUM, 22, "_", ALNUM, 59),
    "gitlab": _form("gl" + "pat-", URLSAFE, 20),
    "aws": _form("AK" + "IA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "google": _form("AI" + "za", URLSAFE, 35),
    "slack": _form("xo" + "xb-", string.digits, 12, "-", string.digits, 13, "-", ALNUM, 24),
    "slack-hook": _form("https://hooks." + "slack.com/services/T", UPPER, 8, "/B", UPPER, 10, "/", ALNUM, 24),
    "stripe": _form("sk_" + "live_", ALNUM, 24),
    "npm": _form("np" + "m_", ALNUM, 36),
    "pypi": _form("py" + "pi-AgEIcHlwaS5vcmc", URLSAFE, 120),
    "huggingface": _form("h" + "f_", string.ascii_letters, 34),
    "sendgrid": _form("S" + "G.", URLSAFE, 22, ".", URLSAFE, 43),
    "telegram": _form("", "123456789", 9, ":AA", URLSAFE, 33),
    "digitalocean": _form("do" + "p_v1_", HEX, 64),
    "databricks": _form("da" + "pi", HEX, 32),
    "shopify": _form("shp" + "at_", HEX, 32),
    "vault": _form("hv" + "s.", URLSAFE, 24),
    "grafana": _form("gl" + "sa_", ALNUM, 32, "_", HEX, 8),
    "notion": _form("nt" + "n_", ALNUM, 46),
    "docker": _form("dckr" + "_pat_", URLSAFE, 27),
    "linear": _form("lin" + "_api_", ALNUM, 40),
    "postman": _form("PM" + "AK-", HEX, 24, "-", HEX, 34),
    "twilio": _form("S" + "K", HEX, 32),
    "mailgun": _form("ke" + "y-", HEX, 32),
    "supabase": _form("sb" + "p_", HEX, 40),
    "jwt": _jwt,
    "private-key": _block,
    "age": _form("AGE-" + "SECRET-KEY-1", UPPER, 58),
}
SYMBOLS = "!@#$%^&*+=?"


def _password(rng: random.Random) -> str:
    made = (
        rng.sample(string.ascii_lowercase, 4)
        + rng.sample(string.ascii_uppercase, 3)
        + rng.sample("23456789", 2)
    )
    rng.shuffle(made)
    middle = rng.choice(SYMBOLS)
    return "".join(made[:5]) + middle + "".join(made[5:]) + "x"


def _pet(rng: random.Random) -> str:
    word = rng.choice(["hunter", "monkey", "Sommer", "dragon", "tanuki", "blau", "Kaffee", "zebra"])
    return f"{word}{rng.randint(10, 9999)}"


# Kinds without a form: only the words around them tell. (label for keys, maker)
BARE: dict[str, tuple[str, Maker]] = {
    "password": ("password", _password),
    "weak-password": ("password", _pet),
    "hex-key": ("api_key", _of(HEX, 32)),
    "long-hex": ("secret_key", _of(HEX, 64)),
    "base64-key": ("client_secret", lambda rng: _of(BASE64, 42)(rng) + "A="),
    "alnum-token": ("access_token", _of(ALNUM, 40)),
    "uuid-token": ("api_token", lambda rng: str(uuid.UUID(int=rng.getrandbits(128), version=4))),
    "aws-secret": ("aws_secret_access_key", _of(BASE64, 40)),
    "short-token": ("auth_token", lambda rng: _of(ALNUM, 14)(rng) + "7kQ2"),
    "unlisted-form": ("token", _form("acme_" + "live_", ALNUM, 32)),
}


def _label(label: str) -> str:
    return label.replace("_", " ")


# How it is written down. {v}: the value, {l}: the label, {L}: the same in capitals, {w}: as words.
SHAPES = {
    "prose": "By the way, the {w} for the staging server is {v}, please keep it safe.",
    "env": "export {L}={v}\nmake deploy",
    "json": '{{"region": "eu-1", "{l}": "{v}", "retries": 3}}',
    "yaml": "server:\n  port: 8080\n  {l}: {v}\n  debug: false",
    "list": "- **{w}:** `{v}`\n- owner: Ada",
    "code": 'Use it so:\n```python\nclient = Client({l}="{v}", timeout=30)\n```\nThen call run().',
    "german": "{g} für den Testserver lautet {v} und gilt bis Mai.",
    "chinese": "测试环境的{c}是 {v}，请不要外传。",
}
ADDRESS_SHAPES = (
    "postgres://ada:{v}@db.internal:5432/shop",
    "the cache is redis://:{v}@cache-1:6379/0 since May",
    "DATABASE_URL=mysql://root:{v}@10.0.0.3/app?ssl=1",
    "git clone https://deploy:{v}@git.acme.dev/team/app.git",
    "mongodb+srv://svc:{v}@cluster0.ab1cd.mongodb.net/test",
    "amqp://guest2:{v}@mq:5672/%2f (from the wiki)",
    "curl -u admin:{v} https://api.acme.dev/v1/health",
    "ftp://backup:{v}@files.acme.dev/ is the backup",
)
HEADER_SHAPES = (
    "curl -H 'Authorization: Bearer {v}' https://api.acme.dev",
    'headers = {{"Authorization": "Bearer {v}"}}',
    "Authorization: Bearer {v}\nAccept: */*",
    "-H 'X-Api-Key: {v}'",
    "he sent `authorization: bearer {v}` in the log",
    "Authorization: Basic {v}",
    "> Cookie: session={v}; theme=dark",
    "GET /v1/me?access_token={v}&page=2",
)


def secrets(seed: int = 7) -> Iterator[Secret]:
    """All of them: (30 known + 10 bare kinds) x 8 shapes x EACH, and addresses and headers."""
    rng = random.Random(seed)
    kinds = {name: ("api_key", make, True) for name, make in KNOWN.items()}
    kinds["private-key"] = ("private_key", _block, True)
    kinds |= {name: (label, make, False) for name, (label, make) in BARE.items()}
    for kind, (label, make, known) in kinds.items():
        words = ("Das Passwort", "密码") if label == "password" else ("Der API-Schlüssel", "密钥")
        for shape, form in SHAPES.items():
            for _ in range(EACH):
                value = make(rng)
                held = value.replace("\n", "\\n") if shape in ("json", "code") else value
                text = form.format(
                    v=held, l=label, L=label.upper(), w=_label(label), g=words[0], c=words[1]
                )  # fmt: skip
                yield Secret(text, held, kind, shape, known)
    for kind, forms, make in (
        ("address", ADDRESS_SHAPES, _of(ALNUM, 12)),
        ("header", HEADER_SHAPES, lambda rng: _of(ALNUM, 30)(rng) + "9z"),
    ):
        for i, form in enumerate(forms):
            for _ in range(EACH):
                value = make(rng)
                yield Secret(form.format(v=value), value, kind, str(i), False)


WORDS = ["river", "stone", "cloud", "maple", "amber", "north", "delta", "orbit", "violet", "copper"]


def _name(rng: random.Random) -> str:
    return "-".join(rng.sample(WORDS, 3))


PROSE = (
    "Passwords are kept in 1Password, never in the repository.",
    "The password must be at least 12 characters and is hashed with argon2id.",
    "password: ask Ada",
    "Tokens expire after 30 days; the refresh token lives in the keychain.",
    "The token count of this prompt is 4096.",
    "The secret to a good review is small commits.",
    "A password manager is required for all of the team.",
    "He forgot his password again and reset it on Monday.",
    "API key rotation happens every 90 days.",
    "The primary key is id, the foreign key is user_id.",
    "Das Passwort steht im Tresor und nicht im Wiki.",
    "Der Schlüssel liegt bei Ada; das Token läuft nach 30 Tagen ab.",
    "密码保存在 1Password 里，不要写进仓库。",
    "令牌每 30 天过期一次，由 Ada 负责更新。",
    "Use the key `user:42:profile` for the cache.",
)
CODE = (
    'password = os.environ["DB_PASSWORD"]',
    "const token = process.env.GITHUB_TOKEN;",
    "api_key: ${{ secrets.DEPLOY_KEY }}",
    "password=getpass.getpass()",
    "token = request.headers.get('Authorization')",
    "secret: !Ref DatabaseSecret",
    "PASSWORD=$(pass show acme/db)",
    "def login(user: str, password: str) -> Token: ...",
    "client = Client(api_key=settings.api_key)",
    "max_tokens: 4096",
    "token_limit = 8192",
    "password_hash VARCHAR(255) NOT NULL",
    "key = f'{tenant}:{user_id}:v2'",
    'api_key = config["stripe"]["key"]',
    '<input type="password" name="password" placeholder="Password">',
)
PLACEHOLDERS = (
    "api_key=<YOUR_API_KEY>",
    "export TOKEN=your-token-here",
    "password: changeme",
    "Authorization: Bearer <token>",
    "postgres://user:password@localhost/db",
    "OPENAI_API_KEY=sk-...",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "secret: ********",
    "token: REDACTED",
    "mysql://root:${MYSQL_ROOT_PASSWORD}@db/app",
    'API_KEY="..."',
)


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


LOOKALIKES: dict[str, Callable[[random.Random], str]] = {
    "commit": lambda r: f"commit {_of(HEX, 40)(r)} fixed the token refresh",
    "short-commit": lambda r: f"since {_of(HEX, 7)(r)} the password form has a test",
    "uuid": lambda r: f"request id {_uuid(r)} failed with 500",
    "lock-file": lambda r: f'"integrity": "sha512-{_of(BASE64, 86)(r)}=="',
    "pip-hash": lambda r: f"    --hash=sha256:{_of(HEX, 64)(r)} \\",
    "docker-digest": lambda r: f"image: registry.acme.dev/app@sha256:{_of(HEX, 64)(r)}",
    "checksum": lambda r: f"The checksum of the release is {_of(HEX, 64)(r)}.",
    "prose": lambda r: r.choice(PROSE),
    "code": lambda r: r.choice(CODE),
    "placeholder": lambda r: r.choice(PLACEHOLDERS),
    "vendor-example": lambda r: r.choice(["AK" + "IAIOSFODNN7" + "EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY"]),
    "slug": lambda r: f"see docs/{_name(r)}/{_name(r)}-{r.randint(1, 99)}.md",
    "url": lambda r: f"https://{_name(r)}.example.org:8443/{_name(r)}?page={r.randint(1, 999)}&sort=key",
    "version": lambda r: f"{_name(r)} {r.randint(0, 9)}.{r.randint(0, 40)}.{r.randint(0, 99)}-rc.{r.randint(1, 9)}",
    "timestamp": lambda r: f"20{r.randint(20, 29)}-0{r.randint(1, 9)}-1{r.randint(0, 9)}T12:0{r.randint(0, 9)}:00Z started",
    "object-id": lambda r: f"the customer is cus_{_of(ALNUM, 14)(r)} and the order pi_{_of(ALNUM, 24)(r)}",
    "ulid": lambda r: f"event 01H{_of('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 23)(r)} was sent twice",
    "colour": lambda r: f"background: #{_of(HEX, 6)(r)}; border: 1px solid #{_of(HEX, 3)(r)}",
    "image": lambda r: f"![dot](data:image/png;base64,iVBORw0KGgo{_of(BASE64, 80)(r)}==)",
    "public-key": lambda r: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{_of(BASE64, 43)(r)} ada@laptop",
    "identifier": lambda r: f"call {r.choice(WORDS)}Service.get{r.choice(WORDS).title()}TokenFor{r.choice(WORDS).title()}(userId)",
    "phone": lambda r: f"call +49 30 {r.randint(1000000, 9999999)}, room {r.randint(100, 999)}",
}  # fmt: skip


def lookalikes(seed: int = 11, each: int = 60) -> Iterator[Lookalike]:
    """*each* of every kind."""
    rng = random.Random(seed)
    for kind, make in LOOKALIKES.items():
        for _ in range(each):
            yield Lookalike(make(rng), kind)
