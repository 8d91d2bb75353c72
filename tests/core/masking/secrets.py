"""Made-up secrets. They are put together when tests run: no scanner finds them here."""

from typing import Final

_HEX: Final = "0123456789abcdef" * 8
_MIXED: Final = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zZ" * 8


def _made(*parts: str) -> str:
    return "".join(parts)


def _pem(kind: str) -> str:
    body = "\n".join(_MIXED[n * 64 : n * 64 + 64] for n in range(3))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


VALUES: Final = {
    "AWS access key": _made("AK", "IA", "Z7VRSQ5TJN2XMPLQ"),
    "AWS secret key": 'aws_secret_key = "' + _MIXED[:40] + '"',
    "GitHub token": _made("gh", "p_", _MIXED[:36]),
    "GitHub fine-grained token": _made("github", "_pat_", _MIXED[:40]),
    "GitLab token": _made("gl", "pat-", _MIXED[:20]),
    "Slack token": _made("xo", "xb-", "123456789012-", _MIXED[:24]),
    "Slack webhook": _made(
        "https://hooks.sl", "ack.com/services/T01234567/B01234567/", _MIXED[:24]
    ),
    "Stripe key": _made("sk_", "live_", _MIXED[:24]),
    "SendGrid key": _made("SG", ".", _MIXED[:22], ".", _MIXED[:43]),
    "Twilio key": _made("S", "K", _HEX[:32]),
    "npm token": _made("//registry.npmjs.org/:_auth", "Token=", "npm_", _MIXED[:36]),
    "PyPI token": _made("pypi-AgEIcHlwaS5vcmc", _MIXED[:80]),
    "JWT": _made("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.", _MIXED[:43]),
    "RSA key": _pem("RSA "),
    "EC key": _pem("EC "),
    "OpenSSH key": _pem("OPENSSH "),
    "PKCS 8 key": _pem(""),
    "database address": _made("postgres://shop:", "hunter2pw", "@db.example.com/shop"),
    "Redis address": _made("redis://:", "s3cr3tpw", "@cache.example.com:6379/0"),
    "Google API key": _made("AI", "za", _MIXED[:35]),
    "OpenAI key": _made("sk", "-proj-", _MIXED[:48]),
    "Anthropic key": _made("sk", "-ant-api03-", _MIXED[:60]),
    "bearer token": _made("Authorization: Bearer ", _MIXED[:40]),
    "password in a message": _made("login failed: password=", "hunter2pw"),
    "signed address": _made("https://bucket.example.com/x?X-Amz-Signature=", _HEX[:64]),
    "private address": "http://billing.prod.internal:8080/v1/charge",
    "address in a private network": "http://10.20.30.40:9200/orders",
    "Vault token": _made("hv", "s.", _MIXED[:24]),
    "Mailchimp key": _made(_HEX[:32], "-us12"),
    "Telegram token": _made("123456789", ":", "AA", _MIXED[:33]),
    "Azure storage key": _made("AccountKey=", _MIXED[:86], "=="),
}
"""By what it is, at least what of it nobody may see."""

HIDDEN: Final = {
    "AWS secret key": (_MIXED[:40],),
    "Slack webhook": (_MIXED[:24],),
    "RSA key": (_MIXED[:64],),
    "EC key": (_MIXED[:64],),
    "OpenSSH key": (_MIXED[:64],),
    "PKCS 8 key": (_MIXED[:64],),
    "npm token": (_MIXED[:36],),
    "database address": ("hunter2pw",),
    "Redis address": ("s3cr3tpw",),
    "bearer token": (_MIXED[:40],),
    "password in a message": ("hunter2pw",),
    "signed address": (_HEX[:64],),
    "private address": ("billing.prod.internal",),
    "address in a private network": ("10.20.30.40",),
    "Azure storage key": (_MIXED[:86],),
}
"""The secret part, where that is not all of the value."""


def hidden(name: str) -> tuple[str, ...]:
    """Return what of a value has to go."""
    return HIDDEN.get(name, (VALUES[name],))
