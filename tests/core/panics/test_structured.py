"""Stacks that come as arrays of frames."""

import json

import pytest

from triage.core.panics import decipher, origin
from triage.core.panics.structured import read_structured

BOUNDS = "runtime error: index out of range [9] with length 0"
LAMBDA = {
    "errorMessage": BOUNDS,
    "errorType": "boundsError",
    "stackTrace": [
        {"path": "github.com/aws/aws-lambda-go@v1.41.0/lambda/errors.go", "line": 39, "label": "lambdaPanicResponse"},
        {"path": "runtime/panic.go", "line": 859, "label": "gopanic"},
        {"path": "runtime/panic.go", "line": 236, "label": "panicBounds64"},
        {"path": "shop/cart/cart.go", "line": 31, "label": "Cart.At"},
        {"path": "runtime/proc.go", "line": 302, "label": "main"},
    ],
}  # fmt: skip
SENTRY = {
    "event_id": "9f",
    "level": "fatal",
    "exception": {
        "values": [
            {
                "type": "runtime.boundsError",
                "value": BOUNDS,
                "mechanism": {"handled": False},
                "stacktrace": {
                    "frames": [
                        {"function": "main", "module": "main", "abs_path": "/srv/shop/main.go", "filename": "main.go", "lineno": 80, "in_app": True},
                        {"function": "Pick[...]", "module": "shop/orders", "abs_path": "/srv/shop/orders.go", "lineno": 29, "in_app": False},
                    ]
                },
            }
        ]
    },
}  # fmt: skip


def test_lambda(read, frames):
    """The runtime of AWS Lambda writes an array; the origin lies below gopanic."""
    panic = read("2026/03/14 09:26:53 " + json.dumps(LAMBDA) + "\nbye\n")
    assert (panic.kind, panic.message, panic.form) == ("index-range", BOUNDS, "json")
    assert frames(panic)[origin(panic)] == "Cart.At shop/cart/cart.go:31"
    assert panic.lines == (1, 1)


@pytest.mark.parametrize("indent", [None, 2])
def test_sentry(read, frames, indent):
    """Its frames run from the outermost inwards, and its in_app is not trusted."""
    panic = read(json.dumps(SENTRY, indent=indent))
    assert panic.kind == "index-range"
    assert frames(panic) == [
        "shop/orders.Pick[...] /srv/shop/orders.go:29",
        "main.main /srv/shop/main.go:80",
    ]
    assert origin(panic) == 0


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"value": "no till"}, "custom-panic"),
        ({"value": "no till", "type": "*errors.errorString"}, "custom-panic"),
        (
            {
                "value": "no",
                "type": "*errors.errorString",
                "mechanism": {"handled": True},
            },
            "logged-error",
        ),
        ({"value": "no", "type": None, "mechanism": None}, "logged-error"),
        ({"value": "no", "mechanism": None}, "custom-panic"),
    ],
)
def test_what_sentry_was_told(read, change, kind):
    """An error that was reported is no crash; what was not handled is one."""
    event = json.loads(json.dumps(SENTRY))
    event["level"] = "error"
    event["exception"]["values"][0] |= change
    assert kind == read(json.dumps(event)).kind


def test_levels_of_loggers(read):
    """Who logs at the level of a panic is about to panic."""
    stack = [{"func": "main", "line": "7", "source": "main.go"}]
    record = {"level": "error", "stack": stack, "error": "no till", "message": "x"}
    panic = read(json.dumps(record))
    assert (panic.kind, panic.message) == ("logged-error", "no till")
    assert read(json.dumps(record | {"level": "panic"})).kind == "custom-panic"


@pytest.mark.parametrize(
    "frame",
    [
        {"function": "f", "filename": "a.go"},
        {"function": "f", "lineno": 7},
        {"function": "f", "filename": 7, "lineno": 7},
        {"function": "f", "filename": "a.go", "lineno": "seven"},
        {"function": "f", "filename": "a.go", "lineno": "123456789"},
        {"function": "f", "filename": "a.go", "lineno": 123456789},
        {"function": "f", "filename": "a.go", "lineno": True},
        {"function": "f", "filename": "a.go", "lineno": -7},
        {"function": "f", "filename": "a.js", "lineno": 7},
        "f at a.go:7",
    ],
)
def test_arrays_of_others(frame):
    """Half frames and those of other languages are left alone."""
    good = {"function": "f", "filename": "a.js", "lineno": 7}
    text = json.dumps({"panic": "stack", "stacktrace": {"frames": [good, frame]}})
    assert decipher(text).crashes == ()


def test_frames_without_names(read, frames):
    """A frame needs a file and a line."""
    text = json.dumps({"stack": [{"file": "main.go", "line": 7}], "message": 8})
    assert frames(read(text)) == [" main.go:7"]


def test_names_that_hold_their_module_already(read, frames):
    """The module is not written twice."""
    stack = [{"function": "shop.F", "module": "shop", "file": "f.go", "line": 7}]
    assert frames(read(json.dumps({"stack": stack}))) == ["shop.F f.go:7"]


def test_deep_nesting_is_not_followed_for_ever():
    """Deeper than any service nests, nothing is looked for."""
    stack = json.dumps({"stack": [{"file": "main.go", "line": 7}]})
    assert decipher('{"a":' * 20 + stack + "}" * 20).crashes == ()
    assert len(decipher('{"a":' * 5 + stack + "}" * 5).crashes) == 1


@pytest.mark.parametrize("line", [10**7, 2**63, True, -7, 1.5, "\u00b2", None])
def test_lines_that_no_file_has(line):
    """A frame with such a line is none."""
    frame = {"function": "f", "filename": "a.go", "lineno": line}
    assert read_structured({"stacktrace": [frame]}, 1) == []
