"""Signatures: over the raw bytes, by any of the keys, fresh where they are dated."""

import hashlib
import hmac

import pytest

from triage.core.events import Head, Secrets, receive, verify
from triage.core.events.verify import is_signed
from triage.errors import BadInput, BadSignature

SECRETS = Secrets(panic=("old", "new"), github=("hub",), sentry=("client",))
BODY = b'{ "a" : 1 }\n'
NOW = 1_767_607_207.0


def sign(key: str, body: bytes = BODY) -> str:
    """Return the signature that *key* makes."""
    return hmac.new(key.encode(), body, hashlib.sha256).hexdigest()


def check(sender: str, secrets: Secrets = SECRETS, body: bytes = BODY, **headers: str):
    """Verify with headers whose names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    verify(named, body, secrets, sender=sender, now=NOW)


@pytest.mark.parametrize("key", ["old", "new"])
def test_each_key_is_good_while_two_are_rotated(key):
    """Either of two keys signs a delivery."""
    check("panic", x_triage_signature_256=f"sha256={sign(key)}")


def test_senders_have_headers_of_their_own():
    """GitHub's has a prefix, Sentry's has none."""
    check("github", x_hub_signature_256=f"sha256={sign('hub')}")
    check("sentry", sentry_hook_signature=sign("client"))


@pytest.mark.parametrize(
    "given",
    [
        "",
        "sha256=",
        sign("hub"),
        f"sha256={sign('other')}",
        f"sha256={sign('hub')} ",
        f"sha1={sign('hub')}",
        f"sha256={sign('hub')[:-1]}",
        "sha256=\udc80\u00e9",
    ],
)
def test_what_is_not_the_signature_is_refused(given):
    """A part of it, another's, another form, or what is no text at all."""
    with pytest.raises(BadSignature):
        check("github", x_hub_signature_256=given)


def test_signature_is_over_the_bytes_as_they_came():
    """The same JSON written otherwise has another signature."""
    signature = sign("hub", b'{"a":1}')
    with pytest.raises(BadSignature):
        check("github", x_hub_signature_256=f"sha256={signature}")


def test_missing_header_is_refused():
    """An unsigned delivery does not pass."""
    with pytest.raises(BadSignature, match="x-hub-signature-256"):
        check("github")


@pytest.mark.parametrize("sender", ["panic", "github", "sentry"])
def test_route_without_its_secret_refuses_everything(sender):
    """The empty key is not a key, and the message names the variable."""
    headers = {
        "x_triage_signature_256": f"sha256={sign('')}",
        "x_hub_signature_256": f"sha256={sign('')}",
        "sentry_hook_signature": sign(""),
    }
    with pytest.raises(BadSignature, match=r"set TRIAGE_.*SECRET") as caught:
        check(sender, Secrets(), BODY, **headers)
    assert caught.value.code == "bad-signature"


@pytest.mark.parametrize("moment", [int(NOW), int(NOW) - 300, int(NOW) + 299])
def test_dated_delivery_signs_its_moment_too(moment):
    """Within five minutes, before and after."""
    signature = sign("new", b"%d.%b" % (moment, BODY))
    check(
        "panic",
        x_triage_timestamp=str(moment),
        x_triage_signature_256=f"sha256={signature}",
    )


@pytest.mark.parametrize("moment", [int(NOW) - 301, int(NOW) + 301, 0])
def test_old_and_future_deliveries_are_refused(moment):
    """A good signature does not last."""
    signature = sign("new", b"%d.%b" % (moment, BODY))
    with pytest.raises(BadSignature, match="5 minutes"):
        check(
            "panic",
            x_triage_timestamp=str(moment),
            x_triage_signature_256=f"sha256={signature}",
        )


@pytest.mark.parametrize("moment", ["", "soon", "-1", "1e9", "1" * 13, "\u0663", "1_0"])
def test_moment_is_a_number_of_seconds(moment):
    """What is none is refused, whatever the signature is."""
    signature = sign("new", f"{moment}.".encode() + BODY)
    with pytest.raises(BadSignature, match="no number"):
        check(
            "panic",
            x_triage_timestamp=moment,
            x_triage_signature_256=f"sha256={signature}",
        )


def test_undated_signature_does_not_hold_for_a_dated_delivery():
    """A moment cannot be added to a signature that was made without one."""
    with pytest.raises(BadSignature):
        check(
            "panic",
            x_triage_timestamp=str(int(NOW)),
            x_triage_signature_256=f"sha256={sign('new')}",
        )


def test_moment_means_nothing_to_other_senders():
    """Only our own form has it."""
    check("github", x_triage_timestamp="x", x_hub_signature_256=f"sha256={sign('hub')}")


def test_signed_is_whoever_sends_the_header():
    """A bad signature is one too."""
    assert is_signed({"x-triage-signature-256": "x"}, "panic")
    assert not is_signed({"x-hub-signature-256": "x"}, "panic")


def test_secrets_do_not_show():
    """A value in a log does not tell the keys."""
    assert "client" not in repr(SECRETS)


def test_head_keeps_what_the_body_does_not_say():
    """The event's kind, the delivery's id, the type without parameters."""
    headers = {
        "content-type": "Application/JSON; charset=utf-8",
        "x-github-event": "workflow_job",
        "x-github-delivery": "72d3162e",
        "x-triage-delivery": "another's",
    }
    assert receive("github", headers, [("a", "b")]) == Head(
        "github", "application/json", "workflow_job", "72d3162e", (("a", "b"),)
    )
    assert receive("datadog", {}, ()) == Head("datadog", "")
    sentry = receive("sentry", {"sentry-hook-resource": "issue", "request-id": "7"}, ())
    assert (sentry.kind, sentry.delivery) == ("issue", "7")
    assert receive("panic", {"x-triage-delivery": ""}, ()).delivery is None


def test_delivery_id_has_a_bound():
    """It is kept, so it cannot be a book."""
    with pytest.raises(BadInput, match="200 characters"):
        receive("panic", {"x-triage-delivery": "x" * 201}, ())
