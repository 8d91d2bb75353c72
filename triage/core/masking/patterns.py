"""What secrets look like, beside what detect-secrets knows."""

import re
from typing import Final

_VALUE: Final = r"[^\s\"'`,;&)\]}<>\\]{6,500}"
_NAMED: Final = (
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key"
    r"|client[_-]?secret|private[_-]?key|credentials?)"
)

# The group `secret` is what is masked.
PATTERNS: Final = (
    (
        "Basic Auth Credentials",
        re.compile(r"://[^\s:/?#@\"'`]{0,200}:(?P<secret>[^\s@/\"'`]{1,500})@"),
    ),
    (
        "Bearer Token",
        re.compile(
            r"(?i)\b(?:bearer|basic|token)\s+(?P<secret>[A-Za-z0-9._~+/-]{16,2000}=*)"
        ),
    ),
    ("Google API Key", re.compile(r"\b(?P<secret>AIza[0-9A-Za-z_-]{35})")),
    ("Google OAuth Token", re.compile(r"\b(?P<secret>ya29\.[0-9A-Za-z_-]{20,500})")),
    ("Anthropic API Key", re.compile(r"\b(?P<secret>sk-ant-[0-9A-Za-z_-]{20,500})")),
    ("OpenAI API Key", re.compile(r"\b(?P<secret>sk-(?:proj-)?[0-9A-Za-z_-]{32,500})")),
    (
        "GitHub Token",
        re.compile(
            r"\b(?P<secret>(?:gh[pousr]_[0-9A-Za-z]{36,255}|github_pat_[0-9A-Za-z_]{22,255}))"
        ),
    ),
    (
        "GitLab Token",
        re.compile(
            r"\b(?P<secret>gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[0-9A-Za-z_-]{20,300})"
        ),
    ),
    ("npm Token", re.compile(r"\b(?P<secret>npm_[0-9A-Za-z]{36})")),
    ("npm Token", re.compile(r":_authToken=(?P<secret>[^\s\"'`\\]{8,500})")),
    (
        "AWS Secret Key",
        re.compile(
            r"(?i)aws.{0,20}?(?:key|secret|token).{0,20}?[\\'\"`:= ]"
            r"(?P<secret>[0-9a-z/+]{40})(?![0-9a-z/+])"
        ),
    ),
    ("DigitalOcean Token", re.compile(r"\b(?P<secret>do[opr]_v1_[0-9a-f]{64})")),
    (
        "HashiCorp Vault Token",
        re.compile(r"\b(?P<secret>hv[sbr]\.[0-9A-Za-z_-]{24,500})"),
    ),
    ("Shopify Token", re.compile(r"\b(?P<secret>shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})")),
    ("Age Secret Key", re.compile(r"(?P<secret>AGE-SECRET-KEY-1[0-9A-Z]{58})")),
    (
        "Webhook URL",
        re.compile(
            r"https://(?:hooks\.slack\.com/|discord(?:app)?\.com/api/webhooks/|[\w.-]+\.webhook\.office\.com/)(?P<secret>[\w/@.-]{10,500})"
        ),
    ),
    (
        "Signed URL",
        re.compile(
            rf"(?i)[?&](?:x-amz-(?:signature|credential|security-token)|x-goog-signature|sig|signature|access_token|auth|{_NAMED})=(?P<secret>{_VALUE})"
        ),
    ),
    (
        "Private URL",
        re.compile(
            r"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?:[^\s/@\"'`]{0,200}@)?(?P<secret>"
            r"(?:[\w-]{1,63}\.){1,10}(?:internal|intranet|corp|lan|local|private|home\.arpa|svc)\b(?:\.[\w-]{1,63}){0,5}"
            r"|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})(?::\d{1,5})?"
        ),
    ),
    (
        "Secret Keyword",
        re.compile(
            rf"(?i)\b[\w.-]{{0,40}}{_NAMED}[\"']?(?:=|:\s?|:?=\s?)[\"']?(?P<secret>(?=[^\s\"'`]*\d){_VALUE})"
        ),
    ),
)
"""Kind and pattern, applied within literals, comments and texts."""

PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?P<secret>.{0,20000}?)(?:-----END|\Z)",
    re.DOTALL,
)

LIKELY: Final = re.compile(r"(?i)key|pass|pwd|secret|token|auth|cred|private")
"""Lines without any of these name no secret."""

HARMLESS: Final = re.compile(
    r"(?i)\[masked|%[a-z+#]|\{\{|\$\{|<[a-z]|^(?:x{3,}|\*{3,}|\.{3}|null|nil|none|true|false"
    r"|example|test|foo|bar|changeme|password|passwd|secret|token|your[_-].*)$"
)
"""Values that stand in for one."""
