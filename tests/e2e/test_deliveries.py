"""What senders tell of one crash leads to the same place in the real source."""

from dataclasses import replace

import triage
from tests.deliveries import SHOP, body
from triage.core.events import Fetch, Head, read, read_fetched

HANDLER = """\
package handler

import "net/http"

type Notifier struct{ sent int }

func (n *Notifier) Notify() { n.sent++ }

// UserHandler answers for users.
type UserHandler struct {
	Notifier *Notifier
}

// NewUserHandler forgets the notifier.
func NewUserHandler() *UserHandler {
	return &UserHandler{}
}

// UpdateUser tells that a user has changed.
func (h *UserHandler) UpdateUser(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		return
	}
	// The field was never set.


	h.Notifier.sent = 1
}
"""
FILES = {"backend/go.mod": "module example.com/shop\n\ngo 1.27\n",
         "backend/handler/user.go": HANDLER}  # fmt: skip
JOB = Fetch("github-job-log", "acme/shop", job=1)
EVENT = Fetch("sentry-event", "", sentry_project=("go-shop",))
DELIVERIES: dict[str, Head | Fetch] = {
    "panic.txt": Head("panic", "text/plain"),
    "panic.json": Head("panic", "application/json"),
    "panic-place.json": Head("panic", "application/json"),
    "github-job.log": JOB,
    "sentry-event-alert.json": Head("sentry", "application/json", "event_alert"),
    "sentry-error.json": Head("sentry", "application/json", "error"),
    "sentry-api-event.json": EVENT,
    "otlp-exception.json": Head("logs", "application/json"),
    "otlp-exception.pb": Head("logs", "application/x-protobuf"),
    "otlp-lines.json": Head("logs", "application/json"),
    "otlp-structured.json": Head("logs", "application/json"),
    "otlp-place.json": Head("logs", "application/json"),
    "alertmanager-firing.json": Head("alertmanager", "application/json"),
    "datadog-template.json": Head("datadog", "application/json"),
    "datadog-default.json": Head("datadog", "application/json"),
}


async def test_every_delivery_explains_the_same_crash(repo, tmp_path):
    """The same lines, kind and fingerprint, however the crash was told."""
    commit = repo.commit(FILES)
    settings = triage.Settings(data_dir=tmp_path / "data")
    prints = set()
    async with triage.open_engine(settings) as engine:
        for name, head in DELIVERIES.items():
            if isinstance(head, Fetch):
                found = read_fetched(head, body(name), (SHOP,))
            else:
                found = read(head, body(name), (SHOP,))
            for report in found.reports:
                told = report.telemetry
                assert told is not None, name
                assert told.repo == "acme/shop", name
                here = replace(told, repo=str(repo.path), commit_sha=commit)
                result = await engine.context(here)
                crash = result.crash
                assert (crash.path, crash.line) == ("backend/handler/user.go", 27), name
                assert crash.function == "(*UserHandler).UpdateUser", name
                if told.trace is not None:
                    assert result.panic.kind == "nil-deref", name
                    prints.add(result.fingerprint)
    assert len(prints) == 1
