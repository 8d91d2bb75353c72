"""Find secrets in a text and mask them.

What detect-secrets knows is taken from its detectors; they read nothing and ask nobody,
as they are used here.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Protocol

from triage.core.masking.patterns import HARMLESS, LIKELY, PATTERNS, PRIVATE_KEY
from triage.core.masking.regions import Region, regions

_SHORTEST: Final = 12
"""Characters from which on a value is masked wherever it stands."""


@dataclass(frozen=True, slots=True)
class Found:
    """A secret that was masked."""

    kind: str
    line: int
    """Counted from 1."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets; its lines are where they were."""

    text: str
    found: tuple[Found, ...]


class _Detector(Protocol):
    """A detector of detect-secrets."""

    secret_type: str

    def analyze_string(self, string: str) -> Iterable[str]:
        """Yield the secrets in *string*."""
        ...


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    kind: str


def mask(text: str, *, source: bool = False) -> Masked:
    """Mask the secrets of *text*; *source*: it is Go, whose code stays as it is.

    Until there is none: what stood beside one may be told as another once that is gone.
    """
    found = list[Found]()
    while spans := _spans(text, source=source):
        text, more = _masked(text, spans)
        found += more
    return Masked(text, tuple(sorted(found, key=lambda one: one.line)))


def _spans(text: str, *, source: bool) -> list[_Span]:
    within = regions(text) if source else (Region(0, len(text)),)
    return _merged([*_keys(text), *_shaped(text), *_told(text, within)])


def _masked(text: str, spans: Sequence[_Span]) -> tuple[str, list[Found]]:
    out, found, end, line = list[str](), list[Found](), 0, 1
    for span in spans:
        out.append(text[end : span.start])
        line += text.count("\n", end, span.start)
        found.append(Found(span.kind, line))
        out.append(_in_place(text[span.start : span.end], span.kind))
        line += text.count("\n", span.start, span.end)
        end = span.end
    return "".join([*out, text[end:]]), found


def _in_place(secret: str, kind: str) -> str:
    """Write what stands in for a secret, on as many lines."""
    return "\n".join([f"[masked: {kind}]"] * (secret.count("\n") + 1))


def _merged(spans: Sequence[_Span]) -> list[_Span]:
    """Sort spans; of those that overlap the first one's kind counts for all."""
    merged = list[_Span]()
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = _Span(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return merged


def _keys(text: str) -> Iterator[_Span]:
    """Find private keys in PEM, over several lines or on one."""
    for match in PRIVATE_KEY.finditer(text) if "PRIVATE KEY" in text else ():
        if "[masked" not in match["secret"]:
            yield _Span(*match.span("secret"), "Private Key")


def _shaped(text: str) -> Iterator[_Span]:
    """Find what has the form of a key, wherever it stands."""
    for detector in _detectors():
        for value in sorted(set(detector.analyze_string(text))):
            if len(value) >= _SHORTEST and not HARMLESS.search(value):
                yield from _everywhere(text, value, detector.secret_type)


def _everywhere(text: str, value: str, kind: str) -> Iterator[_Span]:
    start = text.find(value)
    while start >= 0:
        yield _Span(start, start + len(value), kind)
        start = text.find(value, start + len(value))


def _told(text: str, within: Sequence[Region]) -> Iterator[_Span]:
    """Find what its surroundings tell to be one, within literals and comments."""
    for region in within:
        for kind, pattern in PATTERNS:
            for match in pattern.finditer(text, region.start, region.end):
                if not HARMLESS.search(match["secret"]):
                    yield _Span(*match.span("secret"), kind)
    yield from _assigned(text, within)


def _assigned(text: str, within: Sequence[Region]) -> Iterator[_Span]:
    """Find literals that are given to something whose name says that it is secret."""
    keyword, forms = _keyword()
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if len(line) < _LONGEST and LIKELY.search(line):
            values = {v for form in forms for v in keyword.analyze_string(line, form)}
            for value in sorted(filter(_is_secret, values)):
                at = text.find(value, start, end)
                if any(
                    one.start <= at and at + len(value) <= one.end for one in within
                ):
                    yield _Span(at, at + len(value), keyword.secret_type)
        start = end + 1


_LONGEST: Final = 2_000
"""Characters of a line in which an assignment is looked for."""
_LEAST: Final = 6


def _is_secret(value: str) -> bool:
    """Tell a secret from a word: words have no digits, or spaces between them."""
    word = value.isalpha() or " " in value or "/" in value[:1]
    return len(value) >= _LEAST and not word and not HARMLESS.search(value)


@cache
def _detectors() -> tuple[_Detector, ...]:
    """Make the detectors of keys that are told by their form alone."""
    # Late, for whoever masks nothing; it takes its time.
    from detect_secrets.plugins import (  # noqa: PLC0415
        artifactory,
        aws,
        azure_storage_key,
        cloudant,
        discord,
        jwt,
        mailchimp,
        pypi_token,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        telegram_token,
        twilio,
    )

    return (
        artifactory.ArtifactoryDetector(),
        aws.AWSKeyDetector(),
        azure_storage_key.AzureStorageKeyDetector(),
        cloudant.CloudantDetector(),
        discord.DiscordBotTokenDetector(),
        jwt.JwtTokenDetector(),
        mailchimp.MailchimpDetector(),
        pypi_token.PypiTokenDetector(),
        sendgrid.SendGridDetector(),
        slack.SlackDetector(),
        square_oauth.SquareOAuthDetector(),
        stripe.StripeDetector(),
        telegram_token.TelegramBotTokenDetector(),
        twilio.TwilioKeyDetector(),
    )


@cache
def _keyword() -> tuple[Any, tuple[Any, ...]]:
    """Make the detector of assignments, with the forms that Go has for them."""
    from detect_secrets.plugins import keyword  # noqa: PLC0415 - as above

    forms = (
        keyword.GOLANG_DENYLIST_REGEX_TO_GROUP,
        keyword.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP,
    )
    return keyword.KeywordDetector(), forms
