"""Places that are told of incidents, and what goes wrong on the way."""

import hashlib
import hmac
import json
from dataclasses import replace

import pytest

from tests.core.test_notices import NOTICE
from tests.sinks import github_issues, receiver
from triage.core.notices import issue
from triage.errors import BadInput, RateLimited, SourceError, SourceTimeout
from triage.sinks import Webhook
from triage.sources.github import GitHubApi, Token
from triage.sources.github.issues import Issues

KEY = "made-up"


async def told(place, *, times: int = 1) -> None:
    """Tell a receiver."""
    hook = Webhook(place.url, KEY, now=lambda: 1_000.0)
    try:
        for _ in range(times):
            assert await hook.tell(NOTICE) is None
    finally:
        await hook.close()


async def test_a_webhook_is_posted():
    """Signed over what was sent, under the message's key."""
    async with receiver() as place:
        await told(place)
    ((headers, body),) = place.got
    wanted = hmac.new(KEY.encode(), b"1000." + body, hashlib.sha256).hexdigest()
    assert headers["X-Triage-Signature-256"] == f"sha256={wanted}"
    assert headers["Idempotency-Key"] == NOTICE.key
    assert json.loads(body)["incident"]["id"] == NOTICE.fingerprint


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (500, SourceError),
        (503, SourceError),
        (408, SourceError),
        (429, RateLimited),
        (400, BadInput),
        (401, BadInput),
        (302, BadInput),
        ("cut", SourceError),
    ],
)
async def test_a_webhook_that_is_not_taken(answer, error):
    """What may be over is told apart from what will not; no address is shown."""
    async with receiver() as place:
        place.answers.append(answer)
        with pytest.raises(error) as caught:
            await told(place)
    assert type(caught.value) is error
    assert place.url not in str(caught.value)


@pytest.mark.parametrize(
    ("said", "until"),
    [("30", 1_030.0), ("Thu, 01 Jan 1970 01:00:00 GMT", 3_600.0), ("soon", None)],
)
async def test_a_webhook_that_says_when(said, until):
    """It is asked again then."""
    async with receiver() as place:
        place.answers.append(429)
        place.headers["Retry-After"] = said
        with pytest.raises(RateLimited) as caught:
            await told(place)
    assert caught.value.reset_at == until


async def test_nobody_is_there():
    """It is a failure that may be over."""
    hook = Webhook("http://127.0.0.1:1/hook", KEY)
    with pytest.raises(SourceError, match="cannot be reached"):
        await hook.tell(NOTICE)
    await hook.close()


async def test_a_webhook_that_hangs(monkeypatch):
    """It ends in time."""
    monkeypatch.setattr("triage.sinks.webhook._SECONDS", 0.1)
    async with receiver() as place:
        place.hangs = True
        with pytest.raises(SourceTimeout):
            await told(place)


@pytest.fixture
async def issues():
    """Run GitHub's issues, and a sink on them."""
    async with github_issues() as place:
        api = GitHubApi(Token("t0ken"), url=place.url, pause=0.0)
        yield place, Issues(api)
        await api.close()


async def test_one_issue_an_incident(issues):
    """It is made once, and brought up to date after that."""
    place, sink = issues
    number = await sink.tell(NOTICE)
    assert number == "1"
    more = replace(NOTICE, count=9, reference=number)
    assert await sink.tell(more) == "1"
    assert [one["body"] for one in place.issues] == [issue(more).body]
    assert place.issues[0]["labels"] == ["triage"]
    assert place.asked[1:] == ["POST", "PATCH 1"]


async def test_an_issue_is_found_again(issues):
    """Also where nobody remembers its number, among many others."""
    place, sink = issues
    for turn in range(150):
        await sink.tell(replace(NOTICE, fingerprint=f"{turn:064x}"))
    assert len(place.issues) == 150
    assert await sink.tell(replace(NOTICE, fingerprint=f"{3:064x}")) == "4"
    assert len(place.issues) == 150


async def test_an_issue_that_was_made_and_not_noted(issues):
    """A try whose answer was lost has made it: the next one finds it."""
    place, sink = issues
    place.answers.append(502)
    with pytest.raises(SourceError):
        await sink.tell(NOTICE)
    assert await sink.tell(NOTICE) == "1"
    assert len(place.issues) == 1


async def test_an_issue_that_is_gone(issues):
    """It is made anew."""
    place, sink = issues
    assert await sink.tell(replace(NOTICE, reference="77")) == "1"
    assert len(place.issues) == 1
