"""A crash reads the same however its text was wrapped on the way.

Each wrapper takes a text as it was printed and returns what somebody would send.
"""

import csv
import html
import io
import json
import quopri
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from triage.core.panics import decipher, primary

Wrap = Callable[[str], bytes | str]
START = datetime(2026, 3, 14, 9, 26, 53, 589793, UTC)


def moments(count: int) -> list[datetime]:
    """Return *count* moments, some milliseconds apart, over a change of the minute."""
    return [START + timedelta(milliseconds=640 * i) for i in range(count)]


def prefixed(template: str, text: str) -> str:
    """Write *template* before each line; blanks at the end of a line get lost."""
    lines = text.removesuffix("\n").split("\n")
    out = []
    for n, (line, at) in enumerate(zip(lines, moments(len(lines)), strict=True), 1):
        values = {
            "line": line,
            "bare": line.strip(),
            "at": at,
            "nano": nano(at),
            "n": n,
        }
        values |= {"seconds": n * 17.000311, "epoch": at.timestamp()}
        out.append(template.format(**values).rstrip(" ") + "\n")
    return "".join(out)


def nano(moment: datetime) -> str:
    """Print a moment as Go's RFC3339Nano does: without zeros at the end."""
    fraction = f"{moment.microsecond:06d}".rstrip("0")
    return f"{moment:%Y-%m-%dT%H:%M:%S}" + (f".{fraction}" if fraction else "") + "Z"


def escape(text: str) -> str:
    """Escape as Go's %q does."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def interleave(text: str) -> str:
    """Put a chatty neighbour's line after every second line."""
    out = []
    for i, line in enumerate(text.removesuffix("\n").split("\n")):
        out.append(f"web-1  | {line}".rstrip())
        if i % 2:
            out.append(
                f"db-1   | 2026-03-14 09:26:{i % 60:02d} UTC [31] LOG:  checkpoint"
            )
    return "\n".join(out) + "\n"


def table(text: str) -> str:
    """Draw a border on both sides, as k9s and log viewers do."""
    lines = text.removesuffix("\n").replace("\t", "        ").split("\n")
    width = max(map(len, lines)) + 2
    rows = "".join(f"│ {line:<{width}}│\n" for line in lines)
    return "┌" + "─" * (width + 1) + "┐\n" + rows + "└" + "─" * (width + 1) + "┘\n"


def go_test_json(text: str) -> str:
    """Write the text as `go test -json` does, another package's output in between."""
    out = []
    for line, at in zip(text.splitlines(keepends=True), moments(10_000), strict=False):
        event = {
            "Time": at.isoformat(),
            "Action": "output",
            "Package": "example.test/a",
        }
        out.append(json.dumps(event | {"Test": "TestA", "Output": line}))
        other = event | {
            "Package": "example.test/b",
            "Output": "    b_test.go:7: busy\n",
        }
        out.append(json.dumps(other))
    return "\n".join(out) + "\n"


def sheet(text: str) -> str:
    """Export to a spreadsheet: one quoted cell with line ends in it."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["time", "service", "message"])
    writer.writerow([nano(START), "shop", text])
    return out.getvalue()


def wrapped(width: int) -> Wrap:
    """Break lines at blanks before *width* columns, as web forms did."""

    def wrap(text: str) -> str:
        out = []
        for line in text.split("\n"):
            rest = line
            while len(rest) > width and " " in rest[20:width]:
                at = rest.rindex(" ", 0, width)
                out.append(rest[:at])
                rest = rest[at + 1 :]
            out.append(rest)
        return "\n".join(out)

    return wrap


def cut_at(width: int) -> Wrap:
    """Break lines at exactly *width* columns, as a terminal's selection does."""

    def wrap(text: str) -> str:
        return "\n".join(
            "\n".join(re.findall(f".{{1,{width}}}", line)) for line in text.split("\n")
        )

    return wrap


def docker_file(text: str) -> str:
    """Write each line as Docker's json-file driver does."""
    lines = text.removesuffix("\n").split("\n")
    records = [
        {"log": f"{line}\n", "stream": "stderr", "time": nano(at)}
        for line, at in zip(lines, moments(len(lines)), strict=True)
    ]
    return "".join(json.dumps(record) + "\n" for record in records)


PREFIXED = {
    "journald": "{at:%b %d %H:%M:%S} node-7 shop[4711]: {line}",
    "journald without tabs": "{at:%b %d %H:%M:%S} node-7 shop[4711]: {bare}",
    "journald iso": "{at:%Y-%m-%dT%H:%M:%S.%f}+0000 node-7 shop[4711]: {line}",
    "syslog rfc5424": "<11>1 {nano} node-7 shop 4711 - - {line}",
    "compose": "shop_1  | {line}",
    "compose v2": "shop-1  | {nano} {line}",
    "swarm": "shop_web.1.x7k2p9@node-7    | {line}",
    "kubectl prefix": "[pod/shop-7d9f8b6c5-x2x1v/shop] {line}",
    "kubectl timestamps": "{nano} {line}",
    "stern": "shop-7d9f8b6c5-x2x1v shop {line}",
    "cri": "{nano} stderr F {line}",
    "heroku": "{at:%Y-%m-%dT%H:%M:%S.%f}+00:00 app[web.1]: {line}",
    "foreman": "{at:%H:%M:%S} web.1  | {line}",
    "cloudwatch tail": "{at:%Y-%m-%dT%H:%M:%S} 2026/03/14/[$LATEST]0f3c {line}",
    "github actions": "{at:%Y-%m-%dT%H:%M:%S.%f}0Z {line}",
    "github cli": "test\tRun tests\t{nano} {line}",
    "gitlab": "{nano} 01O {line}",
    "azure": "{at:%Y-%m-%dT%H:%M:%S.%f}1Z {line}",
    "jenkins": "[{at:%Y-%m-%dT%H:%M:%S}.{n:03d}Z] {line}",
    "terraform": "{at:%Y-%m-%dT%H:%M:%S.%f}Z [DEBUG] provider.shop_v1.2.3: {line}",
    "log package": "{at:%Y/%m/%d %H:%M:%S} {line}",
    "dmesg": "[{seconds:12.6f}] shop: {line}",
    "epoch": "{epoch:.3f} {line}",
    "logcli": '{nano} {{app="shop", pod="shop-0"}} {line}',
    "bazel": "(09:26:{n:02d}) INFO: {line}",
    "line numbers": "{n:6d}\t{line}",
    "grep -n": "{n}:{line}",
    "file names": "shop.log-{n}-{line}",
    "mail": "> {line}",
    "mail twice": ">> {line}",
    "mail without blank": ">{line}",
    "go comment": "// {line}",
    "hash comment": "# {line}",
    "block comment": " * {line}",
    "sql comment": "-- {line}",
    "indented": "    {line}",
    "indented by tabs": "\t\t{line}",
    "box": "│ {line}",
    "diff": "+{line}",
    "irc": "[{at:%H:%M}] <ada> {line}",
    "cockroach": "  | {line}",
    "klog lines": "E{at:%m%d %H:%M:%S.%f}   14686 main.go:79] {line}",
    "android": "{at:%m-%d %H:%M:%S}.{n:03d}  1234  1250 E Go      : {line}",
    "slog default": "{at:%Y/%m/%d %H:%M:%S} ERROR {line}",
}
"""What a sender writes before a line: `str.format` with the line and its moment."""

REPORTED: dict[str, Wrap] = {
    "crlf": lambda s: s.replace("\n", "\r\n"),
    "crcrlf": lambda s: s.replace("\n", "\r\r\n"),
    "cr alone": lambda s: s.replace("\n", "\r"),
    "bom": lambda s: b"\xef\xbb\xbf" + s.encode(),
    "utf-16": lambda s: s.encode("utf-16"),
    "utf-16 without mark": lambda s: s.encode("utf-16-le"),
    "spaces for tabs": lambda s: s.replace("\t", "        "),
    "no indentation": lambda s: re.sub(r"(?m)^[ \t]+", "", s),
    "fence": lambda s: f"It crashed:\n\n```\n{s}```\n\nWhat now?\n",
    "fence of go": lambda s: f"## Log\n```go\n{s}```\n",
    "jira": lambda s: f"{{code:none}}\n{s}{{code}}\n",
    "slack": lambda s: f"```{s.strip()}```\n",
    "list item": lambda s: "1. Run it\n2. It says\n\n" + re.sub("(?m)^", "   ", s),
    "html": lambda s: f"<p>See</p>\n<pre><code>{html.escape(s)}</code></pre>\n",
    "html twice": lambda s: html.escape(html.escape(s)),
    "html breaks": lambda s: html.escape(s).replace("\n", "<br>\n"),
    "html breaks alone": lambda s: html.escape(s).replace("\n", "<br/>"),
    "html paragraphs": lambda s: "".join(
        f"<p>{html.escape(x)}</p>" for x in s.split("\n")
    ),
    "no-break spaces": lambda s: s.replace("\t", "    ".replace(" ", "\xa0")),
    "ansi": lambda s: "".join(f"\x1b[31m{x}\x1b[0m\n" for x in s.split("\n")),
    "ansi 256": lambda s: "".join(f"\x1b[38;5;9m{x}\x1b[m\n" for x in s.split("\n")),
    "ansi without escape": lambda s: "".join(f"[31m{x}[0m\n" for x in s.split("\n")),
    "double spaced": lambda s: s.replace("\n", "\n\n"),
    "double spaced crlf": lambda s: s.replace("\n", "\r\n\r\n"),
    "table": table,
    "markdown table": lambda s: "".join(f"| {x} |\n" for x in s.split("\n")),
    "interleaved": interleave,
    "docker json": docker_file,
    "go test json": go_test_json,
    "yaml literal": lambda s: "log: |\n" + re.sub("(?m)^", "  ", s) + "\nend: 1\n",
    "go string": lambda s: "const trace = `" + s + "`\n",
    "go lines": lambda s: "".join(
        f"\t{json.dumps(x + chr(10))} +\n" for x in s.split("\n")
    ),
    "json lines": lambda s: json.dumps(s.split("\n"), indent=2),
    "python repr": lambda s: f"b{s!r}\n",
    "sheet": sheet,
    "quoted-printable": lambda s: quopri.encodestring(s.encode(), quotetabs=True),
    "job annotation": lambda s: (
        "::error file=a.go,line=3::" + s.replace("%", "%25").replace("\n", "%0A")
    ),
    "rsyslog": lambda s: (
        "Mar 14 09:26:53 node-7 shop[4711]: "
        + s.replace("\n", "#012").replace("\t", "#011")
    ),
    "wide form": wrapped(90),
    "narrow form": wrapped(72),
    "terminal": cut_at(100),
    "narrow terminal": cut_at(80),
    "in a paste": lambda s: "$ ./shop\n" + s + "$ echo $?\n2\n",
}

RECORDS: dict[str, Wrap] = {
    "zap": lambda s: json.dumps(
        {"level": "error", "ts": 1.5, "msg": "x", "stacktrace": s}
    ),
    "zap behind prefix": lambda s: (
        "shop-1  | " + json.dumps({"level": "error", "msg": "x", "stacktrace": s})
    ),
    "console": lambda s: (
        "2026-03-14T09:26:53Z\tERROR\ta.go:3\tx\t" + json.dumps({"stack": s})
    ),
    "logfmt": lambda s: f'time=2026-03-14T09:26:53Z level=error stack="{escape(s)}"',
    "logrus": lambda s: f'ERRO[0003] it crashed                stack="{escape(s)}"',
    "cut record": lambda s: json.dumps({"level": "error", "stack": s})[:-2],
    "unquoted": lambda s: "level=error stack=" + escape(s),
    "escaped twice": lambda s: f'msg="{escape(escape(s))}"',
    "record in a record": lambda s: json.dumps(
        {"log": json.dumps({"level": "error", "stack": s}) + "\n", "stream": "stderr"}
    ),
    "three deep": lambda s: json.dumps(
        {"message": json.dumps({"log": json.dumps({"stack": s})})}
    ),
    "cloud logging": lambda s: json.dumps(
        {"insertId": "1", "severity": "ERROR", "textPayload": s}
    ),
    "pretty": lambda s: json.dumps({"event": {"error": {"stack_trace": s}}}, indent=2),
    "array": lambda s: json.dumps(
        [{"msg": "up"}, {"msg": "down", "stack": s}], indent=1
    ),
    "otlp": lambda s: json.dumps(
        {
            "resourceLogs": [
                {
                    "scopeLogs": [
                        {
                            "logRecords": [
                                {
                                    "attributes": [
                                        {
                                            "key": "exception.type",
                                            "value": {"stringValue": "panic"},
                                        },
                                        {
                                            "key": "exception.stacktrace",
                                            "value": {"stringValue": s},
                                        },
                                    ]
                                }
                            ]
                        }
                    ]
                }
            ]
        }
    ),
    "journald json": lambda s: "".join(
        json.dumps({"_PID": "7", "MESSAGE": x}) + "\n" for x in s.split("\n")
    ),
    "fluentd": lambda s: "".join(
        json.dumps({"log": x + "\n", "kubernetes": {"pod_name": "shop-0"}}) + "\n"
        for x in s.split("\n")
    ),
    "elastic": lambda s: "".join(
        json.dumps({"_source": {"message": x, "host": "a"}}) + "\n"
        for x in s.split("\n")
    ),
    "text payloads": lambda s: "".join(
        json.dumps({"severity": "ERROR", "textPayload": x}) + "\n"
        for x in s.split("\n")
    ),
}


SAMPLES = (
    "nil", "index", "goroutine", "many", "test", "serving", "unlock", "system", "again",
    "overflow", "wrapped", "timeout", "multiline", "error",
)  # fmt: skip


def told(text: bytes | str) -> tuple[object, ...]:
    """Return all that must survive any wrapping; of messages, the words."""
    panic = primary(decipher(text).crashes)
    assert panic is not None
    assert panic.crashed is not None
    return (
        panic.kind,
        panic.message.split(),
        panic.crashed,
        panic.goroutines,
        panic.others,
        panic.signal,
        panic.address,
    )


@pytest.mark.parametrize("name", PREFIXED)
def test_a_prefix_before_each_line_changes_nothing(sample, name):
    """Whatever a sender writes before each line, the same crash is read."""
    plain = {sample_name: sample(sample_name) for sample_name in SAMPLES}
    expected = {key: told(text) for key, text in plain.items()}
    assert expected == {
        key: told(prefixed(PREFIXED[name], text)) for key, text in plain.items()
    }


@pytest.mark.parametrize("name", REPORTED)
def test_what_forms_and_people_make_of_a_dump_changes_nothing(sample, name):
    """Quoted, escaped, coloured, broken or framed, the same crash is read."""
    plain = {sample_name: sample(sample_name) for sample_name in SAMPLES}
    expected = {key: told(text) for key, text in plain.items()}
    assert expected == {key: told(REPORTED[name](text)) for key, text in plain.items()}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_around_a_dump_changes_nothing(sample, name):
    """In a record or spread over many, the same crash is read."""
    plain = {sample_name: sample(sample_name) for sample_name in SAMPLES}
    expected = {key: told(text) for key, text in plain.items()}
    assert expected == {key: told(RECORDS[name](text)) for key, text in plain.items()}


@pytest.mark.parametrize("name", ["cri", "compose", "indented"])
def test_lines_are_those_of_the_text_as_it_came(sample, name):
    """The span of a crash counts the lines of the text with everything around it."""
    text = prefixed(PREFIXED[name], "starting\n\n" + sample("nil") + "bye\n")
    assert decipher(text).crashes[0].lines == (3, 12)


def test_each_of_two_senders_keeps_its_own_dump(sample):
    """Two services that crash at the same time are told apart by their prefixes."""
    left = [f"web-1  | {line}" for line in sample("nil").splitlines()]
    right = [f"api-1  | {line}" for line in sample("map").splitlines()]
    both = [line for pair in zip(left, right, strict=False) for line in pair]
    rest = left[len(right) :] + right[len(left) :]
    crashes = decipher("\n".join([*both, *rest]) + "\n").crashes
    assert [panic.kind for panic in crashes] == ["nil-deref", "nil-map"]
    assert [told(sample("nil"))[2], told(sample("map"))[2]] == [
        panic.crashed for panic in crashes
    ]


def test_a_prefix_that_only_the_first_line_has_is_dropped(sample, frames, read):
    """A logger that writes a whole dump as one message prefixes its first line."""
    lines = sample("stack").splitlines()
    text = f"Mar 14 09:26:53 node-7 shop[4711]: {lines[0]}\n" + "".join(
        f"        {line}\n" for line in lines[1:]
    )
    assert frames(read(sample("stack"))) == frames(read(text))


def test_test_output_of_two_packages_is_put_together_again(sample):
    """The records of `go test -json` belong to packages, whatever their order."""
    records = []
    for package, name in (("example.test/a", "nil"), ("example.test/b", "map")):
        records.append(
            [
                json.dumps({"Action": "output", "Package": package, "Output": line})
                for line in sample(name).splitlines(keepends=True)
            ]
        )
    mixed = "\n".join(line for pair in zip(*records, strict=False) for line in pair)
    tail = "\n".join(records[0][len(records[1]) :] + records[1][len(records[0]) :])
    crashes = decipher(f"{mixed}\n{tail}\n").crashes
    assert {"nil-deref", "nil-map"} == {panic.kind for panic in crashes}
