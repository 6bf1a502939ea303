"""The forms of keys that their providers document, and the words that announce a secret, in eight languages.

Data only. A form is tried only where its hint stands, so that a text without any costs no compilation.
"""

# ruff: noqa: E501  (a pattern is read as one line)
from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """One kind of key: a literal that it always holds, and its pattern from the first character to the last.

    *plain* False: the prefix is also the beginning of honest words, so what follows must look random.
    """

    name: str
    hint: str
    pattern: str
    plain: bool = True


_ID = "[A-Za-z0-9_-]"
_AN = "[A-Za-z0-9]"
_HEX = "[0-9a-f]"
_UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_B64 = "[A-Za-z0-9+/]"

# The order matters: the more special form first. Sources: the providers' own documentation of their tokens.
FORMS = (
    Form("anthropic", "sk-ant-", rf"sk-ant-{_ID}{{20,}}"),
    Form("openrouter", "sk-or-", rf"sk-or-(?:v\d-)?{_AN}{{20,}}"),
    Form("langfuse", "sk-lf-", rf"sk-lf-{_ID}{{20,}}"),
    Form("openai", "sk-", rf"sk-(?:(?:proj|svcacct|admin|None)-)?{_ID}{{16,}}", plain=False),
    Form("openai", "sess-", rf"sess-{_AN}{{40,}}"),
    Form("github", "gh", rf"gh[pousr]_{_AN}{{30,}}"),
    Form("github", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,}"),
    Form("gitlab", "gl", rf"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent|oas|ffct|wt)-{_ID}{{16,}}"),
    Form("gitlab", "GR1348941", rf"GR1348941{_ID}{{18,}}"),
    Form("gitlab", "_gitlab_session=", rf"_gitlab_session={_AN}{{20,}}"),
    Form("aws", "A", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Form("aws-bedrock", "ABSK", rf"ABSK{_B64}{{80,}}={{0,2}}"),
    Form("aws-session", "IQoJb3JpZ2lu", rf"IQoJb3JpZ2lu{_B64}{{40,}}={{0,2}}"),
    Form("aws-session", "FwoGZXIvYXdz", rf"FwoGZXIvYXdz{_B64}{{40,}}={{0,2}}"),
    Form("google", "AIza", rf"AIza{_ID}{{30,}}"),
    Form("google", "ya29.", rf"ya29\.{_ID}{{20,}}"),
    Form("google", "GOCSPX-", rf"GOCSPX-{_ID}{{20,}}"),
    Form("google-refresh", "1//0", rf"1//0{_ID}{{30,}}"),
    Form("firebase", ":APA91b", rf"{_ID}{{8,30}}:APA91b{_ID}{{60,}}"),
    Form("slack", "xo", r"xox[abceoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}"),
    Form("slack", "xapp-", rf"xapp-\d-{_ID}{{20,}}"),
    Form("slack-hook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{20,}"),
    Form("discord-hook", "/api/webhooks/", r"https://\w*\.?discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}"),
    Form("teams-hook", "webhook.office.com", r"https://[\w.-]+\.webhook\.office\.com/[\w@/-]{40,}"),
    Form("zapier-hook", "hooks.zapier.com", r"https://hooks\.zapier\.com/hooks/[\w/-]{16,}"),
    Form("discord", ".", r"[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])", plain=False),
    Form("stripe", "_", rf"(?:sk|rk)_(?:live|test|prod)_{_AN}{{10,}}"),
    Form("stripe-hook", "whsec_", r"whsec_[A-Za-z0-9+/]{20,}={0,2}"),
    Form("npm", "npm_", rf"npm_{_AN}{{30,}}"),
    Form("pypi", "pypi-", rf"pypi-{_ID}{{40,}}", plain=False),
    Form("rubygems", "rubygems_", rf"rubygems_{_HEX}{{40,}}"),
    Form("clojars", "CLOJARS_", rf"CLOJARS_{_AN}{{40,}}"),
    Form("nuget", "oy2", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    Form("crates", "cio", rf"cio{_AN}{{32}}(?![A-Za-z0-9])", plain=False),
    Form("huggingface", "hf_", rf"hf_{_AN}{{30,}}"),
    Form("huggingface", "api_org_", rf"api_org_{_AN}{{30,}}"),
    Form("replicate", "r8_", rf"r8_{_AN}{{30,}}"),
    Form("groq", "gsk_", rf"gsk_{_AN}{{30,}}"),
    Form("xai", "xai-", rf"xai-{_AN}{{40,}}"),
    Form("perplexity", "pplx-", rf"pplx-{_AN}{{30,}}"),
    Form("fireworks", "fw_", rf"fw_{_AN}{{20,}}", plain=False),
    Form("tavily", "tvly-", rf"tvly-(?:dev-|prod-)?{_ID}{{20,}}"),
    Form("langsmith", "lsv2_", rf"lsv2_(?:pt|sk)_{_HEX}{{20,}}(?:_{_HEX}+)?"),
    Form("pinecone", "pcsk_", r"pcsk_[A-Za-z0-9_]{30,}"),
    Form("nvidia", "nvapi-", rf"nvapi-{_ID}{{40,}}"),
    Form("sendgrid", "SG.", rf"SG\.{_ID}{{16,}}\.{_ID}{{30,}}"),
    Form("brevo", "xkeysib-", rf"x(?:keysib|smtpsib)-{_HEX}{{40,}}-{_AN}{{10,}}"),
    Form("mailgun", "key-", rf"key-{_HEX}{{32}}(?![A-Za-z0-9])"),
    Form("mailchimp", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}(?!\d)"),
    Form("resend", "re_", rf"re_{_AN}{{6,10}}_{_AN}{{20,}}"),
    Form("twilio", "SK", rf"SK{_HEX}{{32}}(?![A-Za-z0-9])"),
    Form("telegram", ":AA", rf"\d{{8,10}}:AA{_ID}{{33}}(?!{_ID})"),
    Form("digitalocean", "_v1_", rf"do[oprt]_v1_{_HEX}{{40,}}"),
    Form("heroku", "HRKU-", rf"HRKU-{_ID}{{30,}}"),
    Form("netlify", "nf", rf"nf[pcoub]_{_AN}{{30,}}"),
    Form("vercel", "vc", rf"vc[pikra]_{_AN}{{24,}}", plain=False),
    Form("supabase", "sb", rf"(?:sbp_{_HEX}{{36,}}|sb_secret_{_ID}{{20,}})"),
    Form("neon", "napi_", rf"napi_{_AN}{{30,}}"),
    Form("planetscale", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{20,}"),
    Form("fly", "FlyV1", r"FlyV1 fm\d_[A-Za-z0-9+/=,_]{40,}"),
    Form("render", "rnd_", rf"rnd_{_AN}{{20,}}"),
    Form("cloudflare", "v1.0-", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{100,}}"),
    Form("cloudflare", "cf", rf"cf(?:ut|at|k)_{_AN}{{30,}}"),
    Form("vault", "hv", rf"hv[sbr]\.{_ID}{{20,}}"),
    Form("vault", "s.", rf"s\.{_AN}{{24}}(?![A-Za-z0-9.])", plain=False),
    Form("terraform", ".atlasv1.", rf"{_AN}{{14}}\.atlasv1\.{_ID}{{40,}}"),
    Form("pulumi", "pul-", rf"pul-{_HEX}{{40}}"),
    Form("doppler", "dp.", rf"dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[a-z0-9_-]+\.)?{_AN}{{36,}}"),
    Form("databricks", "dapi", rf"dapi{_HEX}{{32}}(?:-\d)?(?![A-Za-z0-9])"),
    Form("dynatrace", "dt0", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{60,}"),
    Form("grafana", "gl", rf"gl(?:c_[A-Za-z0-9+/]{{32,}}={{0,2}}|sa_{_AN}{{32}}_[0-9A-Fa-f]{{8}})"),
    Form("newrelic", "NR", rf"NR(?:AK|II|IQ|RA|JS|AA|MA)-{_AN}{{19,}}"),
    Form("sentry", "sntr", r"sntr(?:ys_[A-Za-z0-9+/=_]{40,}|[yu]u?_[0-9a-f]{40,})"),
    Form("posthog", "ph", rf"ph[xs]_{_AN}{{30,}}"),
    Form("sonar", "sq", rf"sq[upa]_{_HEX}{{40}}"),
    Form("snyk", "snyk_", r"snyk_(?:uat|sat)\.[\w.-]{30,}"),
    Form("sourcegraph", "sgp_", rf"sgp_(?:(?:local|{_HEX}{{16}})_)?{_HEX}{{40}}"),
    Form("atlassian", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{50,}"),
    Form("atlassian", "ATCTT3", r"AT(?:CTT|BB|ST)3?[A-Za-z0-9_=-]{30,}"),
    Form("bitbucket", "ATBB", rf"ATBB{_AN}{{24,}}"),
    Form("linear", "lin_", rf"lin_(?:api|oauth)_{_AN}{{30,}}"),
    Form("notion", "ntn_", rf"ntn_{_AN}{{40,}}"),
    Form("notion", "secret_", rf"secret_{_AN}{{40,}}"),
    Form("airtable", "pat", rf"pat{_AN}{{14}}\.{_HEX}{{40,}}"),
    Form("figma", "fig", rf"fig[dorcu]{{1,2}}_{_ID}{{30,}}"),
    Form("postman", "PMAK-", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    Form("typeform", "tfp_", rf"tfp_{_ID}{{30,}}"),
    Form("contentful", "CFPAT-", rf"CFPAT-{_ID}{{40,}}"),
    Form("readme", "rdme_", r"rdme_[a-z0-9]{60,}"),
    Form("frameio", "fio-u-", rf"fio-u-{_ID}{{40,}}"),
    Form("hubspot", "pat-", rf"pat-(?:na|eu|ap)\d-{_UUID}"),
    Form("intercom", "dG9rO", r"dG9rO[A-Za-z0-9+/=]{40,}"),
    Form("dockerhub", "dckr_", rf"dckr_(?:pat|oat)_{_ID}{{20,}}"),
    Form("circleci", "CCI", r"CCIP(?:AT|RJ)_[\w-]{30,}"),
    Form("buildkite", "bk", rf"bk(?:ua|pa|aj|ct)_{_HEX}{{32,}}"),
    Form("jfrog", "AKC", rf"AKC[a-z0-9]{_AN}{{60,}}"),
    Form("jfrog", "cmVmdGtu", rf"cmVmdGtu{_B64}{{50,}}={{0,2}}"),
    Form("octopus", "API-", r"API-[A-Z0-9]{25,32}(?![A-Za-z0-9])"),
    Form("prefect", "pn", rf"pn[ub]_{_AN}{{30,}}"),
    Form("infracost", "ico-", rf"ico-{_AN}{{32}}"),
    Form("shopify", "shp", r"shp(?:at|ss|ca|pa|tka)_[0-9a-fA-F]{30,}"),
    Form("square", "sq0", rf"sq0(?:atp|csp|idp)-{_ID}{{20,}}"),
    Form("square", "EAAA", r"EAAA[A-Za-z0-9+/=_-]{40,}"),
    Form("paypal", "access_token$", rf"access_token\$(?:production|sandbox)\$[a-z0-9]+\${_HEX}{{32}}"),
    Form("razorpay", "rzp_", rf"rzp_(?:live|test)_{_AN}{{14,}}"),
    Form("flutterwave", "FLWSEC", rf"FLWSEC(?:K|K_TEST|_TEST|KTEST)?-{_ID}{{20,}}"),
    Form("shippo", "shippo_", rf"shippo_(?:live|test)_{_HEX}{{30,}}"),
    Form("duffel", "duffel_", rf"duffel_(?:live|test)_{_ID}{{30,}}"),
    Form("easypost", "EZ", rf"EZ[AT]K{_AN}{{40,}}"),
    Form("lob", "_", rf"(?:live|test)_(?:pub_)?{_HEX}{{31,40}}(?![A-Za-z0-9])"),
    Form("gocardless", "live_", rf"live_{_ID}{{36,}}", plain=False),
    Form("facebook", "EAA", rf"EAA[A-Za-z]{_AN}{{40,}}"),
    Form("instagram", "IGQ", rf"IG(?:QV|QW|AA){_ID}{{40,}}"),
    Form("twitter", "AAAAAAAAAAAA", r"A{12,}[A-Za-z0-9%]{50,}"),
    Form("mapbox", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{15,}"),
    Form("adobe", "p8e-", r"p8e-[a-z0-9]{32}"),
    Form("alibaba", "LTAI", rf"LTAI{_AN}{{12,30}}(?![A-Za-z0-9])"),
    Form("tencent", "AKID", rf"AKID{_AN}{{28,}}"),
    Form("yandex", "AQVN", rf"AQVN{_ID}{{35,}}"),
    Form("yandex", "t1.", r"t1\.[A-Z0-9a-z_-]+=*\.[A-Za-z0-9_-]{60,}=*"),
    Form("yandex", "y0_", rf"y0_{_ID}{{40,}}"),
    Form("azure-client", "Q~", r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"),
    Form("azure-devops", "AZDO", rf"{_AN}{{70,80}}AZDO{_AN}{{4}}"),
    Form("age", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    Form("1password", "ops_eyJ", rf"ops_eyJ{_ID}{{40,}}"),
    Form("1password", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    Form("tailscale", "tskey-", rf"tskey-(?:auth|api|client|scim|webhook)-{_ID}{{16,}}"),
    Form("ngrok", "_", rf"(?:ak_)?2[A-Za-z0-9]{{26}}_{_AN}{{20,}}"),
    Form("openshift", "sha256~", r"sha256~[\w-]{43}"),
    Form("scalingo", "tk-us-", rf"tk-us-{_ID}{{40,}}"),
    Form("authress", "sc_", r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,}"),
    Form("definednet", "dnkey-", rf"dnkey-{_ID}{{26}}-{_ID}{{50,}}"),
    Form("settlemint", "sm_", rf"sm_(?:aat|pat|sat)_{_AN}{{16,}}"),
    Form("launchdarkly", "-", rf"(?:sdk|api|mob)-{_UUID}"),
    Form("jwt", "eyJ", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
    Form("jwt", "eyJ", r"eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{12,}(?:\.[A-Za-z0-9_-]{16,}){1,2}"),
)  # fmt: skip

# A provider that nobody told us of names its keys in the same way: a part of the prefix says what it is.
UNKNOWN_FORM = (
    r"(?:[A-Za-z][A-Za-z0-9]{0,14}[_.-]){0,3}"
    r"(?:sk|rk|pat|tok|token|key|apikey|api|secret|live|prod|access|auth|oauth|bot|priv|private|pwd|svc|rt|at)"
    r"(?:[_.-](?:v\d|live|test|prod|api|key|token|sk))?[_-]"
    r"([A-Za-z0-9]{20,}(?:[_-][A-Za-z0-9]{4,})*)"
)

# Words that announce a password: what stands after them need not look random, only not like a word.
PASSWORD_WORDS = (
    r"pass[ _-]?(?:word|wd|code|phrase|key)s?|passwrd|pwd|pword|(?<![a-z])(?:db|my|user|root|admin)?pass(?![a-z])"
    r"|(?<![a-z])pw(?![a-z])|(?<![a-z])pin(?:[ -]?code)?(?![a-z])"
    r"|identified by|(?:wlan|wifi|wi-fi|netzwerk)[ -]?(?:schlüssel|key)|(?<![a-z])psk(?![a-z])"
    r"|passwort|passwörter|kennwort|zugangscode|geheimwort|geheimzahl"
    r"|mots? de passe|(?<![a-z])mdp(?![a-z])|contrase(?:ñ|n)a|senha|парол[ья]"
    r"|密码|密碼|口令|パスワード|暗証番号|パスフレーズ|비밀번호|암호|패스워드"
)
# Words that announce a key: what stands after them must look random.
KEY_WORDS = (
    r"(?:api|access|secret|auth\w{0,12}|encryption|signing|master|licen[sc]e|account|shared|client|app|application"
    r"|service|storage|admin|root|deploy|write|private|webhook|ingest|bot|session|consumer|security|hmac|aes|cipher"
    r"|integration|subscription|preshared|recovery|backup|sas|server|app)"
    r"[ _.-]?(?:access[ _-]?)?(?:key|secret|token|code)s?"
    r"|secrets?(?![a-z])|tokens?(?![a-z])|(?<![a-z])pat(?![a-z])"
    r"|credentials?|(?<![a-z])creds?(?![a-z])|bearer"
    r"|(?:api|zugangs|zugriffs|geheim|sicherheits|lizenz)-?schlüssel|geheimnis|zugangsdaten"
    r"|cl(?:é|e)s? (?:d['’]api|api|secr(?:è|e)te|d['’]acc(?:è|e)s|priv(?:é|e)e)|jeton|identifiants?"
    r"|clave (?:secreta|de api|api|privada|de acceso)|llave (?:secreta|privada)|ключ|токен"
    r"|密钥|密鑰|秘钥|令牌|凭证|憑證|金鑰|トークン|シークレット|秘密鍵|(?:api|アクセス) ?キー|認証情報"
    r"|토큰|시크릿|비밀 ?키|(?:api|액세스) ?키|인증 ?키"
    r"|(?<![a-z])otp(?![a-z])|(?<![a-z])totp(?![a-z])|cookie|(?:session|jsession|phpsess|connect\.s)[ _-]?id"
    r"|(?<![a-z])sig(?:nature)?(?![a-z])|(?<![a-z])salt(?![a-z])|pepper"
)
# Words that announce a key only if what follows looks very random.
WEAK_WORDS = (
    r"(?<![a-z])keys?(?![a-z])|(?-i:[a-z]Key)(?![a-z])|schlüssel|(?<![a-z])clé(?![a-z])|login|log ?in with|sign ?in"
    r"|キー|密码学|auth(?:entication|orization)?(?![a-z])|webhook"
)
# What makes of a key word the name of something else: `token_count`, `password_hash`, `key_id`, "password manager".
NOT_KEY_AFTER = (
    r"[ _-]?(?:count|limit|id\b|ids\b|name|names|file|path|dir|url|uri|endpoint|hash|type|kind|length|len\b|size|"
    r"expir\w*|ttl|policy|policies|field|column|table|used|usage|budget|reset|hint|min\b|max\b|prompt|manager|store\b|"
    r"arn\b|ref\b|rotation|strength|version|algorithm|format|bucket|vault|scope|var\b|variable|env\b|index|s? per|"
    r"ring\b|board|word\b|words\b|value|map\b|stroke|frame|press|code\b|down\b|up\b|note|less|ized?|izer|ization)"
)
PRODUCTS = frozenset(
    [
        "1password",
        "bitwarden",
        "keepass",
        "keepassxc",
        "lastpass",
        "dashlane",
        "keychain",
        "vault",
        "hashicorp",
        "gopass",
        "passbolt",
        "sops",
        "pass",
        "bcrypt",
        "scrypt",
        "argon2",
        "argon2id",
        "argon2i",
        "pbkdf2",
        "sha1",
        "sha-1",
        "sha256",
        "sha-256",
        "sha512",
        "sha-512",
        "sha3",
        "md5",
        "base64",
        "utf-8",
        "utf8",
        "oauth2",
        "oauth",
        "oidc",
        "hs256",
        "rs256",
        "es256",
        "ed25519",
        "x25519",
        "rsa-2048",
        "rsa-4096",
        "aes-256",
        "aes-256-gcm",
        "aes256",
        "ascii",
        "utf16",
        "k8s",
        "kubernetes",
        "github",
        "gitlab",
        "s3",
        "iam",
        "kms",
        "azure",
        "gcp",
        "aws",
        "localhost",
        "sso",
        "ldap",
        "saml",
        "mfa",
        "2fa",
        "totp",
        "u2f",
        "fido2",
        "webauthn",
        "required",
        "optional",
    ]
)
PLACEHOLDERS = frozenset(
    [
        "password",
        "passwort",
        "passwd",
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "key",
        "apikey",
        "api_key",
        "changeme",
        "change-me",
        "change_me",
        "none",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "todo",
        "tbd",
        "fixme",
        "empty",
        "blank",
        "hidden",
        "redacted",
        "masked",
        "removed",
        "omitted",
        "example",
        "sample",
        "dummy",
        "fake",
        "test",
        "testing",
        "placeholder",
        "string",
        "str",
        "text",
        "value",
        "foo",
        "bar",
        "baz",
        "abc",
        "abc123",
        "xyz",
        "user",
        "username",
        "admin",
        "root",
        "guest",
        "your_password",
        "your-password",
        "yourpassword",
        "mypassword",
        "my-password",
        "your_token",
        "your-token",
        "your_api_key",
        "your-api-key",
        "insert-key-here",
        "notasecret",
        "not-a-secret",
        "default",
        "process",
        "env",
        "environ",
        "os",
        "self",
        "config",
        "settings",
    ]
)
# Vendors' own examples (AWS, GitHub, Stripe, jwt.io, Azurite, Google Maps), by the first 16 hex digits of their
# sha256: the plain forms would set off every scanner that reads this file.
EXAMPLES = frozenset(
    [
        "0011cc25eb432071",
        "00cf4c781dc37003",
        "0b5dd075ccdd03c4",
        "2cafc0970149a84f",
        "2d1f7723aabc5c7a",
        "3543c50b0cb9cea8",
        "3a53d0a064baf78c",
        "6c96130f130ab0d6",
        "731fa294d036e54f",
        "797c0ce414586cc8",
        "7f75367e78812551",
        "82e74299544e0073",
        "8be5d113c0871ce1",
        "97663138e6669921",
        "a86ae86369fd155f",
        "ac9265e56c79b234",
        "ad71fb4165536675",
        "b8e148545b13c78b",
        "bc3ae723f57c6b9e",
        "c794fa6d20c64efb",
        "ca7459e2b26776de",
        "cf4d418ed3de92d7",
        "e4da07ad200089ce",
        "eab7452d7d0fd9d1",
        "ed967197261c16a9",
        "f2d6ca16515033e5",
    ]
)
